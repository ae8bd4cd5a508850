// Function: calls of packed functions from Python, and Python callables as packed functions.
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "python/core/object.h"
#include "runtime/cancel.h"
#include "runtime/error_object.h"
#include "runtime/function.h"
#include "runtime/object_ref.h"
#include "runtime/raise.h"
#include "runtime/status.h"

namespace lathe::python {
namespace {

// Calls with more arguments allocate memory.
constexpr Py_ssize_t kFewArguments = 12;

int CallPython(void* self, const lathe_value* args, int32_t n, lathe_value* ret) noexcept;

bool Convert(PyObject* const* args, Py_ssize_t n, lathe_value* values, Loans& loans) {
  for (Py_ssize_t i = 0; i < n; ++i) {
    // The most common type first. ToArgument handles all types.
    if (Py_TYPE(args[i]) == g_types.tensor_class) {
      values[i].kind = LATHE_VALUE_OBJECT;
      values[i].padding = 0;
      values[i].v_object = ObjectOf(args[i]);
    } else if (!ToArgument(args[i], values + i, loans)) {
      return false;
    }
  }
  return true;
}

// Refuses read-only tensors for arguments that the function writes. Code that lathe lowered checks
// this itself; other code (generators in Python, sources at stage `tile`) does not.
bool CheckWritable(uint64_t written, const lathe_value* values, Py_ssize_t n) {
  for (Py_ssize_t i = 0; i < n && written != 0; ++i, written >>= 1) {
    if ((written & 1) == 0 || values[i].kind != LATHE_VALUE_OBJECT ||
        values[i].v_object == nullptr || values[i].v_object->kind != LATHE_OBJECT_TENSOR)
      continue;
    const auto* tensor = reinterpret_cast<const lathe_tensor*>(values[i].v_object);
    if ((tensor->flags & LATHE_TENSOR_READ_ONLY) == 0) continue;
    RaiseFromError(runtime::MakeErrorObject(LATHE_INVALID_ARGUMENT, "call-argument-read-only",
                                            "argument " + std::to_string(i) +
                                                " is read-only, and the function writes it",
                                            "help: pass a copy that may be written")
                       .release());
    return false;
  }
  return true;
}

// Copies the memory of tensors that are lent for a call, if the function may keep them.
bool KeepLent(const lathe_function* function, bool borrows, const lathe_value* values,
              Py_ssize_t n) {
  // A Python function gets the tensor itself. MakeOwn is called later, if a use of it needs that.
  if (function->call == CallPython) return true;
  for (Py_ssize_t i = 0; i < n; ++i) {
    if (values[i].kind != LATHE_VALUE_OBJECT || values[i].v_object == nullptr ||
        values[i].v_object->kind != LATHE_OBJECT_TENSOR)
      continue;
    auto* tensor = reinterpret_cast<lathe_tensor*>(values[i].v_object);
    // On another thread the function may outlive the call for which the tensor is lent.
    if (borrows && IsLentHere(tensor)) continue;
    if (!MakeOwn(tensor)) return false;
  }
  return true;
}

// Called during a call, on the main thread, about twenty times per second.
int32_t PollSignals() {
  const Gil gil;
  if (!gil || RunPython(PyErr_CheckSignals) == 0) return 0;
  return runtime::RaiseError(runtime::ErrorRef::Adopt(ErrorFromPython()));
}

// Python runs signal handlers only on the main thread.
bool OnMainThread() {
  thread_local const bool main = getpid() == gettid();
  return main;
}

// Calls `function` so that Ctrl-C ends it at the runtime's cancel checks (runtime/cancel.h).
int CallInterruptibly(lathe_function* function, const lathe_value* values, Py_ssize_t n,
                      lathe_value* result) {
  const auto count = static_cast<int32_t>(n);
  if (!OnMainThread()) return function->call(function->self, values, count, result);
  const runtime::CancelScope scope(PollSignals);
  return function->call(function->self, values, count, result);
}

PyObject* Vectorcall(PyObject* self, PyObject* const* args, size_t nargsf, PyObject* kwnames) {
  const auto n = static_cast<Py_ssize_t>(nargsf & ~PY_VECTORCALL_ARGUMENTS_OFFSET);
  if (kwnames != nullptr && PyTuple_Size(kwnames) != 0) {
    PyErr_SetString(PyExc_TypeError, "packed functions take no keyword arguments");
    return nullptr;
  }
  try {
    Loans loans;
    lathe_value few[kFewArguments];
    std::vector<lathe_value> many;
    lathe_value* values = few;
    if (n > kFewArguments) [[unlikely]] {
      many.resize(static_cast<size_t>(n));
      values = many.data();
    }
    if (!Convert(args, n, values, loans)) return nullptr;
    auto* function = reinterpret_cast<lathe_function*>(ObjectOf(self));
    const uint64_t written = reinterpret_cast<PyFunctionHandle*>(self)->written;
    if (written != 0 && !CheckWritable(written, values, n)) return nullptr;
    const bool borrows = reinterpret_cast<PyFunctionHandle*>(self)->borrows;
    if (g_lent != 0 && !KeepLent(function, borrows, values, n)) [[unlikely]]
      return nullptr;
    lathe_value result{};
    int failed = 0;
    if (reinterpret_cast<PyFunctionHandle*>(self)->release_gil) {
      const NoGil released;
      failed = CallInterruptibly(function, values, n, &result);
    } else {
      failed = CallInterruptibly(function, values, n, &result);
    }
    if (failed == 0) return FromOwned(result);
    RaiseFromError(reinterpret_cast<lathe_error*>(result.v_object));
    return nullptr;
  } catch (...) {
    return RaiseCurrentException();
  }
}

PyObject* New(PyTypeObject*, PyObject* args, PyObject*) {
  PyObject* callable = nullptr;
  if (!PyArg_ParseTuple(args, "O", &callable)) return nullptr;
  return Guarded<PyObject*>(nullptr, [&]() -> PyObject* {
    lathe_object* made = FunctionFromCallable(callable);
    return made == nullptr ? nullptr : WrapObject(made);
  });
}

void Dealloc(PyObject* self) {
  DropPython(std::exchange(reinterpret_cast<PyFunctionHandle*>(self)->described, nullptr));
  DeallocHandle(self);
}

PyObject* Repr(PyObject* self) {
  PyObject* described = reinterpret_cast<PyFunctionHandle*>(self)->described;
  return described == nullptr ? PyUnicode_FromString("<lathe.Function>")
                              : PyUnicode_FromFormat("<lathe.Function %S>", described);
}

PyObject* Signature(PyObject* self, void*) {
  PyObject* described = reinterpret_cast<PyFunctionHandle*>(self)->described;
  if (described != nullptr) return PyObject_CallMethod(described, "signature", nullptr);
  PyErr_SetString(PyExc_AttributeError, "nothing says what the function takes");
  return nullptr;
}

PyGetSetDef kGetSet[] = {
    {"__signature__", Signature, nullptr, "Its parameters, for `inspect.signature`.", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};
PyMemberDef kMembers[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(PyFunctionHandle, vectorcall), READONLY, nullptr},
    {"release_gil", T_BOOL, offsetof(PyFunctionHandle, release_gil), 0,
     "Let other Python threads run while the function does. Costs some 40 ns a call."},
    {"borrows", T_BOOL, offsetof(PyFunctionHandle, borrows), 0,
     "Nothing looks at the memory of its tensors once it is over."},
    {"written", T_ULONGLONG, offsetof(PyFunctionHandle, written), 0,
     "Bit i: the function writes argument i; read-only tensors are refused there."},
    {"described", T_OBJECT, offsetof(PyFunctionHandle, described), 0,
     "Its name and parameters (runtime/packed_func.py: Described), or None."},
    {nullptr, 0, 0, 0, nullptr},
};
PyType_Slot kSlots[] = {
    {Py_tp_doc, const_cast<char*>(
                    "A packed function: called with numbers, strings, tensors, arrays of other "
                    "libraries,\nfunctions, None, and lists of them.\n\nFunction(callable) makes "
                    "one of a Python callable.")},
    {Py_tp_new, reinterpret_cast<void*>(New)},
    {Py_tp_call, reinterpret_cast<void*>(PyVectorcall_Call)},
    {Py_tp_dealloc, reinterpret_cast<void*>(Dealloc)},
    {Py_tp_repr, reinterpret_cast<void*>(Repr)},
    {Py_tp_getset, kGetSet},
    {Py_tp_members, kMembers},
    {0, nullptr},
};
PyType_Spec kSpec = {"lathe._core.Function", sizeof(PyFunctionHandle), 0,
                     Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL, kSlots};

// -- Modules.

PyObject* CallModule(PyObject* self, PyObject* const* args, size_t nargsf, PyObject* kwnames) {
  PyObject* const entry = reinterpret_cast<PyModuleHandle*>(self)->entry;
  if (entry != nullptr && Py_TYPE(entry) == g_types.function) [[likely]]
    return Vectorcall(entry, args, nargsf, kwnames);
  const PyRef found(RunPython(PyObject_GetAttrString, self, "entry_func"));
  if (!found) return nullptr;
  if (Py_TYPE(found.get()) == g_types.function)
    return Vectorcall(found.get(), args, nargsf, kwnames);
  PyErr_SetString(PyExc_TypeError, "entry_func is no packed function");
  return nullptr;
}

void DeallocModule(PyObject* self) {
  DropPython(std::exchange(reinterpret_cast<PyModuleHandle*>(self)->entry, nullptr));
  DeallocHandle(self);
}

PyMemberDef kModuleMembers[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(PyModuleHandle, vectorcall), READONLY, nullptr},
    {"_entry", T_OBJECT, offsetof(PyModuleHandle, entry), 0,
     "The entry function, once something has asked for it."},
    {nullptr, 0, 0, 0, nullptr},
};
PyType_Slot kModuleSlots[] = {
    {Py_tp_doc, const_cast<char*>("A module: `module(...)` calls its entry function.")},
    {Py_tp_call, reinterpret_cast<void*>(PyVectorcall_Call)},
    {Py_tp_dealloc, reinterpret_cast<void*>(DeallocModule)},
    {Py_tp_members, kModuleMembers},
    {0, nullptr},
};
PyType_Spec kModuleSpec = {"lathe._core.Module", sizeof(PyModuleHandle), 0,
                           Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_VECTORCALL,
                           kModuleSlots};

// -- Python callables.

// Has the layout of lathe_function at its beginning.
struct PythonFunction : Object {
  PythonFunction() : Object(LATHE_OBJECT_FUNCTION) {}
  lathe_call call = nullptr;
  void* self = nullptr;
  PyObject* callable = nullptr;
};
static_assert(sizeof(PythonFunction) == sizeof(lathe_function) + sizeof(PyObject*));

int CallPython(void* self, const lathe_value* args, int32_t n, lathe_value* ret) noexcept {
  const Gil gil;
  if (!gil) {
    *ret = runtime::Value().release();
    ret->kind = LATHE_VALUE_OBJECT;
    ret->v_object = reinterpret_cast<lathe_object*>(
        runtime::MakeErrorObject(LATHE_UNAVAILABLE, "python-finalizing",
                                 "a Python function was called while Python goes away")
            .release());
    return -1;
  }
  auto* function = static_cast<PythonFunction*>(self);
  const auto fail = [ret] {
    ret->kind = LATHE_VALUE_OBJECT;
    ret->padding = 0;
    ret->v_object = reinterpret_cast<lathe_object*>(ErrorFromPython());
    return -1;
  };
  try {
    PyRef tuple(PyTuple_New(n));
    if (!tuple) return fail();
    Borrowed borrowed;
    for (int32_t i = 0; i < n; ++i) {
      PyObject* item = args[i].kind == LATHE_VALUE_DLTENSOR ? borrowed.Lend(*args[i].v_dltensor)
                                                            : FromBorrowed(args[i]);
      if (item == nullptr) return fail();
      if (PyTuple_SetItem(tuple.get(), i, item) != 0) return fail();
    }
    PyRef result(RunPython(PyObject_Call, function->callable, tuple.get(), nullptr));
    lathe_value value{};
    const bool ok = result && ToOwned(result.get(), &value);
    if (!ok) return fail();
    runtime::Value returned = runtime::Value::Adopt(value);
    if (const absl::Status status = borrowed.Return(); !status.ok()) {
      RaiseFromError(runtime::MakeErrorObject(status).release());
      return fail();
    }
    *ret = returned.release();
    return 0;
  } catch (...) {
    RaiseCurrentException();
    return fail();
  }
}

}  // namespace

