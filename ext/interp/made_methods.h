/* The names of methods that were made of a text, as dataclasses and attrs make them: those that their classes know. Their
 * code has the name that the text gave it, such as "__create_fn__.<locals>.__lt__". */
#ifndef TRC_MADE_METHODS_H
#define TRC_MADE_METHODS_H

#include "interp/compat.h"

#include "core/tree/functab.h"

/* Borrowed: the code of a function, which is its key, too; NULL: it is written in C. */
typedef const PyCodeObject *(*trc_code_of)(const trc_func *func);

/* Gives the methods among `functions` the names that the classes of the program know. names: by id, the tuples of
 * trc_code_names(); whoever calls owns them alone. Looks at classes only if there is code of a text, and runs no code of
 * the program. 0, or -1 with an exception set. */
int trc_name_made_methods(PyObject *names, const trc_functab *functions, trc_code_of code_of);

#endif
