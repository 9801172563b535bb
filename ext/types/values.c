/* Python values from the bytes of a profile file, built from the scanner's tokens (core/report/reader.h). Only the
 * values of a profile are accepted, in its shape. Errors name the offset. */
#include "types/values.h"

#include "core/report/reader.h"
#include "types/state.h"

#include <stdlib.h>

#define DEEPEST 12 /* values nested in each other; a profile has 8 at most */

const char trc_read_profile_doc[] =
    "read_profile(data)\n--\n\n"
    "Read the bytes of a profile file into (stats, section, problem).\n\n"
    "stats: the dict that pstats files hold. section: the value of tracer's own section, or None. problem: None, or\n"
    "why a section that is there could not be read: 'truncated', 'damaged' or 'foreign'.\n\n"
    "Raises ProfileFormatError, which names the offset, when data is no profile or has a newer format.";

const char trc_pack_section_doc[] =
    "pack_section(payload)\n--\n\n"
    "Return the header (magic, version, checksum, length) that goes before a section's payload.";

typedef struct builder {
    trc_reader reader;
    PyObject *remembered; /* list: values that back references may name; None while one is being made */
    PyObject *callers;    /* dict: by address, the dicts already found to be callers */
    PyObject *error_type; /* borrowed */
} builder;

static PyObject *fail(const builder *builder, size_t offset, const char *what)
{
    PyErr_Format(builder->error_type, "at byte %zu: %s", offset, what);
    return NULL;
}

static void refuse_newer(const builder *builder, const trc_section *section)
{
    PyObject *args =
        Py_BuildValue("(N)", PyUnicode_FromFormat("at byte %zu: the file has format %u and this tracer reads up to %d",
                                                  builder->reader.offset, section->version, TRC_SECTION_VERSION));
    PyObject *kwargs = args == NULL ? NULL : Py_BuildValue("{s:s}", "remedy", "use a newer tracer");
    PyObject *error = kwargs == NULL ? NULL : PyObject_Call(builder->error_type, args, kwargs);
    if (error != NULL) {
        PyErr_SetObject(builder->error_type, error);
    }
    Py_XDECREF(error);
    Py_XDECREF(kwargs);
    Py_XDECREF(args);
}

static PyObject *build(builder *builder, int depth);
static PyObject *build_from(builder *builder, const trc_token *token, size_t offset, int depth);
static bool is_label(PyObject *key);

static PyObject *build_sequence(builder *builder, const trc_token *token, int depth)
{
    /* First a list, which grows as the values come: a count alone allocates nothing. */
    PyObject *list = PyList_New(0);
    for (uint32_t i = 0; list != NULL && i < token->count; i++) {
        PyObject *item = build(builder, depth + 1);
        if (item == NULL || PyList_Append(list, item) < 0) {
            Py_CLEAR(list);
        }
        Py_XDECREF(item);
    }
    if (list != NULL && token->kind == TRC_TOKEN_TUPLE) {
        PyObject *tuple = PyList_AsTuple(list);
        Py_DECREF(list);
        return tuple;
    }
    return list;
}

static PyObject *build_dict(builder *builder, int depth)
{
    PyObject *dict = PyDict_New();
    while (dict != NULL) {
        size_t offset = builder->reader.offset;
        trc_token token = trc_reader_next(&builder->reader);
        if (token.kind == TRC_TOKEN_END) {
            return dict;
        }
        PyObject *key = build_from(builder, &token, offset, depth + 1);
        /* Nothing else is hashed: with references, few bytes make a tuple whose hash takes years, or all of the
         * stack. */
        if (key != NULL && !PyUnicode_CheckExact(key) && !is_label(key)) {
            Py_CLEAR(key);
            fail(builder, offset, "this cannot be the key of a dict");
        }
        PyObject *value = key == NULL ? NULL : build(builder, depth + 1);
        if (value == NULL || PyDict_SetItem(dict, key, value) < 0) {
            Py_CLEAR(dict);
        }
        Py_XDECREF(key);
        Py_XDECREF(value);
    }
    return NULL;
}

static PyObject *build_reference(const builder *builder, const trc_token *token, size_t offset)
{
    if ((Py_ssize_t)token->count >= PyList_GET_SIZE(builder->remembered)) {
        return fail(builder, offset, "a reference to a value that is not there");
    }
    PyObject *value = PyList_GET_ITEM(builder->remembered, token->count);
    if (value == Py_None) {
        return fail(builder, offset, "a reference to a value from within it");
    }
    return Py_NewRef(value);
}

static PyObject *build_text(const builder *builder, const trc_token *token, size_t offset)
{
    PyObject *text = token->kind == TRC_TOKEN_LATIN
                         ? PyUnicode_FromKindAndData(PyUnicode_1BYTE_KIND, token->bytes, (Py_ssize_t)token->size)
                         : PyUnicode_DecodeUTF8((const char *)token->bytes, (Py_ssize_t)token->size, "surrogatepass");
    if (text == NULL && PyErr_ExceptionMatches(PyExc_UnicodeDecodeError)) {
        PyErr_Clear();
        return fail(builder, offset, "a text is not UTF-8");
    }
    return text;
}

