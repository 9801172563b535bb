/* The instruction that tells of a line: see line_instruction.h. */
#include "interp/line_instruction.h"

uint8_t trc_line_instruction(void)
{
    PyObject *module = PyImport_ImportModule("opcode");
    PyObject *numbers = module == NULL ? NULL : PyObject_GetAttrString(module, "opmap");
    PyObject *number = numbers == NULL ? NULL : PyMapping_GetItemString(numbers, "INSTRUMENTED_LINE");
    long found = number == NULL ? 0 : PyLong_AsLong(number);
    Py_XDECREF(number);
    Py_XDECREF(numbers);
    Py_XDECREF(module);
    PyErr_Clear();
    return found > 0 && found <= UINT8_MAX ? (uint8_t)found : 0;
}
