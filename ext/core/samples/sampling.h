/* The samples of one profile: of native stacks under the nodes at which they fell, of Python frames, or of both. Threads are
 * watched (sampled_thread.h); a thread of our own empties their rings and counts what is in them (counting.h). It also
 * watches the threads that nobody else makes known: those of C libraries.
 *
 * Two locks. That of the watched is held for a moment, also by the program's threads. That of the data is held while
 * copies are unwound and files are read, and by whoever copies the data; never while the former is. */
#ifndef TRC_SAMPLING_H
#define TRC_SAMPLING_H

#include "core/base/periodic_thread.h"
#include "core/samples/pacing.h"
#include "core/samples/slot_pool.h"
#include "core/samples/wait_looks.h"

#define TRC_SAMPLED_THREAD_LIMIT 1024 /* threads that are watched at a time */
#define TRC_THREAD_NAME 16            /* bytes of a thread's name, as Linux keeps it */

/* What becomes of a thread, or of several where their samples go together: of one owner. */
typedef struct trc_account {
    pid_t thread;
    char name[TRC_THREAD_NAME];
    int64_t cpu;  /* ns that were used while the thread was watched */
    int64_t real; /* ns for which it was */
    int error;    /* the errno for which it could not be watched, or 0 */
} trc_account;

typedef struct trc_accounts {
    trc_account *accounts; /* owned */
    uint32_t count;
} trc_accounts;

typedef struct trc_sampling {
    /* Set by the caller before it begins; and so are `own` and `eval` of the counts. See sampled_thread.h. */
    uint32_t (*node_of)(const void *context); /* NULL: the frames tell where a thread is */
    trc_cpu_split *(*line_of)(const void *lines);
    bool (*end_of)(const void *context, int64_t *cpu,
                   int64_t *real); /* what a thread that has ended noted then, in ns */
    bool notes_stacks;             /* as it is by itself */
    bool notes_frames;
    trc_frame_layout layout;
    const void *(*state_here)(void);
    trc_state_search *state_of;
    const void *interpreter;              /* borrowed: for state_of() */
    void (*on_slow_lines)(void *context); /* called by a thread of our own: code is chosen (slow_lines.h); or NULL */
    void *slow_lines_context;
    bool every_thread; /* the others, too */
    bool keeps_pace;   /* there is a limit */

    _Atomic(pid_t) collecting; /* the thread that collects garbage now, or 0 */
    int signal;
    pid_t process;
    pid_t helper;          /* the thread that empties the rings */
    int64_t helper_cpu;    /* that it had used when it was asked last */
    int64_t visits;        /* ns of CPU that its visits to the rings took */
    _Atomic int64_t spent; /* the same of all that samples took, up to the last visit */
    trc_periodic_thread periodic;
    trc_slot_pool *pool;  /* borrowed */
    trc_wait_looks looks; /* that thread's */
    uint32_t looked_at;   /* the slot that has its turn */

    pthread_mutex_t threads_lock;
    trc_slot *slots[TRC_SAMPLED_THREAD_LIMIT]; /* the pool's when the sampling is freed */
    atomic_uint slot_count;
    trc_accounts accounts[TRC_OWNER_KINDS];
    bool is_crowded;   /* a thread found no slot */
    trc_pacing pacing; /* a thread begins at its stride */

    pthread_mutex_t data_lock;
    uint32_t periods;
    uint64_t thread_count; /* of the process, when its threads were looked through last */
    trc_counting counts;
} trc_sampling;

/* Why native code cannot be sampled on this system, in a sentence without a full stop; or NULL. */
const char *trc_sampling_refusal(void);

/* Returns NULL when memory is out. hz: samples in a second of CPU. */
trc_sampling *trc_sampling_new(int hz, trc_slot_pool *pool);

/* Ends the sampling first. */
void trc_sampling_free(trc_sampling *sampling);

/* The program may be slowed down by so much, a part of 1. 0: samples are taken at their rate. What is noted is settled by
 * then. */
void trc_sampling_limit(trc_sampling *sampling, double slowdown);

/* Gets the signal. Returns false where there is none. trc_sampling_begin() does so by itself. */
bool trc_sampling_take_signal(trc_sampling *sampling);

/* Sampling begins, or goes on. Returns false where there is no signal for it. end: no handler runs any more, and all
 * samples are counted. */
bool trc_sampling_begin(trc_sampling *sampling);
void trc_sampling_end(trc_sampling *sampling);

/* Between these two there is no thread of our own, for a fork; the samples wait. The child watches nobody, and begins
 * without samples. */
void trc_sampling_rest(trc_sampling *sampling);
void trc_sampling_go_on(trc_sampling *sampling);

/* Watches a thread, whose samples go to this known owner from now on. context: for node_of(); it must stay until the
 * sampling ends. is_here: it is the calling thread. skip: the calling thread is never watched from now on. */
void trc_sampling_watch(trc_sampling *sampling, pid_t thread, uint32_t owner, const void *context, bool is_here);
void trc_sampling_skip(trc_sampling *sampling, pid_t thread);

/* The samples of a thread are of its lines, too, from now on; of none where `lines`, for line_of(), is NULL. Once the
 * samples that wait are counted, nothing is added any more to lines from before. */
void trc_sampling_set_lines(trc_sampling *sampling, pid_t thread, const void *lines);

/* The same of every thread that is watched, whoever made it known: lines_of(context, thread) has its lines. */
void trc_sampling_set_all_lines(trc_sampling *sampling, const void *(*lines_of)(const void *context, pid_t thread),
                                const void *context);

/* This thread collects garbage from now on; 0: none does. */
void trc_sampling_set_collecting(trc_sampling *sampling, pid_t thread);

/* Returns when the handler of the thread, if that is watched, sees all that the calling thread has done. */
void trc_sampling_wait_for_handler(trc_sampling *sampling, pid_t thread);

/* Counts the samples that wait, and keeps the data as they are until it is unlocked. */
void trc_sampling_lock(trc_sampling *sampling);
void trc_sampling_unlock(trc_sampling *sampling);

/* The account of an owner, up to now; without a thread where there is none. */
trc_account trc_sampling_account(trc_sampling *sampling, int kind, uint32_t owner);

#endif
