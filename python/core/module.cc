// The extension module lathe._core: the types, the registry, and what the package sets at import.
#include <string>
#include <string_view>

#include "python/core/object.h"
#include "python/ffi/ffi.h"
#include "runtime/init.h"
#include "runtime/registry.h"

namespace lathe::python {

void SetArrayConverter(PyObject* converter);  // foreign.cc

namespace {

PyObject* WrapFunction(runtime::Function function, bool release_gil) {
  PyObject* made = WrapObject(reinterpret_cast<lathe_object*>(function.release()));
  if (made != nullptr) reinterpret_cast<PyFunctionHandle*>(made)->release_gil = release_gil;
  return made;
}

// The package's functions on tensors that leave no view behind.
bool LeavesNoView(std::string_view name) {
  for (const std::string_view known : {"tensor.clone", "tensor.copy", "tensor.from_bytes",
                                       "tensor.num_bytes", "tensor.text", "tensor.to_bytes"}) {
    if (name == known) return true;
  }
  return false;
}

// get(name, release_gil=False): one of the functions that the package is built on.
PyObject* Get(PyObject*, PyObject* args) {
  const char* name = nullptr;
  int release_gil = 0;
  if (!PyArg_ParseTuple(args, "s|p", &name, &release_gil)) return nullptr;
  try {
    runtime::Function function = runtime::FindGlobal(name);
    if (!function) {
      PyErr_Format(PyExc_KeyError, "%s", name);
      return nullptr;
    }
    PyObject* made = WrapFunction(std::move(function), release_gil != 0);
    if (made != nullptr) reinterpret_cast<PyFunctionHandle*>(made)->borrows = LeavesNoView(name);
    return made;
  } catch (...) {
    return RaiseCurrentException();
  }
}

// find_global(name): may load the plugin that provides the name, so it may take long.
PyObject* FindGlobal(PyObject*, PyObject* args) {
  const char* name = nullptr;
  if (!PyArg_ParseTuple(args, "s", &name)) return nullptr;
  try {
    absl::StatusOr<runtime::Function> function;
    {
      const NoGil released;
      function = runtime::FindOrLoadGlobal(name);
    }
    // As every function that is a value (object.cc).
    if (function.ok()) return WrapObject(reinterpret_cast<lathe_object*>(function->release()));
    RaiseFromError(runtime::MakeErrorObject(function.status()).release());
    return nullptr;
  } catch (...) {
    return RaiseCurrentException();
  }
}

PyObject* RegisterClassOf(PyObject*, PyObject* args) {
  unsigned int kind = 0;
  PyObject* type = nullptr;
  if (!PyArg_ParseTuple(args, "IO", &kind, &type)) return nullptr;
  if (!PyType_Check(type) ||
      PyType_IsSubtype(reinterpret_cast<PyTypeObject*>(type), g_types.object) == 0) {
    PyErr_SetString(PyExc_TypeError, "a class derived from Object is needed");
    return nullptr;
  }
  if (!RegisterClass(kind, reinterpret_cast<PyTypeObject*>(type))) return nullptr;
  Py_RETURN_NONE;
}

PyObject* RegisterDeviceClass(PyObject*, PyObject* type) {
  if (!PyType_Check(type) ||
      PyType_IsSubtype(reinterpret_cast<PyTypeObject*>(type), g_types.device) == 0) {
    PyErr_SetString(PyExc_TypeError, "a class derived from Device is needed");
    return nullptr;
  }
  Py_INCREF(type);
  g_types.device_class = reinterpret_cast<PyTypeObject*>(type);
  Py_RETURN_NONE;
}

PyObject* SetErrorFactoryOf(PyObject*, PyObject* factory) {
  SetErrorFactory(factory);
  Py_RETURN_NONE;
}
PyObject* SetArrayConverterOf(PyObject*, PyObject* converter) {
  SetArrayConverter(converter);
  Py_RETURN_NONE;
}
PyObject* Finalize(PyObject*, PyObject*) {
  SetFinalizing();
  Py_RETURN_NONE;
}

// The registry and the classes belong to the process, so only one interpreter may use them.
bool CheckInterpreter() {
  static int64_t first = -1;
  const int64_t here = PyInterpreterState_GetID(PyInterpreterState_Get());
  if (first == -1) first = here;
  if (first == here) return true;
  PyErr_SetString(PyExc_ImportError,
                  "lathe is in use by another interpreter of this process\n  help: subinterpreters "
                  "are not supported; use threads or processes");
  return false;
}

// CPython initialises such a module once and gives other interpreters a copy. So the package calls
// this when it is imported.
PyObject* CheckInterpreterOf(PyObject*, PyObject*) {
  if (!CheckInterpreter()) return nullptr;
  Py_RETURN_NONE;
}

// Python runs signal handlers only on the main thread, and only while Python code runs. Long C++
// calls therefore call this from time to time.
PyObject* CheckSignals(PyObject*, PyObject*) {
  if (RunPython(PyErr_CheckSignals) != 0) return nullptr;
  Py_RETURN_NONE;
}

PyMethodDef kMethods[] = {
    {"check_interpreter", CheckInterpreterOf, METH_NOARGS,
     "ImportError in an interpreter other than the one that imported lathe first."},
    {"get", Get, METH_VARARGS, "get(name, release_gil=False): a function by its name."},
    {"find_global", FindGlobal, METH_VARARGS, "find_global(name): loads plugins where needed."},
    {"register_class", RegisterClassOf, METH_VARARGS, "register_class(kind, class)"},
    {"register_device_class", RegisterDeviceClass, METH_O, "register_device_class(class)"},
    {"set_error_factory", SetErrorFactoryOf, METH_O, "set_error_factory(function)"},
    {"set_array_converter", SetArrayConverterOf, METH_O, "set_array_converter(function)"},
    {"check_signals", CheckSignals, METH_NOARGS,
     "Runs the handlers of signals that came meanwhile: KeyboardInterrupt after Ctrl-C."},
    {"finalize", Finalize, METH_NOARGS,
     "From now on Python objects that C++ holds are left alone."},
    {nullptr, nullptr, 0, nullptr},
};
PyModuleDef kModule = {PyModuleDef_HEAD_INIT,
                       "_core",
                       "The core of lathe: objects, tensors, functions, and the registry.",
                       -1,
                       kMethods,
                       nullptr,
                       nullptr,
                       nullptr,
                       nullptr};

PyObject* MakeModule() {
  if (!CheckInterpreter()) return nullptr;
  if (!WatchForks()) return PyErr_NoMemory();
  PyObject* module = PyModule_Create(&kModule);
  if (module == nullptr) return nullptr;
  const bool added = AddObjectType(module) && AddFunctionType(module) && AddModuleType(module) &&
                     AddTensorType(module) && AddDeviceType(module) && AddFieldType(module);
  if (!added) {
    Py_DECREF(module);
    return nullptr;
  }
  try {
    runtime::Initialize();
    RegisterAll();
  } catch (...) {
    Py_DECREF(module);
    return RaiseCurrentException();
  }
  return module;
}

}  // namespace
}  // namespace lathe::python

PyMODINIT_FUNC PyInit__core(void) { return lathe::python::MakeModule(); }
