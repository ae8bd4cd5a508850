// The Python types of the core, and how values cross: Object (a handle of any lathe_object),
// Tensor, Function, Device.
//
// Python classes above them (generated from the IR's field lists, or written in python/lathe) are
// registered for an object kind; a C++ object that crosses becomes an instance of the class of its
// kind. All functions here need the GIL and, where they return null or false, leave a Python
// exception set.
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

// A handle: shares `object`. Compared and hashed by the identity of the C++ object.
struct PyHandle {
  PyObject_HEAD lathe_object* object;
};
// Function adds what a call needs at once.
struct PyFunctionHandle {
  PyHandle base;
  vectorcallfunc vectorcall;
  bool release_gil;  // the function may take long, or wait for other threads
  bool borrows;      // nothing looks at the memory of its tensors after the call
  uint64_t written;  // bit i: it writes argument i, which must not be read-only
};
struct PyDevice {
  PyObject_HEAD int32_t kind, id, session;
};

struct CoreTypes {
  PyTypeObject* object = nullptr;    // base of all handles
  PyTypeObject* tensor = nullptr;    // as made by the core
  PyTypeObject* function = nullptr;  // as made by the core
  PyTypeObject* device = nullptr;
  PyTypeObject* field = nullptr;
  // The classes that Python registered.
  PyTypeObject* tensor_class = nullptr;
  PyTypeObject* device_class = nullptr;
};
extern CoreTypes g_types;

// Make the types and put them into `module`.
bool AddObjectType(PyObject* module);
bool AddTensorType(PyObject* module);
bool AddFunctionType(PyObject* module);
bool AddDeviceType(PyObject* module);
bool AddFieldType(PyObject* module);
bool AddType(PyObject* module, PyType_Spec* spec, PyObject* base, PyTypeObject** out);

// Instances of the class of `kind` from now on are `type`.
bool RegisterClass(uint32_t kind, PyTypeObject* type);

inline bool IsHandle(PyObject* object) {
  return Py_TYPE(object) == g_types.tensor_class || PyObject_TypeCheck(object, g_types.object);
}
inline lathe_object* ObjectOf(PyObject* handle) {
  return reinterpret_cast<PyHandle*>(handle)->object;
}

// A handle for an object whose reference is taken over, also on failure.
PyObject* WrapObject(lathe_object* owned);

// What the conversion of one argument borrows until the call is over.
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
  // Written before they are read, and large: not initialised.
  Py_buffer view;
  DLTensor dl;
  lathe_bytes bytes;
  std::array<int64_t, 16> dims;  // shape and strides of up to 8 dimensions
};

// Loans of the arguments of a call, made when needed: most need none, and the first few no memory.
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
  // Room for what a library describes and nobody gives back.
  DLTensor& NextTensor() { return tensors_ < kHere ? tensor_[tensors_++] : Next().dl; }

 private:
  static constexpr int kHere = 4;
  Loan* Here(int i) { return reinterpret_cast<Loan*>(here_) + i; }
  alignas(Loan) unsigned char here_[kHere * sizeof(Loan)];
  DLTensor tensor_[kHere];
  int used_ = 0, tensors_ = 0;
  std::vector<std::unique_ptr<Loan>> more_;
};

// `object` as an argument, valid while `object` and `loans` are. Python callables become functions,
// lists and tuples arrays, dicts arrays of [key, value]; arrays of other libraries are borrowed.
bool ToArgument(PyObject* object, lathe_value* out, Loans& loans);
// The same for a value that outlives the call; the caller owns it.
bool ToOwned(PyObject* object, lathe_value* out);
// Takes the value over, also on failure.
PyObject* FromOwned(lathe_value value);
// A borrowed value, such as an argument of a call into Python.
PyObject* FromBorrowed(const lathe_value& value);

// -- Tensors of other libraries (foreign.cc).

// 1: `value` borrows the array's memory. 0: `object` is no array. -1: a Python exception.
int BorrowArray(PyObject* object, lathe_value* value, Loans& loans);
// The same at once for types that were arrays before; 0 for all others.
int BorrowKnownArray(PyObject* object, lathe_value* value, Loans& loans);
// A tensor that shares the array's memory for as long as it lives; null with a Python exception,
// TypeError where `object` is no array.
runtime::Tensor ShareArray(PyObject* object);
// The DLPack capsule that a producer's __dlpack__ returned becomes a tensor. Null with an
// exception.
runtime::Tensor TakeCapsule(PyObject* capsule);

// -- Tensors that are lent for a call of a Python function (lent.cc).

// The tensors that a call of a Python function borrows from its caller.
class Borrowed {
 public:
  Borrowed() = default;
  ~Borrowed() { Return().IgnoreError(); }
  Borrowed(const Borrowed&) = delete;
  Borrowed& operator=(const Borrowed&) = delete;
  // A tensor that looks at the caller's memory; null with a Python exception.
  PyObject* Lend(const DLTensor& dl);
  // The call is over: the tensors look there no more. Python's exception is left as it is.
  absl::Status Return();

 private:
  std::vector<runtime::Tensor> tensors_;
};
// How many tensors are lent.
extern size_t g_lent;
// Does the tensor look at memory of a caller of a function that runs on this thread?
bool IsLentHere(const lathe_tensor* tensor);
// Asked before anything may come to look at a tensor's memory for longer than a call: from now on
// it is not the caller's. False with a Python exception.
bool MakeOwn(lathe_tensor* tensor);

// -- Functions (function.cc).

// A packed function that calls `callable`; a Function's own function where it is one.
lathe_object* FunctionFromCallable(PyObject* callable);
// What a Function's call is.
vectorcallfunc FunctionVectorcall();

// -- Errors (error.cc).

// Sets the Python exception for an error object, which is taken over: the very exception that a
// Python function raised on the other side, or one that the class for errors makes.
void RaiseFromError(lathe_error* owned);
// Takes the current Python exception, keeps it so that RaiseFromError finds it again, and returns
// it as an error object. Never null.
lathe_error* ErrorFromPython();
// What is caught as a Python exception. Only inside a catch block; returns null.
PyObject* RaiseCurrentException();
// Called with code, name, message, notes, origin; returns an exception.
void SetErrorFactory(PyObject* factory);

}  // namespace lathe::python
