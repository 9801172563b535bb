/* The threads of a recorder: see thread_record.h. */
#include "recorders/thread_record.h"

#include <stdlib.h>

#define NAME_TRIES 64 /* after so many calls of Python functions, a thread stays without a name */

/* Reads only dictionaries: an attribute look-up could run code of the program. */
static PyObject *look_up_name_in(PyObject *active, unsigned long ident)
{
    PyObject *name = NULL;
    PyObject *key = PyLong_FromUnsignedLong(ident);
    PyObject *thread = key == NULL ? NULL : Py_XNewRef(PyDict_GetItemWithError(active, key));
    PyObject *attributes = thread == NULL ? NULL : PyObject_GenericGetDict(thread, NULL);
    if (attributes != NULL && PyDict_Check(attributes)) {
        name = trc_look_up(attributes, "_name");
        name = name != NULL && PyUnicode_Check(name) ? Py_NewRef(name) : NULL;
    }
    Py_XDECREF(attributes);
    Py_XDECREF(thread);
    Py_XDECREF(key);
    PyErr_Clear();
    return name;
}

/* New reference: the name that `threading` has for a thread, or NULL without an exception. */
static PyObject *look_up_name(unsigned long ident)
{
    PyObject *modules = PySys_GetObject("modules"); /* gone when the interpreter ends */
    PyObject *threading = modules == NULL || !PyDict_Check(modules) ? NULL : trc_look_up(modules, "threading");
    if (threading == NULL || !PyModule_Check(threading)) {
        return NULL;
    }
    PyObject *active = trc_look_up(PyModule_GetDict(threading), "_active");
    if (active == NULL || !PyDict_Check(active)) {
        return NULL;
    }
    /* Up to 3.11, the dict of a thread is made on demand, which may start a collection. */
    int collecting = trc_pause_collection();
    PyObject *name = look_up_name_in(active, ident);
    trc_resume_collection(collecting);
    return name;
}

PyObject *trc_thread_record_name(const trc_thread_record *record)
{
    /* Another thread may have the ident of a thread that is over. */
    PyObject *name = trc_context_is_over(record->base.context) ? NULL : look_up_name(record->base.context->ident);
    if (name == NULL && record->name != NULL) {
        name = Py_NewRef(record->name);
    }
    return name == NULL ? Py_NewRef(Py_None) : name;
}

void trc_thread_record_learn_name(trc_thread_record *record)
{
    Py_XSETREF(record->name, look_up_name(record->base.context->ident));
    record->name_tries++;
    record->nameless = record->name == NULL && record->name_tries < NAME_TRIES;
}

void trc_thread_record_review(trc_thread_record *record, trc_callable_scope scope, trc_clock_kind clock)
{
    record->is_plain = record->status == TRC_THREAD_RECORDED && record->base.paused == 0 && !record->thread.overflowing;
    for (trc_callable_scope each = TRC_PYTHON; each < TRC_SCOPE_COUNT; each++) {
        /* At the next call of a Python function the thread's name may be known. */
        bool is_open = record->is_plain && clock == TRC_CLOCK_COUNTER && each <= scope &&
                       !(each == TRC_PYTHON && record->nameless);
        bool is_logged = record->thread.log != NULL;
        record->open_to[each] = is_open && !is_logged ? record->base.state_id : 0;
        record->logged_to[each] = is_open && is_logged ? record->base.state_id : 0;
    }
}

/* From now on the record is of this thread, under the state that this has now. */
static void move_to(trc_thread_records *records, trc_thread_record *record, trc_context *context)
{
    memset(record->open_to, 0, sizeof record->open_to);
    memset(record->logged_to, 0, sizeof record->logged_to);
    record->is_plain = false;
    trc_record_set_context(records->list, &record->base, context);
}

static bool add_log(trc_thread_records *records, trc_thread_record *record, trc_tick now)
{
    records->timeline->store.reclaim = trc_thread_records_close_logs;
    records->timeline->store.context = records;
    trc_tick origin = records->clock->kind == TRC_CLOCK_CPU ? now : records->origin;
    return trc_timeline_add(records->timeline, &record->thread, origin, now);
}

static void free_record(trc_thread_record *record)
{
    trc_thread_free(&record->thread);
    trc_object_table_free(&record->objects);
    Py_XDECREF(record->name);
    trc_record_drop_context(&record->base);
    free(record);
}

static trc_thread_record *add_record(trc_thread_records *records, trc_tick now)
{
    trc_thread_record *record = calloc(1, sizeof *record);
    if (record == NULL) {
        return NULL;
    }
    trc_object_table_init(&record->objects, &trc_system_allocator);
    bool is_made = trc_thread_init(&record->thread, &trc_system_allocator, records->node_budget, NULL, now);
    if (is_made && trc_clock_has_cpu(records->clock)) {
        trc_thread_tell_waits(&record->thread, records->clock);
    }
    if (!is_made || (records->timeline != NULL && !add_log(records, record, now))) {
        free_record(record);
        return NULL;
    }
    record->recorder = records->recorder;
    record->index = records->list->count;
    trc_heap_thread_init(&record->heap, record->index);
    trc_records_add(records->list, &record->base);
    return record;
}

trc_thread_record *trc_thread_records_get(trc_thread_records *records, trc_context *context, trc_tick now)
{
    trc_thread_record *record = (trc_thread_record *)trc_records_find(records->list, context);
    if (record != NULL) {
        if (record->base.state_id != context->state_id) {
            trc_thread_stop(&record->thread, record->thread.last); /* activations that the state before did not leave */
            move_to(records, record, context);
        }
        return record;
    }
    record = (trc_thread_record *)trc_records_find_over(records->list);
    if (record != NULL) {
        trc_thread_stop(&record->thread, record->thread.last); /* activations that its thread did not leave */
        trc_thread_start(&record->thread, now);
        Py_CLEAR(record->name);
    }
    else {
        record = add_record(records, now);
        if (record == NULL) {
            return NULL;
        }
    }
    record->thread_count++;
    record->nameless = true;
    record->name_tries = 0;
    record->status = TRC_THREAD_RECORDED;
    record->base.paused = 0;
    record->unadopted = false;
    move_to(records, record, context);
    return record;
}

void trc_thread_records_close_logs(void *records)
{
    const trc_record_list *list = ((trc_thread_records *)records)->list;
    for (trc_thread_record *record = trc_thread_records_first(list); record != NULL;
         record = trc_thread_record_next(record)) {
        if (record->thread.log != NULL && trc_context_is_over(record->base.context)) {
            trc_log_close_held(record->thread.log);
        }
    }
}

void trc_thread_records_free(trc_record_list *list)
{
    for (trc_thread_record *record = trc_thread_records_first(list), *next; record != NULL; record = next) {
        next = trc_thread_record_next(record);
        free_record(record);
    }
}