static PyObject *build_plain(builder *builder, const trc_token *token, size_t offset, int depth)
{
    switch (token->kind) {
    case TRC_TOKEN_NONE:
        Py_RETURN_NONE;
    case TRC_TOKEN_FALSE:
        Py_RETURN_FALSE;
    case TRC_TOKEN_TRUE:
        Py_RETURN_TRUE;
    case TRC_TOKEN_INTEGER:
        return PyLong_FromLongLong(token->integer);
    case TRC_TOKEN_FLOAT:
        return PyFloat_FromDouble(token->real);
    case TRC_TOKEN_TEXT:
    case TRC_TOKEN_LATIN:
        return build_text(builder, token, offset);
    case TRC_TOKEN_BYTES:
        return PyBytes_FromStringAndSize((const char *)token->bytes, (Py_ssize_t)token->size);
    case TRC_TOKEN_TUPLE:
    case TRC_TOKEN_LIST:
        return build_sequence(builder, token, depth);
    case TRC_TOKEN_DICT:
        return build_dict(builder, depth);
    case TRC_TOKEN_REF:
        return build_reference(builder, token, offset);
    case TRC_TOKEN_END:
        return fail(builder, offset, "the end of a dict where a value should be");
    default:
        return fail(builder, builder->reader.offset, builder->reader.error);
    }
}

static PyObject *build_from(builder *builder, const trc_token *token, size_t offset, int depth)
{
    if (depth > DEEPEST) {
        return fail(builder, offset, "values are nested too deep");
    }
    Py_ssize_t place = -1;
    if (token->remember) { /* marshal numbers values as they begin */
        place = PyList_GET_SIZE(builder->remembered);
        if (PyList_Append(builder->remembered, Py_None) < 0) {
            return NULL;
        }
    }
    PyObject *value = build_plain(builder, token, offset, depth);
    if (value != NULL && place >= 0) {
        PyList_SetItem(builder->remembered, place, Py_NewRef(value));
    }
    return value;
}

static PyObject *build(builder *builder, int depth)
{
    size_t offset = builder->reader.offset;
    trc_token token = trc_reader_next(&builder->reader);
    return build_from(builder, &token, offset, depth);
}

/* -- The shape of a pstats file -- */

static bool is_number(PyObject *value)
{
    return PyLong_CheckExact(value) || PyFloat_CheckExact(value);
}

/* (file name, line, name), or the one-text key with which profiling.sampling marks its files. */
static bool is_label(PyObject *key)
{
    if (!PyTuple_CheckExact(key)) {
        return false;
    }
    if (PyTuple_GET_SIZE(key) == 1) {
        return PyUnicode_CheckExact(PyTuple_GET_ITEM(key, 0));
    }
    return PyTuple_GET_SIZE(key) == 3 && PyUnicode_CheckExact(PyTuple_GET_ITEM(key, 0)) &&
           PyLong_CheckExact(PyTuple_GET_ITEM(key, 1)) && PyUnicode_CheckExact(PyTuple_GET_ITEM(key, 2));
}

static bool are_numbers(PyObject *tuple, Py_ssize_t count)
{
    for (Py_ssize_t i = 0; i < count; i++) {
        if (!is_number(PyTuple_GET_ITEM(tuple, i))) {
            return false;
        }
    }
    return true;
}

/* {caller: (ncalls, primitive calls, tottime, cumtime)}, or {caller: ncalls} as the profile module writes it. */
static bool are_callers(PyObject *callers)
{
    Py_ssize_t position = 0;
    PyObject *key, *value;
    if (!PyDict_CheckExact(callers)) {
        return false;
    }
    while (PyDict_Next(callers, &position, &key, &value)) {
        bool figures = PyTuple_CheckExact(value) && PyTuple_GET_SIZE(value) == 4 && are_numbers(value, 4);
        if (!is_label(key) || !(figures || PyLong_CheckExact(value))) {
            return false;
        }
    }
    return true;
}

/* The same for the callers in the figures of an entry. Through references all entries of a file can share one large
 * dict, so a dict that is found valid is noted and not checked again. A dict to which no reference can lead is not
 * noted: that would take half as long as reading it. Returns 1, 0, or -1 with an exception set. */
static int has_callers(const builder *builder, PyObject *figures)
{
    PyObject *callers = PyTuple_GET_ITEM(figures, 4);
    if (Py_REFCNT(figures) == 1 && Py_REFCNT(callers) == 1) {
        return are_callers(callers);
    }
    PyObject *address = PyLong_FromVoidPtr(callers);
    int known = address == NULL ? -1 : PyDict_Contains(builder->callers, address);
    if (known == 0 && are_callers(callers)) {
        known = PyDict_SetItem(builder->callers, address, callers) < 0 ? -1 : 1;
    }
    Py_XDECREF(address);
    return known;
}

