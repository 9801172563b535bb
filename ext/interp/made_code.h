/* Code that was made of a text, as dataclasses and attrs make it: its file is no file, "<string>". */
#ifndef TRC_MADE_CODE_H
#define TRC_MADE_CODE_H

#include "interp/compat.h"

#include <stdbool.h>

/* Whether code was made of a text, or was typed. */
bool trc_is_of_text(const PyCodeObject *code);

/* New reference: the qualified name of any code, as far as it is known without a class; exactly a str. NULL with an
 * exception set. */
PyObject *trc_qualified_name(const PyCodeObject *code);

#endif
