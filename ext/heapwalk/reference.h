/* How one object refers to another: by which attribute, key or index. */
#ifndef TRC_REFERENCE_H
#define TRC_REFERENCE_H

#include "interp/compat.h"

/* Returns a tuple of two, a new reference: what leads from `holder` to `held`, and its name or None. The first is one of
 *
 *     "attribute"   the name of an attribute, or of a field of a tuple
 *     "namespace"   None: `held` is the dict of `holder`'s attributes
 *     "key"         the key under which a dict has it, as Python writes it
 *     "dict key"    the same: it is the key itself
 *     "index"       an int: its place in a list, tuple or deque
 *     "element"     None: it is in a set
 *     "closure"     the names of a function's closure: `held` is the tuple of its cells
 *     "cache"       None: a function with an lru_cache() keeps it there
 *     "variable"    the name of a variable, of a frame or generator
 *     "reference"   None: no name is known
 *
 * NULL with an exception set. Runs no code of the program: a key of a class of its own has the name of the class. */
PyObject *trc_reference(PyObject *holder, PyObject *held);

/* Returns the function of which this is an lru_cache(), borrowed from it; NULL without an exception: of none. */
PyObject *trc_cached_function(PyObject *object);

/* Returns among how many places trc_reference() looks for an object in a container; 0 for any other object. `way`: set to
 * what leads from there, if it is not 0. */
Py_ssize_t trc_reference_places(PyObject *holder, const char **way);

#endif
