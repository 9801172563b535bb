/* The module tracer._core: its state and its slots. The other files of this folder have its contents, and know nothing
 * of this file. */
#include "dispatch/forks.h"
#include "types/memory.h"
#include "types/unrecorded.h"
#include "types/compile.h"
#include "types/contexts.h"
#include "types/dispatcher.h"
#include "types/trace_exports.h"
#include "types/entries.h"
#include "types/format_error.h"
#include "types/line_recorder.h"
#include "types/instant_events.h"
#include "types/objects.h"
#include "types/origins.h"
#include "types/paths.h"
#include "types/slices.h"
#include "types/profiler.h"
#include "types/ranges.h"
#include "types/records.h"
#include "types/sums.h"
#include "types/step_clock.h"
#include "types/step_reader.h"
#include "types/step_function.h"
#include "types/gil_yielder.h"
#include "types/process_usage.h"
#include "types/values.h"

/* Adds an object to the module, and takes over the reference. 0, or -1 with an exception set, also when the object is
 * NULL. */
static int add(PyObject *module, const char *name, PyObject *object)
{
    int result = object == NULL ? -1 : PyModule_AddObjectRef(module, name, object);
    Py_XDECREF(object);
    return result;
}

/* Adds the type of Profiler.backend, and the names of the back ends. 0, or -1 with an exception set. */
static int add_backends(PyObject *module, trc_state *state)
{
    state->backend_type = PyObject_CallFunction(
        (PyObject *)&PyType_Type, "s(O){s:s,s:s,s:(ss)}", "Backend", (PyObject *)&PyUnicode_Type, "__module__",
        "tracer._core", "__doc__",
        "The name of a back end. `reason` says why it is used, `sees_all_callables` whether it offers builtins='all'.",
        "__slots__", "reason", "sees_all_callables");
    return add(module, "Backend", Py_XNewRef(state->backend_type)) < 0 ||
                   add(module, "BACKENDS", trc_backend_names()) < 0 ||
                   add(module, "BACKEND_TITLES", trc_backend_titles()) < 0
               ? -1
               : 0;
}

/* New reference: the folder of the package `tracer`, which holds this module. NULL, without an exception, when it is
 * not known. */
static PyObject *find_folder(PyObject *module)
{
    PyObject *file = PyModule_GetFilenameObject(module);
    Py_ssize_t end = file == NULL ? -1 : PyUnicode_FindChar(file, '/', 0, PyUnicode_GET_LENGTH(file), -1);
    PyObject *folder = end < 0 ? NULL : PyUnicode_Substring(file, 0, end + 1);
    PyErr_Clear();
    Py_XDECREF(file);
    return folder;
}

/* Adds RECORDS, the keys of a thread's packed records. 0, or -1 with an exception set. */
static int add_record_keys(PyObject *module)
{
    PyObject *keys = trc_record_keys_as_tuple();
    int result = keys == NULL ? -1 : PyModule_AddObjectRef(module, "RECORDS", keys);
    Py_XDECREF(keys);
    return result;
}

static int module_exec(PyObject *module)
{
    trc_state *state = trc_state_of_module(module);
    state->folder = find_folder(module);
    state->profiler_type = trc_profiler_type(module);
    state->line_recorder_type = trc_line_recorder_type(module);
    state->dispatcher_type = trc_dispatcher_type(module);
    state->preceded_type = trc_preceded_type(module);
    state->uncounted_type = trc_uncounted_type(module);
    if (state->profiler_type == NULL || state->line_recorder_type == NULL || state->dispatcher_type == NULL ||
        state->preceded_type == NULL || state->uncounted_type == NULL || trc_entry_types(state) < 0) {
        return -1;
    }
    state->dispatcher_object = trc_dispatcher_new(module, state->dispatcher_type);
    state->format_error = trc_format_error_type(module);
    if (state->dispatcher_object == NULL || state->format_error == NULL) {
        return -1;
    }
    state->imported_at = trc_clock_moment(&state->dispatcher_object->dispatcher.shared.wall);
    if (PyModule_AddType(module, state->uncounted_type) < 0 || PyModule_AddType(module, state->profiler_type) < 0 ||
        PyModule_AddType(module, state->line_recorder_type) < 0 || PyModule_AddType(module, state->entry_type) < 0 ||
        PyModule_AddType(module, state->subentry_type) < 0) {
        return -1;
    }
    if (PyModule_AddObjectRef(module, "ProfileFormatError", state->format_error) < 0 ||
        add(module, "range", (PyObject *)trc_range_type(module)) < 0 ||
        add(module, "flow", (PyObject *)trc_flow_type(module)) < 0 ||
        add(module, "GilYielder", (PyObject *)trc_gil_yielder_type(module)) < 0 || add_backends(module, state) < 0 ||
        add_record_keys(module) < 0 || trc_step_clock_type(module) < 0 ||
        add(module, "StepReader", (PyObject *)trc_step_reader_type(module)) < 0 ||
        add(module, "StepFunction", (PyObject *)trc_step_function_type(module)) < 0 ||
        trc_forks_watch(&state->dispatcher_object->dispatcher) < 0) {
        return -1;
    }
    return PyModule_AddObjectRef(module, "unrecorded", (PyObject *)state->dispatcher_object);
}

