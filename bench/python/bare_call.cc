// A reference for calls from Python: a C function that does nothing, called in the way in which
// CPython calls its own functions.
#define PY_SSIZE_T_CLEAN
#include <Python.h>

namespace {

PyObject* Nop(PyObject*, PyObject* const*, Py_ssize_t) { Py_RETURN_NONE; }

PyMethodDef kMethods[] = {
    {"nop", reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(Nop)), METH_FASTCALL,
     "Does nothing."},
    {nullptr, nullptr, 0, nullptr},
};
PyModuleDef kModule = {
    PyModuleDef_HEAD_INIT, "bare_call", nullptr, -1, kMethods, nullptr, nullptr, nullptr, nullptr};

}  // namespace

PyMODINIT_FUNC PyInit_bare_call(void) { return PyModule_Create(&kModule); }
