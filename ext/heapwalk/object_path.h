/* Why objects are alive: the shortest path of references to each from a module or from a running function. */
#ifndef TRC_OBJECT_PATH_H
#define TRC_OBJECT_PATH_H

#include "core/base/pages.h"
#include "interp/compat.h"

/* Returns a list, a new reference, with the path to each of these objects, which are borrowed and all different. One walk
 * finds them all. A path is a tuple of two: where it begins, and a list of its references in order. The first is
 *
 *     ("module", its name in sys.modules) or
 *     ("variable", file, line, function, name of the variable; None: the code or the namespace of the frame)
 *
 * Each reference is a tuple: what trc_reference() returns, and the name of the type of the object that it leads to. A
 * function is told as "function NAME, FILE:LINE", its cache as "cache of function NAME, FILE:LINE", a method as "method
 * NAME, FILE:LINE". In a container of more than 10,000 items, only the first of several objects has its key or index; the
 * others have None. In place of a path, None: no path leads to the object, so it is garbage, or C code holds it. NULL with an exception set.
 *
 * A variable of the function that asks is passed over, unless nothing else refers to the object. `left_out`: objects of
 * this type are passed over; borrowed, or NULL. The caller holds off the garbage collector, and references to the
 * objects. No code of the program runs. */
PyObject *trc_object_paths(PyObject *const *objects, size_t count, const trc_pages *pages,
                           const PyTypeObject *left_out);

#endif