lathe_object* FunctionFromCallable(PyObject* callable) {
  if (PyObject_TypeCheck(callable, g_types.function)) {
    runtime::RetainObject(ObjectOf(callable));
    return ObjectOf(callable);
  }
  if (PyCallable_Check(callable) == 0) {
    PyErr_Format(PyExc_TypeError, "a function is needed, not an object of type %R",
                 reinterpret_cast<PyObject*>(Py_TYPE(callable)));
    return nullptr;
  }
  auto* made = new PythonFunction();
  made->drop = [](lathe_object* self) {
    auto* function = static_cast<PythonFunction*>(static_cast<Object*>(self));
    if (const Gil gil; gil) DropPython(function->callable);
    delete function;
  };
  made->Retain();
  made->call = CallPython;
  made->self = made;
  Py_INCREF(callable);
  made->callable = callable;
  return made;
}

vectorcallfunc FunctionVectorcall() { return Vectorcall; }
vectorcallfunc ModuleVectorcall() { return CallModule; }
bool IsPythonFunction(const lathe_function& function) { return function.call == CallPython; }

bool AddFunctionType(PyObject* module) {
  return AddType(module, &kSpec, reinterpret_cast<PyObject*>(g_types.object), &g_types.function);
}

bool AddModuleType(PyObject* module) {
  return AddType(module, &kModuleSpec, reinterpret_cast<PyObject*>(g_types.object),
                 &g_types.module);
}

}  // namespace lathe::python