static int module_traverse(PyObject *module, visitproc visit, void *arg)
{
    trc_state *state = trc_state_of_module(module);
    Py_VISIT(state->profiler_type);
    Py_VISIT(state->line_recorder_type);
    Py_VISIT(state->entry_type);
    Py_VISIT(state->subentry_type);
    Py_VISIT(state->dispatcher_type);
    Py_VISIT(state->preceded_type);
    Py_VISIT(state->uncounted_type);
    Py_VISIT(state->step_clock_type);
    Py_VISIT(state->format_error);
    Py_VISIT(state->backend_type);
    Py_VISIT(state->dispatcher_object);
    return 0;
}

static int module_clear(PyObject *module)
{
    trc_state *state = trc_state_of_module(module);
    Py_CLEAR(state->profiler_type);
    Py_CLEAR(state->line_recorder_type);
    Py_CLEAR(state->entry_type);
    Py_CLEAR(state->subentry_type);
    Py_CLEAR(state->dispatcher_type);
    Py_CLEAR(state->preceded_type);
    Py_CLEAR(state->uncounted_type);
    Py_CLEAR(state->step_clock_type);
    Py_CLEAR(state->format_error);
    Py_CLEAR(state->folder);
    trc_range_free_spare(state);
    Py_CLEAR(state->backend_type);
    Py_CLEAR(state->dispatcher_object); /* each profile has its own reference */
    return 0;
}

static void module_free(void *module)
{
    module_clear(module);
}

static PyMethodDef functions[] = {
    {"read_profile", trc_read_profile, METH_O, trc_read_profile_doc},
    {"pack_section", trc_pack_section, METH_O, trc_pack_section_doc},
    {"add_up", trc_add_up, METH_VARARGS, trc_add_up_doc},
    {"mark", (PyCFunction)(void (*)(void))trc_mark, METH_FASTCALL | METH_KEYWORDS, trc_mark_doc},
    {"counter", (PyCFunction)(void (*)(void))trc_counter, METH_FASTCALL, trc_counter_doc},
    {"call_paths", trc_call_paths, METH_VARARGS, trc_call_paths_doc},
    {"add_below", trc_add_below, METH_VARARGS, trc_add_below_doc},
    {"fold_contexts", trc_fold_contexts, METH_VARARGS, trc_fold_contexts_doc},
    {"read_slices", trc_read_slices, METH_VARARGS, trc_read_slices_doc},
    {"sum_bins", trc_sum_bins, METH_VARARGS, trc_sum_bins_doc},
    {"recover_slices", trc_recover_slices, METH_VARARGS, trc_recover_slices_doc},
    {"go_on_slices", trc_go_on_slices, METH_VARARGS, trc_go_on_slices_doc},
    {"memory_view", trc_see_memory, METH_VARARGS, trc_memory_view_doc},
    {"sees_native_memory", trc_sees_native, METH_NOARGS, trc_sees_native_doc},
    {"count_objects", (PyCFunction)(void (*)(void))trc_count_objects, METH_FASTCALL, trc_count_objects_doc},
    {"find_origins", trc_find_origins, METH_O, trc_find_origins_doc},
    {"find_origin", trc_find_origin, METH_O, trc_find_origin_doc},
    {"find_objects", trc_find_objects, METH_VARARGS, trc_find_objects_doc},
    {"find_path", trc_find_path, METH_VARARGS, trc_find_path_doc},
    {"find_paths", trc_find_paths, METH_VARARGS, trc_find_paths_doc},
    {"merge_paths", trc_merge_paths, METH_O, trc_merge_paths_doc},
    {"export_slices", trc_export_slices, METH_VARARGS, trc_export_slices_doc},
    {"count_slices", trc_count_slices_in, METH_VARARGS, trc_count_slices_doc},
    {"call_untracked", (PyCFunction)(void (*)(void))trc_call_untracked, METH_FASTCALL, trc_call_untracked_doc},
    {"call_soon", trc_call_soon, METH_O, trc_call_soon_doc},
    {"call_through", trc_call_through, METH_O, trc_call_through_doc},
    {"precede", (PyCFunction)(void (*)(void))trc_precede, METH_FASTCALL, trc_precede_doc},
    {"follow", (PyCFunction)(void (*)(void))trc_follow, METH_FASTCALL, trc_follow_doc},
    {"compile_program", (PyCFunction)(void (*)(void))trc_compile_program, METH_FASTCALL, trc_compile_program_doc},
    {"usage", trc_usage, METH_NOARGS, trc_usage_doc},
    {NULL, NULL, 0, NULL},
};

static PyModuleDef_Slot slots[] = {
    {Py_mod_exec, module_exec},
#if TRC_HAS_MONITORING /* state is an interpreter's own, but for that of allocators, which one interpreter has at a time */
    {Py_mod_multiple_interpreters, Py_MOD_PER_INTERPRETER_GIL_SUPPORTED},
#endif
    {0, NULL},
};

static PyModuleDef definition = {
    PyModuleDef_HEAD_INIT,
    .m_name = trc_module_name,
    .m_doc = "The C core of tracer: records calls, adds them up, reads profile files.",
    .m_size = sizeof(trc_state),
    .m_methods = functions,
    .m_slots = slots,
    .m_traverse = module_traverse,
    .m_clear = module_clear,
    .m_free = module_free,
};

PyMODINIT_FUNC PyInit__core(void)
{
    return PyModuleDef_Init(&definition);
}
