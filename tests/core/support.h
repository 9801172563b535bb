/* What the suites share: a heap that fails when told to, and a stage, on which a script of calls is played to a traced
 * thread by a clock that only the script advances. */
#ifndef TEST_SUPPORT_H
#define TEST_SUPPORT_H

#include <core/report/rollup.h>

/* Fails the test unless `holds`. For checks that are made millions of times: each assertion of Check's own sends a
 * message, even when it holds. */
void insist(bool holds, const char *what);

/* Under ThreadSanitizer, says on stderr that a test, or a part of it, is left out there, and why, and returns true. */
bool is_beyond_tsan(const char *test, const char *why);

/* An allocator that counts its blocks. Requests are counted from 1; frees are none. */
typedef struct heap {
    trc_allocator allocator; /* given to the core; the heap must stay where it is */
    long blocks;             /* not freed yet */
    long requests;
    long first_failure; /* requests from here ... */
    long last_failure;  /* ... to here fail; 0 and 0: none */
} heap;

void heap_init(heap *memory);

#define NO_LIMIT 1000000 /* a node budget that no script spends */
#define DEEPEST 2048     /* activations that a script may have open on a stack */
#define OWNERS 4

/* The open activations on the stack of one owner, which stands for a greenlet. */
typedef struct scene {
    trc_activation ids[DEEPEST];
    int depth;
} scene;

/* A thread to which scripts are played. Every letter is a function:
 *
 *     a ... z   call it                           1 ... 9   let so many ticks pass
 *     %5        let 5 ticks pass, in which the thread does not run
 *     A ... Z   the same function is resumed      =         tracing ends (every frame is left)
 *     'x        what is on top calls x,           +         tracing begins again
 *               a function written in C           <         the thread is paused: no event may come
 *     !x        x runs already                    >         it goes on
 *     )         leave what was entered last       @a ... @d go over to the stack of another owner; the first is a
 *     }         leave the one below it, at once
 *     ?         leave something that was never entered
 *     -         leave a C function that the top was never seen to call
 *     ~x5       what is measured of x beside its calls: 5 ticks of its first extra, 10 of the second ... */
typedef struct stage {
    heap memory;
    atomic_long budget;
    trc_thread thread;
    trc_clock clock; /* shows `now` */
    trc_tick now;
    trc_tick stood;  /* ticks in which the thread did not run */
    trc_tick traced; /* ticks that passed while tracing was on, and not paused */
    bool tracing;
    bool paused;
    uint64_t entered; /* calls and resumes so far */
    trc_activation last_id;
    scene scenes[OWNERS];
    scene *scene; /* whose stack the thread is on */
    long owners;  /* which the function table has not released */
} stage;

/* Readies a stage whose tree may have `budget` nodes. False when the heap failed; stage_close() is due either way. */
bool stage_open(stage *stage, long budget, long first_failure, long last_failure);

/* From now on the thread tells what it waits. A tick is a second, so each event looks at it. */
void stage_tell_waits(stage *stage);

/* The CPU time of the thread that the stage plays, in ns. */
int64_t stage_cpu(const stage *stage);

/* Asserts that nothing is left on the heap and that every owner was released. */
void stage_close(stage *stage);

void stage_play(stage *stage, const char *script);

/* Returns whether the stack that the thread goes to waited. While memory lasts, each stack with activations must. */
bool stage_switch(stage *stage, char to);

/* The address that stands for the function of a letter: the key that the core sees. */
const void *key_of(char letter);

#define LETTERS 26

/* Adds to the extras of a function, or of a row, what a step ~ adds. */
void measure(trc_tick extras[TRC_EXTRA_COUNT], char digit);

/* The row of a function, or TRC_LEFT_OUT. `labels` is pairs: "ba" puts b into the row of a, "b-" leaves b out;
 * everything else has a row of its own. */
uint32_t row_of_letter(char letter, const char *labels);

/* Adds the thread as it is now to a rollup of LETTERS rows. */
trc_rollup_result stage_add(stage *stage, trc_rollup *rollup, const char *labels);

#define TEXT_SIZE 32768

/* Writes figures as lines, rows then edges, each in the order of the alphabet, leaving out what is all zero:
 *     a 2/1 self 4 cum 10            two calls, one of them primitive
 *     b 1/1 self 6 cum 9 suspended 7 what is not 0 of its extras, by their names
 *     a>b 1/1 +3/2 self 6 cum 9      also three resumes, two of them primitive
 * render() leaves out the extras that the core measures by itself, and render_all() writes them: otherwise every text
 * that a suite expects would need each new extra. Those extras have checks of their own. */
void render(const trc_rollup *rollup, char text[TEXT_SIZE]);
void render_all(const trc_rollup *rollup, char text[TEXT_SIZE]);

/* Asserts what the thread's figures are now, with the labels as in row_of_letter(). */
void expect_labelled(stage *stage, const char *labels, const char *expected);
void expect(stage *stage, const char *expected);

/* Plays a script on a new stage, and asserts the figures at its end. */
void expect_played(const char *script, long budget, const char *expected);

/* The same with every small node budget, so wherever the tree stops growing. */
void expect_at_every_budget(const char *script, const char *expected);

/* Asserts that the thread, whose stacks are empty, counts nothing as active. */
void expect_nobody_active(const stage *stage);

/* Plays a script that ends with a stop, while some requests fail. Then takes the figures with memory to spare: calls that
 * are in no figure must be counted as lost, and no tick may be missing. Returns whether a request failed. */
bool survives_shortage(const char *script, long budget, long first_failure, long last_failure);

#endif
