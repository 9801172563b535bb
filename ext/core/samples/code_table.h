/* The code objects of which samples tell, by what describes them: equal ones are one, whichever thread saw them and wherever
 * they were. Their order is that in which they came. */
#ifndef TRC_CODE_TABLE_H
#define TRC_CODE_TABLE_H

#include "core/samples/frame_chain.h"
#include "core/samples/numbers.h"

#define TRC_CODE_LIMIT 500000

/* Whose code it is, by its file: the program's; tracer's own; or that of tracer's which runs a program for the user. */
typedef enum trc_code_role { TRC_CODE_OF_PROGRAM, TRC_CODE_OF_TRACER, TRC_CODE_OF_COMMAND } trc_code_role;

typedef struct trc_known_code {
    trc_code_description *description; /* owned, with what is behind it */
    trc_code_role role;
    uint32_t next; /* one with the same hash, or TRC_NOWHERE */
} trc_known_code;

/* A text, as the interpreter keeps it. */
typedef struct trc_characters {
    const void *at; /* borrowed; NULL: none */
    uint32_t length;
    uint32_t kind; /* bytes of each */
} trc_characters;

typedef struct trc_code_table {
    trc_numbers numbers;   /* by hash: the first that has it */
    trc_known_code *codes; /* owned */
    uint32_t count;
    trc_characters own_folder; /* that of tracer's code, with a slash at its end; without any, none is tracer's */
} trc_code_table;

void trc_code_table_init(trc_code_table *table, const trc_allocator *allocator);
void trc_code_table_free(trc_code_table *table);

/* Returns the number of the code that is so described, which may be new; TRC_NOWHERE when memory is out, or there are too
 * many. */
uint32_t trc_code_table_add(trc_code_table *table, const trc_code_description *description);

/* Where the parts of a description are. */
typedef struct trc_code_parts {
    const uint8_t *name, *qualname, *file, *lines;
} trc_code_parts;
trc_code_parts trc_code_parts_of(const trc_code_description *description);

/* The line of the instruction at this offset in bytes; that of the function where its table does not tell. */
int32_t trc_code_line(const trc_code_description *description, uint32_t offset);

#endif
