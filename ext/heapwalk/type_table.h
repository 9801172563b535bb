/* How many objects of each type there are, and how large each is: as sys.getsizeof() says, without running code of the
 * program. */
#ifndef TRC_TYPE_TABLE_H
#define TRC_TYPE_TABLE_H

#include "core/base/pages.h"
#include "interp/compat.h"

/* How the size of an object is found. */
typedef enum trc_size_rule {
    TRC_SIZE_OF_TYPE, /* its type's, and that of its items: as object.__sizeof__ does */
    TRC_SIZE_OF_STR,
    TRC_SIZE_OF_INT,
    TRC_SIZE_OF_LIST,
    TRC_SIZE_BY_METHOD, /* a __sizeof__ written in C */
} trc_size_rule;

typedef struct trc_type_count {
    PyTypeObject *type; /* borrowed; NULL: an empty slot */
    uint64_t count;
    uint64_t bytes;
    PyCFunction method; /* of TRC_SIZE_BY_METHOD */
    size_t before;      /* bytes in front of an object, if it is one that the collector can track */
    size_t in_front;    /* bytes of an object's block that are in front of the object */
    trc_size_rule rule;
    bool is_chosen; /* trc_type_choice said so */
} trc_type_count;

/* Says something of a type once, when it is first seen. */
typedef bool (*trc_type_choice)(PyTypeObject *type, void *context);

typedef struct trc_type_table {
    const trc_pages *pages;
    trc_type_count *slots; /* owned: open addressing by the type's address */
    size_t slot_count;     /* a power of two, or 0 */
    size_t count;
    size_t short_int; /* the bytes of an int of one digit */
    trc_type_choice choose;
    void *context; /* of `choose` */
} trc_type_table;

/* `choose` may be NULL. */
void trc_type_table_init(trc_type_table *table, const trc_pages *pages, trc_type_choice choose, void *context);
void trc_type_table_free(trc_type_table *table);

/* The rare half of trc_type_table_at(). */
trc_type_count *trc_type_table_add(trc_type_table *table, PyTypeObject *type);

static inline size_t trc_type_table_home(const trc_type_table *table, const PyTypeObject *type)
{
    uint64_t bits = (uint64_t)(uintptr_t)type * UINT64_C(0x9E3779B97F4A7C15);
    return (size_t)(bits >> 40) & (table->slot_count - 1);
}

/* The entry of a type, made where there is none; NULL when memory is out. It stays where it is until the next type is
 * added. */
static inline trc_type_count *trc_type_table_at(trc_type_table *table, PyTypeObject *type)
{
    if (table->slot_count != 0) {
        size_t slot = trc_type_table_home(table, type);
        while (table->slots[slot].type != NULL) {
            if (table->slots[slot].type == type) {
                return &table->slots[slot];
            }
            slot = (slot + 1) & (table->slot_count - 1);
        }
    }
    return trc_type_table_add(table, type);
}

/* The bytes of an object of this entry. Where a __sizeof__ is written in Python, that of its type is taken. May make
 * objects, none of which the collector tracks. Raises nothing. */
size_t trc_object_size(const trc_type_table *table, const trc_type_count *entry, PyObject *object);

/* The block of memory that holds an object of this entry, if the object has one of its own. */
static inline const void *trc_object_block(const trc_type_count *entry, PyObject *object)
{
    return (const char *)object - entry->in_front;
}

/* Returns the value that a type or one of its bases has for a name in its dict, a new reference; NULL without an exception
 * when there is none. No code of a metaclass runs. */
PyObject *trc_type_look_up(PyTypeObject *type, const char *name);

/* Returns the module of a type and its qualified name as two strings, new references. 0, or -1 with an exception set. No
 * code of a metaclass runs. */
int trc_type_names(PyTypeObject *type, PyObject **module, PyObject **name);

/* Returns the name of a type as a new string: that of its module, a point and its qualified name; no module of the
 * builtins. NULL with an exception set. */
PyObject *trc_type_name(PyTypeObject *type);

/* A trc_type_choice: whether a type has the name `wanted`, a str. */
bool trc_type_has_name(PyTypeObject *type, void *wanted);

#endif
