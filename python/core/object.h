// The Python types of the core (Object, Tensor, Function, Device) and the conversion of values.
// Object is a handle of any lathe_object.
//
// Python classes derived from them (generated from the IR's field lists, or written in
// python/lathe) are registered for an object kind. A C++ object that comes to Python becomes an
// instance of the class of its kind. All functions here need the GIL. If they return null or false,
// they leave a Python exception set.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <new>
#include <vector>

#include "absl/status/status.h"
#include "lathe/abi/value.h"
#include "python/core/python.h"
#include "runtime/error_object.h"
#include "runtime/tensor.h"
#include "runtime/value.h"

namespace lathe::python {

// A handle: holds a reference to `object`. Compared and hashed by the identity of the C++ object.
struct PyHandle {
  PyObject_HEAD lathe_object* object;
};
// A function's handle, with the flags that a call needs.
struct PyFunctionHandle {
  PyHandle base;
  vectorcallfunc vectorcall;
  bool release_gil;     // the function may take long, or wait for other threads
  bool borrows;         // nothing uses the memory of its tensors after the call
  uint64_t written;     // bit i: the function writes argument i, which must not be read-only
  PyObject* described;  // what `repr` and `inspect.signature` ask; may be null
};
// A module's handle. A call of it is a call of its entry function, which the first call finds.
struct PyModuleHandle {
  PyHandle base;
  vectorcallfunc vectorcall;
  PyObject* entry;
};
struct PyDevice {
  PyObject_HEAD int32_t kind, id, session;
};

struct CoreTypes {
  PyTypeObject* object = nullptr;    // base of all handles
  PyTypeObject* tensor = nullptr;    // the core's own type
  PyTypeObject* function = nullptr;  // the core's own type
  PyTypeObject* module = nullptr;    // the core's own type
  PyTypeObject* device = nullptr;
  PyTypeObject* field = nullptr;
  // The classes that Python registered.
  PyTypeObject* tensor_class = nullptr;
  PyTypeObject* device_class = nullptr;
};
extern CoreTypes g_types;

// These make the types and add them to `module`.
bool AddObjectType(PyObject* module);
bool AddTensorType(PyObject* module);
bool AddFunctionType(PyObject* module);
bool AddModuleType(PyObject* module);
bool AddDeviceType(PyObject* module);
bool AddFieldType(PyObject* module);
bool AddType(PyObject* module, PyType_Spec* spec, PyObject* base, PyTypeObject** out);

// From now on, objects of `kind` become instances of `type`.
bool RegisterClass(uint32_t kind, PyTypeObject* type);

inline bool IsHandle(PyObject* object) {
  return Py_TYPE(object) == g_types.tensor_class || PyObject_TypeCheck(object, g_types.object);
}
inline lathe_object* ObjectOf(PyObject* handle) {
  return reinterpret_cast<PyHandle*>(handle)->object;
}

// A handle for `owned`. Takes over the reference, also on failure.
PyObject* WrapObject(lathe_object* owned);
// Frees a handle: what types that hold more do last.
void DeallocHandle(PyObject* self);

// The memory and references that the conversion of one argument borrows until the call ends.
class Loan {
 public:
  Loan() = default;
  ~Loan() { Return(); }
  Loan(const Loan&) = delete;
  Loan& operator=(const Loan&) = delete;
  void Return();

  PyObject* keep = nullptr;                     // dropped at the end
  lathe_object* object = nullptr;               // released at the end
  DLManagedTensorVersioned* managed = nullptr;  // given back at the end
  bool has_view = false;
  // Not initialised: large, and written before they are read.
  Py_buffer view;
  DLTensor dl;
  lathe_bytes bytes;
  std::array<int64_t, 16> dims;  // shape and strides of up to 8 dimensions
};

// The loans of a call's arguments. They are made on demand: most arguments need none, and the first
// few need no allocation.
class Loans {
 public:
  Loans() {}
  ~Loans() {
    for (int i = 0; i < used_; ++i) Here(i)->~Loan();
  }
  Loans(const Loans&) = delete;
  Loans& operator=(const Loans&) = delete;
  Loan& Next() {
    if (used_ < kHere) return *new (Here(used_++)) Loan;
    more_.push_back(std::make_unique<Loan>());
    return *more_.back();
  }
  // A DLTensor for a library to fill in. It needs no release.
  DLTensor& NextTensor() { return tensors_ < kHere ? tensor_[tensors_++] : Next().dl; }

