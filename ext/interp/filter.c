/* Which code a Profile is to look at: see filter.h. */
#include "interp/filter.h"

#include <stdlib.h>

#define FIRST_SLOTS 256
#define DECISION_LIMIT \
    100000                /* code objects that are kept alive; past the limit, each event asks for the file's name */
#define FILE_LIMIT 100000 /* names that are kept; past the limit, such an event has the name resolved anew */

/* -- The table -- */

/* Makes room for one more decision. Returns false when memory is out. */
static bool reserve(trc_decisions *table)
{
    if (table->count < table->slot_count / 2) {
        return true;
    }
    trc_decisions larger = {NULL, table->slot_count == 0 ? FIRST_SLOTS : 2 * table->slot_count, table->count};
    larger.slots = calloc(larger.slot_count, sizeof *larger.slots);
    if (larger.slots == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < table->slot_count; i++) {
        if (table->slots[i].code != NULL) {
            *trc_decision_slot(&larger, table->slots[i].code) = table->slots[i];
        }
    }
    free(table->slots);
    *table = larger;
    return true;
}

/* Returns whether there was room. */
static bool keep(trc_decisions *table, PyCodeObject *code, bool in)
{
    if (table->count >= DECISION_LIMIT || !reserve(table)) {
        return false;
    }
    *trc_decision_slot(table, code) = (trc_decision){(PyCodeObject *)Py_NewRef((PyObject *)code), in};
    table->count++;
    return true;
}

static void free_decisions(const trc_decisions *decisions)
{
    for (uint32_t i = 0; i < decisions->slot_count; i++) {
        Py_XDECREF((PyObject *)decisions->slots[i].code);
    }
    free(decisions->slots);
}

void trc_filter_forget(trc_filter *filter)
{
    if (filter != NULL) {
        trc_decisions decisions = filter->decisions;
        filter->decisions = (trc_decisions){NULL, 0, 0};
        filter->number = 0;
        PyDict_Clear(filter->files);
        free_decisions(&decisions);
    }
}

/* -- Making a decision -- */

/* Whether a path matches the pattern, or is below a path that does. */
static bool matches(const char *pattern, const char *path)
{
    const char *star = NULL; /* behind the latest star, which stands for the characters up to `tried` */
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

/* Resolves the links of a path. What does not exist (it may be within an archive, or deleted by now) keeps its name
 * below the deepest folder that exists. Returns a path that the caller must free, or NULL when memory is out. */
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

/* New reference: the name of the file that the site's code comes from, or NULL without an exception. */
static PyObject *file_of(const trc_code_site *site)
{
    if (names_a_file(site->code->co_filename)) {
        return Py_NewRef(site->code->co_filename);
    }
    PyObject *globals = site->frame == NULL ? Py_XNewRef(PyEval_GetGlobals()) : PyFrame_GetGlobals(site->frame);
    PyObject *name = globals != NULL && PyDict_Check(globals) ? trc_look_up(globals, "__file__") : NULL;
    name = names_a_file(name) ? Py_NewRef(name) : NULL;
    Py_XDECREF(globals);
    return name;
}

/* Whether code of the file of this name is in; NULL: of no file. */
static bool has_file(const trc_filter *filter, PyObject *name)
{
    PyObject *include = PyTuple_GET_ITEM(filter->encoded, 0);
    PyObject *exclude = PyTuple_GET_ITEM(filter->encoded, 1);
    PyObject *own = PyTuple_GET_ITEM(filter->encoded, 2);
    PyObject *own_but = PyTuple_GET_ITEM(filter->encoded, 3);
    PyObject *encoded = name == NULL ? NULL : PyUnicode_EncodeFSDefault(name);
    char *path = encoded == NULL ? NULL : resolve(PyBytes_AS_STRING(encoded));
    bool in = PyTuple_GET_SIZE(include) == 0 && PyTuple_GET_SIZE(own) == 0;
    if (path != NULL) {
        in = in || matches_any(include, path) || (matches_any(own, path) && !matches_any(own_but, path));
        in = in && !matches_any(exclude, path);
    }
    free(path);
    Py_XDECREF(encoded);
    return in;
}

/* To compare names must run no code of the program, and where a relative one leads to may change. */
static bool can_keep_name(PyObject *name)
{
    return name != NULL && PyUnicode_CheckExact(name) && PyUnicode_READ_CHAR(name, 0) == '/';
}

/* Sets `is_new` of the site if its file has not been asked about, too. */
static bool decide(const trc_filter *filter, trc_code_site *site)
{
    PyObject *name = file_of(site);
    bool can_keep = can_keep_name(name);
    PyObject *known = can_keep ? PyDict_GetItemWithError(filter->files, name) : NULL;
    bool in = known != NULL ? known == Py_True : has_file(filter, name);
    if (can_keep && known == NULL && PyDict_GET_SIZE(filter->files) < FILE_LIMIT) {
        PyDict_SetItem(filter->files, name, in ? Py_True : Py_False);
        site->is_new = true;
    }
    Py_XDECREF(name);
    return in;
}

bool trc_filter_has_file(const trc_filter *filter, PyObject *name)
{
    bool in = has_file(filter, names_a_file(name) ? name : NULL);
    PyErr_Clear();
    return in;
}

bool trc_filter_has(trc_filter *filter, trc_code_site *site)
{
    const trc_decision *decision = trc_filter_find(filter, site->code);
    if (decision != NULL) {
        return decision->in;
    }
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    bool in = decide(filter, site);
    PyErr_Clear();
    PyErr_Restore(type, value, traceback);
    site->is_new = keep(&filter->decisions, site->code, in) || site->is_new;
    return in;
}

trc_live_frames trc_filter_take_live_frames(trc_filter *filter, PyThreadState *thread)
{
    trc_live_frames live = trc_live_frames_take(thread);
    size_t count = 0;
    for (size_t i = 0; filter != NULL && i < live.count; i++) {
        PyFrameObject *frame = live.frames[i];
        trc_code_site site = {PyFrame_GetCode(frame), frame, false, false};
        if (trc_filter_has(filter, &site)) {
            live.frames[count++] = frame;
        }
        else {
            Py_DECREF((PyObject *)frame);
        }
        Py_DECREF((PyObject *)site.code);
    }
    live.count = filter != NULL ? count : live.count;
    return live;
}

/* -- The filter -- */

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

trc_filter *trc_filter_new(PyObject *include, PyObject *exclude, PyObject *own, PyObject *own_but)
{
    trc_filter *filter = calloc(1, sizeof *filter);
    if (filter == NULL) {
        PyErr_NoMemory();
        return NULL;
    }
    PyObject *const given[] = {include, exclude, own, own_but};
    filter->paths = PyTuple_Pack(2, include, exclude);
    filter->files = PyDict_New();
    filter->encoded = PyTuple_New(4);
    for (Py_ssize_t i = 0; filter->encoded != NULL && i < 4; i++) {
        PyObject *encoded = encode_all(given[i]);
        if (encoded == NULL) {
            Py_CLEAR(filter->encoded);
            break;
        }
        PyTuple_SET_ITEM(filter->encoded, i, encoded);
    }
    if (filter->paths == NULL || filter->files == NULL || filter->encoded == NULL) {
        trc_filter_free(filter);
        return NULL;
    }
    return filter;
}

void trc_filter_free(trc_filter *filter)
{
    if (filter != NULL) {
        const trc_filter old = *filter;
        free(filter);
        Py_XDECREF(old.paths);
        Py_XDECREF(old.encoded);
        Py_XDECREF(old.files);
        free_decisions(&old.decisions);
    }
}
