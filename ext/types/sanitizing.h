/* Names and values that the program passes, made into what a file can hold. */
#ifndef TRC_TYPES_SANITIZING_H
#define TRC_TYPES_SANITIZING_H

#include "interp/compat.h"

/* How much is kept of what the program says: characters of a text of its own, characters of a text that is made of
 * another object, and values of one note. */
#define TRC_SANITIZED_TEXT 2000
#define TRC_SANITIZED_MADE 200
#define TRC_SANITIZED_VALUES 64

/* All of these give a new reference or NULL, without an exception: memory is out. They run str() of the program's objects,
 * which no profile records. */

/* A str: the object itself, or its text. */
PyObject *trc_sanitized_text(PyObject *object);

/* None, a bool, an int of 64 bits, a float or a str. */
PyObject *trc_sanitized_value(PyObject *object);

/* An int of 64 bits or a float; NULL also for what is no number. */
PyObject *trc_sanitized_number(PyObject *object);

/* The flat tuple (name, value, name, value, ...), with values that a file can hold; `values` may be NULL, and is left as
 * it is: so is the result. Returns false when memory is out. */
bool trc_sanitized_values(PyObject *values, PyObject **sanitized);

/* Makes such a tuple of the keyword arguments of a call, but for the one at `but`, with the values as they are. `*values`
 * is NULL where there are none. 0, or -1 with an exception set. */
int trc_sanitized_keywords(PyObject *const *args, PyObject *names, Py_ssize_t but, PyObject **values);

#endif