 private:
  static constexpr int kHere = 4;
  Loan* Here(int i) { return reinterpret_cast<Loan*>(here_) + i; }
  alignas(Loan) unsigned char here_[kHere * sizeof(Loan)];
  DLTensor tensor_[kHere];
  int used_ = 0, tensors_ = 0;
  std::vector<std::unique_ptr<Loan>> more_;
};

// Converts `object` to an argument, which is valid as long as `object` and `loans` are. Python
// callables become functions, lists and tuples become arrays, bytearrays become bytes. Dicts become
// arrays of [key, value], which are dicts when they come back to Python. Arrays of other libraries
// are borrowed.
bool ToArgument(PyObject* object, lathe_value* out, Loans& loans);
// The same for a value that outlives the call. The caller owns it.
bool ToOwned(PyObject* object, lathe_value* out);
// Takes over the value, also on failure.
PyObject* FromOwned(lathe_value value);
// Converts a borrowed value, such as an argument of a call into Python.
PyObject* FromBorrowed(const lathe_value& value);

// -- Tensors of other libraries (foreign.cc).

// 1: `value` borrows the array's memory. 0: `object` is no array. -1: a Python exception.
int BorrowArray(PyObject* object, lathe_value* value, Loans& loans);
// The same without a search, for types that BorrowArray has seen as arrays; 0 for all others.
int BorrowKnownArray(PyObject* object, lathe_value* value, Loans& loans);
// A tensor that shares the array's memory and keeps it alive. Null with a Python exception:
// TypeError if `object` is no array.
runtime::Tensor ShareArray(PyObject* object);
// Makes a tensor from the DLPack capsule that a producer's __dlpack__ returned. Null with a Python
// exception.
runtime::Tensor TakeCapsule(PyObject* capsule);

// -- Tensors that are lent for a call of a Python function (lent.cc).

// The tensors that a call of a Python function borrows from its caller.
class Borrowed {
 public:
  Borrowed() = default;
  ~Borrowed();
  Borrowed(const Borrowed&) = delete;
  Borrowed& operator=(const Borrowed&) = delete;
  // A tensor on the caller's memory; null with a Python exception.
  PyObject* Lend(const DLTensor& dl);
  // Ends the call: from now on the tensors do not use the caller's memory, even if this throws.
  // Leaves a Python exception as it is.
  absl::Status Return();

 private:
  std::vector<runtime::Tensor> tensors_;
};
// The number of tensors that are lent at present.
extern size_t g_lent;
// Does the tensor use a caller's memory, lent for a call of a Python function on this thread?
bool IsLentHere(const lathe_tensor* tensor);
// Must be called before anything can use a tensor's memory for longer than the call. The tensor
// gets its own memory. False with a Python exception.
bool MakeOwn(lathe_tensor* tensor);

// -- Functions (function.cc).

// A packed function that calls `callable`. If `callable` is a Function, its own packed function.
lathe_object* FunctionFromCallable(PyObject* callable);
// The vectorcall of a Function.
// Whether it is a Python callable.
bool IsPythonFunction(const lathe_function& function);
vectorcallfunc FunctionVectorcall();
vectorcallfunc ModuleVectorcall();

// -- Errors (error.cc).

// Sets the Python exception for `owned`, and takes over the reference. If a Python function raised
// the error, it is that very exception; else the error factory makes one.
void RaiseFromError(lathe_error* owned);
// Takes the current Python exception and returns it as an error object. Keeps the exception, so
// that RaiseFromError finds it again. Never null, never throws: if memory runs out, the error is
// `out-of-memory`.
lathe_error* ErrorFromPython() noexcept;
// Sets the Python exception for the C++ exception being handled. Only in a catch block; returns
// null.
PyObject* RaiseCurrentException();
// Returns what `work` returns. If it throws, sets the Python exception for that and returns
// `failed`. CPython calls functions that must not throw.
template <class Result, class Work>
Result Guarded(Result failed, const Work& work) {
  try {
    return work();
  } catch (...) {
    RaiseCurrentException();
    return failed;
  }
}
// `factory` is called with code, name, message, notes, origin and returns an exception.
void SetErrorFactory(PyObject* factory);

}  // namespace lathe::python
