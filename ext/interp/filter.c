/* Which code a Profile is to look at: see filter.h. */
#include "interp/filter.h"

#include <stdlib.h>

#define FIRST_SLOTS 256
#define VERDICT_LIMIT 100000 /* code objects that are kept alive; past it a verdict is made at each event */

/* -- The table -- */

/* Makes room for one more. False when memory is out. */
static bool reserve(trc_verdicts *table)
{
    if (table->count < table->slot_count / 2) {
        return true;
    }
    trc_verdicts larger = {NULL, table->slot_count == 0 ? FIRST_SLOTS : 2 * table->slot_count, table->count};
    larger.slots = calloc(larger.slot_count, sizeof *larger.slots);
    if (larger.slots == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < table->slot_count; i++) {
        if (table->slots[i].code != NULL) {
            *trc_verdict_slot(&larger, table->slots[i].code) = table->slots[i];
        }
    }
    free(table->slots);
    *table = larger;
    return true;
}

static void keep(trc_verdicts *table, PyCodeObject *code, bool in)
{
    if (table->count < VERDICT_LIMIT && reserve(table)) {
        *trc_verdict_slot(table, code) = (trc_verdict){(PyCodeObject *)Py_NewRef((PyObject *)code), in};
        table->count++;
    }
}

static void free_verdicts(const trc_verdicts *verdicts)
{
    for (uint32_t i = 0; i < verdicts->slot_count; i++) {
        Py_XDECREF((PyObject *)verdicts->slots[i].code);
    }
    free(verdicts->slots);
}

void trc_focus_forget(trc_focus *focus)
{
    if (focus != NULL) {
        trc_verdicts verdicts = focus->verdicts;
        focus->verdicts = (trc_verdicts){NULL, 0, 0};
        focus->number = 0;
        free_verdicts(&verdicts);
    }
}

/* -- Making a verdict -- */

/* Whether a path is what the pattern says, or below it. */
static bool matches(const char *pattern, const char *path)
{
    const char *star = NULL; /* the latest; what it stands for ends at `tried` */
    const char *tried = NULL;
    while (*pattern != '\0' || (*path != '\0' && *path != '/')) {
        if (*pattern == '*') {
            star = ++pattern;
            tried = path;
        }
        else if (*pattern != '\0' && *pattern == *path) {
            pattern++;
            path++;
        }
        else if (star != NULL && *tried != '\0') {
            pattern = star;
            path = ++tried;
        }
        else {
            return false;
        }
    }
    return true;
}

static bool matches_any(PyObject *patterns, const char *path)
{
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(patterns); i++) {
        if (matches(PyBytes_AS_STRING(PyTuple_GET_ITEM(patterns, i)), path)) {
            return true;
        }
    }
    return false;
}

/* A path without links, to be freed, or NULL when memory is out. What is not there (it may be within an archive, or be
 * deleted by now) keeps its name below the folder that is. */
static char *resolve(const char *path)
{
    char *head = strdup(path);
    if (head == NULL) {
        return NULL;
    }
    char *found = realpath(head, NULL);
    for (char *slash = strrchr(head, '/'); found == NULL && slash != NULL && slash != head;
         slash = strrchr(head, '/')) {
        *slash = '\0';
        found = realpath(head, NULL);
    }
    const char *rest = found == NULL ? path : path + strlen(head);
    char *whole = realloc(found, (found == NULL ? 0 : strlen(found)) + strlen(rest) + 1);
    if (whole == NULL) {
        free(found);
    }
    else {
        strcpy(whole + (found == NULL ? 0 : strlen(whole)), rest);
    }
    free(head);
    return whole;
}

static bool names_a_file(PyObject *name)
{
    return name != NULL && PyUnicode_Check(name) && PyUnicode_GET_LENGTH(name) > 0 &&
           PyUnicode_READ_CHAR(name, 0) != '<';
}

/* New reference: the name of the file that the place's code comes from, or NULL without an exception. */
static PyObject *file_of(const trc_place *place)
{
    if (names_a_file(place->code->co_filename)) {
        return Py_NewRef(place->code->co_filename);
    }
    PyObject *globals = place->frame == NULL ? Py_XNewRef(PyEval_GetGlobals()) : PyFrame_GetGlobals(place->frame);
    PyObject *name = globals != NULL && PyDict_Check(globals) ? trc_look_up(globals, "__file__") : NULL;
    name = names_a_file(name) ? Py_NewRef(name) : NULL;
    Py_XDECREF(globals);
    return name;
}

