/* Where the interpreter keeps what a sample tells of Python code: offsets in its structs, of one version. Data, so that
 * nothing here knows the interpreter: interp/frame_layout.c fills it in. */
#ifndef TRC_FRAME_LAYOUT_H
#define TRC_FRAME_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct trc_frame_layout {
    uint64_t eval, eval_size; /* the function that runs Python code; 0 bytes where several do, or none is known */
    struct {
        size_t frame;  /* of the pointer to the innermost frame, ... */
        bool has_link; /* ... or of a pointer to a struct that has it first */
        size_t link_frame;
        size_t in_event; /* an int: not 0 while a callback of an event runs */
    } state;
    struct {
        size_t code; /* a pointer, whose lowest bits may say something else */
        size_t previous;
        size_t instruction;
        size_t stack;  /* an int, from 0 on while a stop for a line is made, and not in calls of C code; 0: none such */
        size_t owner;  /* a byte: */
        uint8_t shims; /* from this one on, the frame is none of a function's */
        size_t size;   /* bytes from the start that have all of this */
    } frame;
    struct {
        uint64_t type; /* the address of the type of code objects */
        size_t type_at;
        size_t first_line; /* an int */
        size_t version; /* 32 bits that no two have in common; up to 3.11 there are none, and others stand for them */
        size_t file;
        size_t name;
        size_t qualname;
        size_t lines; /* bytes: the table of locations */
        size_t instructions;
        uint8_t stops; /* an instruction that stops to tell of a line, where such are looked for; else 0 */
    } code;
    struct { /* a str */
        size_t length;
        size_t flags;
        uint32_t kind_mask;
        unsigned kind_shift;
        uint32_t compact_mask; /* set where the characters are behind the head */
        uint32_t ascii_mask;
        size_t ascii_data;
        size_t other_data;
    } text;
    struct { /* a bytes object */
        size_t length;
        size_t data;
    } bytes;
} trc_frame_layout;

#endif
