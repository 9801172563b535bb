/* A tool id of sys.monitoring while a source has it, with its callbacks and events: what calls and lines have in common.
 * Audit hooks run in the middle of most of this, and may stop the source, and start it again with another id. */
#ifndef TRC_TOOL_SESSION_H
#define TRC_TOOL_SESSION_H

#include "interp/callback.h"
#include "interp/tool.h"
#include "sources/held.h"

#define TRC_TOOL_EVENTS 11 /* kinds of events, at most */

typedef struct trc_tool_session {
    trc_tool tool;
    int events;                           /* set for all code */
    PyObject *callbacks[TRC_TOOL_EVENTS]; /* owned: what is registered, or NULL */
    PyObject *missing;                    /* owned: sys.monitoring.MISSING, or NULL */
    PyObject *disable;                    /* owned: sys.monitoring.DISABLE, or NULL */
} trc_tool_session;

int trc_tool_session_traverse(const trc_tool_session *session, visitproc visit, void *arg);
void trc_tool_session_clear(trc_tool_session *session);

#if TRC_HAS_MONITORING

/* The callback for a kind of event, by its name in sys.monitoring.events. Lines have one function, and several scopes. */
typedef struct trc_tool_callback {
    const char *event;
    vectorcallfunc function;
    int scopes;              /* of calls, the scope from which on it is wanted; of lines, a bit each */
    vectorcallfunc logged;   /* the callback while a recorder writes a log */
    vectorcallfunc filtered; /* while a recorder has a filter, where that is another: with a log, or without */
    vectorcallfunc counted;  /* of a call, while calls are counted; it asks for filters, too */
    vectorcallfunc timed;    /* while handlers are timed; it asks for filters, too */
} trc_tool_callback;

/* Whom a source tells. All is borrowed. */
typedef struct trc_tool_target {
    const trc_held *held;
    void *context; /* for the callbacks; the held object keeps it in place */
    const trc_tool_callback *callbacks;
    size_t count;
} trc_tool_target;

/* Begins with the tool id that was taken: registers the callbacks. Returns 1 when each kind of event had the usual mark
 * before, or `mark`: so nobody has switched events off since. 0: not, or an audit hook has stopped the source. -1: an
 * exception is set. */
int trc_tool_session_begin(trc_tool_session *session, const trc_tool_target *to, const PyObject *mark);

/* Gives everything back, and leaves a mark for each kind of event, or None. Another tool may hold the id by now: it keeps its
 * callbacks. Raises nothing. */
void trc_tool_session_end(trc_tool_session *session, const trc_tool_target *to, PyObject *mark);

/* Sets these events for all code. 0, or -1 with an exception set. */
int trc_tool_session_set_events(trc_tool_session *session, int events);

#endif
#endif
