/* Which functions written in C are of an extension module, and the file of that: the program's own modules may be
 * compiled, by Cython or mypyc. */
#ifndef TRC_EXTENSIONS_H
#define TRC_EXTENSIONS_H

#include "interp/compat.h"

#include "core/tree/functab.h"

/* New reference: a tuple of (id, module, its file) of the builtins among `functions`, whose owners are trc_identity; without those
 * of the standard library, and of tracer. NULL with an exception set. */
PyObject *trc_find_extensions(const trc_functab *functions);

#endif
