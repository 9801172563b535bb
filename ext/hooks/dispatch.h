/* Between the back ends and the Profiles: the one place that knows all that are enabled. It starts a back end when the
 * first Profile that uses it is enabled, hands every event to all that do, and stops the back end with the last. */
#ifndef TRC_DISPATCH_H
#define TRC_DISPATCH_H

#include "lines.h"
#include "recorder.h"

/* Where a back end keeps a struct of its own, which is zeroed at first. It is here, not behind a pointer, since events
 * ask for what is in it. */
typedef union trc_room {
    void *aligned;
    char bytes[64];
} trc_room;

/* A Python object, because the interpreter keeps a reference to what it hands to a profile function. It is a context
 * manager too, in whose block the calling thread is in no profile. Called as a profile or trace function itself
 * (sys.setprofile(sys.getprofile()), say), it installs the real one. */
struct trc_dispatcher {
    PyObject_HEAD
    PyObject *weak_references;
    /* The enabled recorders of each back end, latest first; each removes itself before it goes. */
    trc_recorder *active[TRC_BACKEND_COUNT];
    /* The only one there is, when its timer runs no code, or NULL: what hot.h goes by. */
    trc_recorder *sole[TRC_BACKEND_COUNT];
    uint32_t focused[TRC_BACKEND_COUNT]; /* how many of the active ones have a focus */
    uint64_t serials;                    /* how many have been enabled */
    PyInterpreterState *interpreter;
    uint64_t unsettled; /* id of a thread state of which trc_greenlets_watch() is to be tried again, by itself; or 0 */
    trc_room rooms[TRC_BACKEND_COUNT];
    trc_lines lines;
    PyTypeObject *callback_type;       /* owned; of callback.c */
    PyTypeObject *switch_watcher_type; /* owned; of greenlets.c */
};

/* The heap type of dispatchers. New reference, or NULL with an exception set. */
PyTypeObject *trc_dispatcher_type(PyObject *module);

/* New reference, or NULL with an exception set. */
trc_dispatcher *trc_dispatcher_new(PyObject *module, PyTypeObject *type);

/* Enables and disables a recorder. enable returns 0, or -1 with an exception set and the recorder as it was; of one that
 * is enabled it unmutes the calling thread. With `here`, what the calling thread runs already is recorded too; that of the
 * other threads always is. disable raises nothing, and does nothing when it is disabled. */
int trc_dispatch_enable(trc_dispatcher *dispatcher, trc_recorder *recorder, bool here);
void trc_dispatch_disable(trc_dispatcher *dispatcher, trc_recorder *recorder);

/* Events, from a back end; of the calling thread. A recorder is told only of callees of its own level. */
void trc_dispatch_enter(trc_dispatcher *dispatcher, trc_backend_kind kind, const trc_callee *callee, trc_activation id,
                        trc_entry entry);
void trc_dispatch_leave(trc_dispatcher *dispatcher, trc_backend_kind kind, trc_activation id, trc_level level);
/* A leave of a generator or coroutine that may go on. */
void trc_dispatch_suspend(trc_dispatcher *dispatcher, trc_backend_kind kind, trc_activation id, const void *key);
/* The same where a recorder may have a focus, of events in the code of `place`: told is who looks at it. False when
 * nobody does, and it need not be reported again until another recorder is enabled. */
bool trc_dispatch_enter_in(trc_dispatcher *dispatcher, trc_backend_kind kind, trc_place *place,
                           const trc_callee *callee, trc_activation id, trc_entry entry);
bool trc_dispatch_leave_in(trc_dispatcher *dispatcher, trc_backend_kind kind, trc_place *place, trc_activation id,
                           trc_level level);
bool trc_dispatch_suspend_in(trc_dispatcher *dispatcher, trc_backend_kind kind, trc_place *place, trc_activation id);
/* A generator or coroutine goes on, if that is not known already. */
void trc_dispatch_go_on_in(trc_dispatcher *dispatcher, trc_backend_kind kind, trc_place *place, trc_activation id);
/* Nothing of interest has happened there. */
bool trc_dispatch_wants(trc_dispatcher *dispatcher, trc_backend_kind kind, trc_place *place);

/* The calling thread has gone from one greenlet, which may be over, to another. With `look`, what runs there already is
 * recorded; else the thread runs something on top of it just now. */
void trc_dispatch_switch(trc_dispatcher *dispatcher, const void *from, bool is_over, const void *to, bool look);

/* Whether any recorder is enabled. */
bool trc_dispatch_is_active(const trc_dispatcher *dispatcher);

/* Leaves what the calling thread does from now on out of every profile, and goes on where that began. */
void trc_dispatch_pause(trc_dispatcher *dispatcher);
void trc_dispatch_resume(trc_dispatcher *dispatcher);

/* In a forked child: each enabled recorder forgets what its parent recorded, and one of lines in any case. */
void trc_dispatch_start_anew(trc_dispatcher *dispatcher);

#endif
