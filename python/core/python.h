// Python.h, limited to the stable ABI, with what CPython has exported since 3.10 but only later
// promised to keep: one extension serves CPython 3.10 and newer.
//
// Buffers (stable from 3.11) and vectorcall (from 3.12) are used as every version from 3.10 on has
// them.
#pragma once

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030B0000
#include <Python.h>
#include <structmember.h>

extern "C" {
typedef PyObject* (*vectorcallfunc)(PyObject* callable, PyObject* const* args, size_t nargsf,
                                    PyObject* kwnames);
PyObject* PyVectorcall_Call(PyObject* callable, PyObject* tuple, PyObject* dict);
PyObject* PyObject_VectorcallMethod(PyObject* name, PyObject* const* args, size_t nargsf,
                                    PyObject* kwnames);
}

#ifndef PY_VECTORCALL_ARGUMENTS_OFFSET
#define PY_VECTORCALL_ARGUMENTS_OFFSET (static_cast<size_t>(1) << (8 * sizeof(size_t) - 1))
#endif
#ifndef Py_TPFLAGS_HAVE_VECTORCALL
#define Py_TPFLAGS_HAVE_VECTORCALL (1UL << 11)
#endif

#include <utility>

namespace lathe::python {

// Owns one reference to a Python object; the GIL is held wherever one is made or dropped.
class PyRef {
 public:
  PyRef() = default;
  // Takes the reference over.
  explicit PyRef(PyObject* object) : object_(object) {}
  static PyRef Share(PyObject* object) {
    Py_XINCREF(object);
    return PyRef(object);
  }
  PyRef(PyRef&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  PyRef& operator=(PyRef&& other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  ~PyRef() { Py_XDECREF(object_); }
  PyObject* get() const { return object_; }
  PyObject* release() { return std::exchange(object_, nullptr); }
  explicit operator bool() const { return object_ != nullptr; }

 private:
  PyObject* object_ = nullptr;
};

// Holds the GIL for as long as it lives, from whatever thread.
class Gil {
 public:
  Gil() : state_(PyGILState_Ensure()) {}
  ~Gil() { PyGILState_Release(state_); }
  Gil(const Gil&) = delete;
  Gil& operator=(const Gil&) = delete;

 private:
  PyGILState_STATE state_;
};

// Interned once; never dropped.
#define LATHE_PY_NAME(variable, text) \
  static PyObject* const variable = PyUnicode_InternFromString(text)

}  // namespace lathe::python
