/* The names of methods that were made of a text, as dataclasses and attrs make them: those that their classes know. Their
 * code has the name that the text gave it, such as "__create_fn__.<locals>.__lt__". */
#ifndef TRC_MADE_METHODS_H
#define TRC_MADE_METHODS_H

#include "interp/compat.h"

#include "core/tree/functab.h"

/* Gives the methods among `functions` the names that the classes of the program know. names: by id, the tuples of
 * trc_identity_names(); whoever calls owns them alone. Looks at classes only if there is code of a text, and runs no code
 * of the program. 0, or -1 with an exception set. */
int trc_name_made_methods(PyObject *names, const trc_functab *functions);

#endif