/* Whether a key and its value are an entry: 1, 0, or -1 with an exception set. */
static int is_entry(const builder *builder, PyObject *key, PyObject *value)
{
    if (!is_label(key)) {
        return 0;
    }
    if (PyTuple_GET_SIZE(key) == 1) {
        return PyBool_Check(value);
    }
    return PyTuple_CheckExact(value) && PyTuple_GET_SIZE(value) == 5 && are_numbers(value, 4)
               ? has_callers(builder, value)
               : 0;
}

static PyObject *build_stats(builder *builder)
{
    trc_token token = trc_reader_next(&builder->reader);
    if (token.kind != TRC_TOKEN_DICT) {
        return fail(builder, 0, "it does not begin with a marshalled dict");
    }
    if (token.remember && PyList_Append(builder->remembered, Py_None) < 0) {
        return NULL;
    }
    PyObject *stats = PyDict_New();
    while (stats != NULL) {
        size_t offset = builder->reader.offset;
        token = trc_reader_next(&builder->reader);
        if (token.kind == TRC_TOKEN_END) {
            return stats;
        }
        PyObject *key = build_from(builder, &token, offset, 1);
        PyObject *value = key == NULL ? NULL : build(builder, 1);
        int fits = value == NULL ? -1 : is_entry(builder, key, value);
        if (fits == 0) {
            fail(builder, offset, "this entry is not the figures of a function");
        }
        if (fits <= 0) {
            Py_CLEAR(value);
        }
        if (value == NULL || PyDict_SetItem(stats, key, value) < 0) {
            Py_CLEAR(stats);
        }
        Py_XDECREF(key);
        Py_XDECREF(value);
    }
    return NULL;
}

static PyObject *build_payload(builder *builder, const trc_section *section, const uint8_t *file)
{
    size_t start = (size_t)(section->payload - file);
    trc_reader_init(&builder->reader, file, start + section->size); /* offsets stay those of the file */
    builder->reader.offset = start;
    PyObject *value = build(builder, 0);
    if (value != NULL && !PyDict_CheckExact(value)) {
        Py_CLEAR(value);
        return fail(builder, start, "tracer's section is not a dict");
    }
    return value;
}

static const char *problem_of(trc_section_state state)
{
    switch (state) {
    case TRC_SECTION_FOREIGN:
        return "foreign";
    case TRC_SECTION_TRUNCATED:
        return "truncated";
    case TRC_SECTION_DAMAGED:
        return "damaged";
    default:
        return NULL;
    }
}

static PyObject *read_buffer(builder *builder, const Py_buffer *buffer)
{
    trc_reader_init(&builder->reader, buffer->buf, (size_t)buffer->len);
    if (buffer->len == 0) {
        return fail(builder, 0, "the file is empty");
    }
    PyObject *stats = build_stats(builder);
    if (stats == NULL) {
        return NULL;
    }
    trc_section section = trc_section_find(buffer->buf, (size_t)buffer->len, builder->reader.offset);
    if (section.state == TRC_SECTION_NEWER) {
        Py_DECREF(stats);
        refuse_newer(builder, &section);
        return NULL;
    }
    PyObject *payload = Py_None;
    if (section.state == TRC_SECTION_PRESENT) {
        Py_XSETREF(builder->remembered, PyList_New(0));
        payload = builder->remembered == NULL ? NULL : build_payload(builder, &section, buffer->buf);
        if (payload == NULL) {
            Py_DECREF(stats);
            return NULL;
        }
    }
    else {
        Py_INCREF(payload);
    }
    return Py_BuildValue("(NNz)", stats, payload, problem_of(section.state));
}

PyObject *trc_read_profile(PyObject *module, PyObject *data)
{
    builder builder = {.error_type = trc_state_of_module(module)->format_error};
    Py_buffer buffer;
    if (PyObject_GetBuffer(data, &buffer, PyBUF_SIMPLE) < 0) {
        return NULL;
    }
    int collecting = trc_pause_collection();
    builder.remembered = PyList_New(0);
    builder.callers = PyDict_New();
    bool ready = builder.remembered != NULL && builder.callers != NULL;
    PyObject *result = ready ? read_buffer(&builder, &buffer) : NULL;
    trc_resume_collection(collecting);
    Py_XDECREF(builder.callers);
    Py_XDECREF(builder.remembered);
    PyBuffer_Release(&buffer);
    return result;
}

PyObject *trc_pack_section(PyObject *module, PyObject *data)
{
    (void)module;
    uint8_t header[TRC_SECTION_HEADER];
    Py_buffer buffer;
    if (PyObject_GetBuffer(data, &buffer, PyBUF_SIMPLE) < 0) {
        return NULL;
    }
    trc_section_write_header(header, buffer.buf, (size_t)buffer.len);
    PyBuffer_Release(&buffer);
    return PyBytes_FromStringAndSize((const char *)header, sizeof header);
}
