/* The native samples of one Profile: at which node each of its threads is, and copies of what was counted. */
#ifndef TRC_SAMPLES_H
#define TRC_SAMPLES_H

#include "core/samples/sampling.h"
#include "recorders/thread_record.h"

/* A sampling of the threads of a recorder, or NULL when memory is out. every_thread: also of those that it does not
 * record. */
trc_sampling *trc_samples_new(int hz, bool every_thread, trc_slot_pool *pool);

/* Before it begins: it notes Python frames, and native stacks only where that is asked for. folder: that of tracer's code, a
 * str, or NULL. */
void trc_samples_note_frames(trc_sampling *sampling, bool has_native, PyObject *folder);

/* Watches a recorded thread, whose record must stay until the sampling ends. */
void trc_samples_watch(trc_sampling *sampling, const trc_thread_record *record, bool is_here);

/* A thread that is none of the records', with its samples. */
typedef struct trc_other_thread {
    trc_account account;
    trc_sample_count_record *sample_counts; /* owned; of node 0, or of the frames' nodes */
    uint32_t count;
    uint64_t squares;
} trc_other_thread;

typedef struct trc_file_copy {
    char *path; /* owned */
    uint64_t start;
    uint64_t end;
    uint64_t offset;
    uint8_t build_id[64];
    size_t build_id_size;
} trc_file_copy;

/* Where samples fell in Python code. */
typedef struct trc_frames_copy {
    trc_code_description **codes; /* owned, as the others, and each by itself */
    uint32_t code_count;
    trc_frame_node *nodes;
    uint32_t node_count;
    trc_sampled_line *lines;
    uint32_t line_count;
} trc_frames_copy;

/* What the threads of a profile share, at one moment. */
typedef struct trc_samples_copy {
    int64_t period;
    uint64_t signals;
    uint64_t cut;
    uint64_t lost;
    uint64_t broken;
    uint64_t in_events;
    uint64_t at_lines; /* weight of what code took that was slow for the sake of lines (slow_lines.h) */
    int64_t spent;
    bool is_crowded;
    trc_file_copy *files; /* owned, as the others */
    uint32_t file_count;
    trc_frame_record *frames;
    uint32_t frame_count;
    trc_symbol_record *symbols;
    uint32_t symbol_count;
    trc_chain_record *chains;
    uint32_t chain_count;
    trc_other_thread *others;
    uint32_t other_count;
    bool has_frames;
    trc_frames_copy python;
} trc_samples_copy;

/* The samples of a recorded thread. */
typedef struct trc_thread_samples {
    trc_sample_count_record *sample_counts; /* owned; NULL where none are recorded */
    uint32_t count;
    uint64_t squares;
    trc_account account;
    bool has_frames;
} trc_thread_samples;

/* Copies; the sampling is locked. They return false when memory is out; the caller frees either way. */
bool trc_samples_copy_all(trc_sampling *sampling, trc_samples_copy *copy);
bool trc_samples_copy_thread(trc_sampling *sampling, const trc_thread_record *record, trc_thread_samples *copy);
void trc_samples_free_copy(trc_samples_copy *copy);

#endif