static bool decide(const trc_focus *focus, const trc_place *place)
{
    PyObject *include = PyTuple_GET_ITEM(focus->encoded, 0);
    PyObject *exclude = PyTuple_GET_ITEM(focus->encoded, 1);
    PyObject *own = PyTuple_GET_ITEM(focus->encoded, 2);
    PyObject *own_but = PyTuple_GET_ITEM(focus->encoded, 3);
    PyObject *name = file_of(place);
    PyObject *encoded = name == NULL ? NULL : PyUnicode_EncodeFSDefault(name);
    char *path = encoded == NULL ? NULL : resolve(PyBytes_AS_STRING(encoded));
    bool in = PyTuple_GET_SIZE(include) == 0 && PyTuple_GET_SIZE(own) == 0;
    if (path != NULL) {
        in = in || matches_any(include, path) || (matches_any(own, path) && !matches_any(own_but, path));
        in = in && !matches_any(exclude, path);
    }
    free(path);
    Py_XDECREF(encoded);
    Py_XDECREF(name);
    return in;
}

bool trc_focus_has(trc_focus *focus, trc_place *place)
{
    const trc_verdict *verdict = trc_focus_find(focus, place->code);
    if (verdict != NULL) {
        return verdict->in;
    }
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    bool in = decide(focus, place);
    PyErr_Clear();
    PyErr_Restore(type, value, traceback);
    keep(&focus->verdicts, place->code, in);
    place->is_new = true;
    return in;
}

trc_live_frames trc_focus_take_live_frames(trc_focus *focus, PyThreadState *thread)
{
    trc_live_frames live = trc_live_frames_take(thread);
    size_t count = 0;
    for (size_t i = 0; focus != NULL && i < live.count; i++) {
        PyFrameObject *frame = live.frames[i];
        trc_place place = {PyFrame_GetCode(frame), frame, false, false};
        if (trc_focus_has(focus, &place)) {
            live.frames[count++] = frame;
        }
        else {
            Py_DECREF((PyObject *)frame);
        }
        Py_DECREF((PyObject *)place.code);
    }
    live.count = focus != NULL ? count : live.count;
    return live;
}

/* -- The focus -- */

/* New reference: a tuple of bytes, or NULL with an exception set. */
static PyObject *encode_all(PyObject *paths)
{
    PyObject *encoded = PyTuple_New(PyTuple_GET_SIZE(paths));
    for (Py_ssize_t i = 0; encoded != NULL && i < PyTuple_GET_SIZE(paths); i++) {
        PyObject *path = NULL;
        if (PyUnicode_FSConverter(PyTuple_GET_ITEM(paths, i), &path)) {
            PyTuple_SET_ITEM(encoded, i, path);
        }
        else {
            Py_CLEAR(encoded);
        }
    }
    return encoded;
}

trc_focus *trc_focus_new(PyObject *include, PyObject *exclude, PyObject *own, PyObject *own_but)
{
    trc_focus *focus = calloc(1, sizeof *focus);
    if (focus == NULL) {
        PyErr_NoMemory();
        return NULL;
    }
    PyObject *const given[] = {include, exclude, own, own_but};
    focus->paths = PyTuple_Pack(2, include, exclude);
    focus->encoded = PyTuple_New(4);
    for (Py_ssize_t i = 0; focus->encoded != NULL && i < 4; i++) {
        PyObject *encoded = encode_all(given[i]);
        if (encoded == NULL) {
            Py_CLEAR(focus->encoded);
            break;
        }
        PyTuple_SET_ITEM(focus->encoded, i, encoded);
    }
    if (focus->paths == NULL || focus->encoded == NULL) {
        trc_focus_free(focus);
        return NULL;
    }
    return focus;
}

void trc_focus_free(trc_focus *focus)
{
    if (focus != NULL) {
        const trc_focus old = *focus;
        free(focus);
        Py_XDECREF(old.paths);
        Py_XDECREF(old.encoded);
        free_verdicts(&old.verdicts);
    }
}
