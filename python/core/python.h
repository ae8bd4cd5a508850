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

#include <unistd.h>

#include <atomic>
#include <type_traits>
#include <utility>

namespace lathe::python {

// True once the interpreter is going away: Python objects that C++ holds are then left alone.
bool IsFinalizing();
// From now on IsFinalizing. Returns when no thread is on its way to the GIL. Needs the GIL.
void SetFinalizing();
// Once, before the first Gil; false where there is no memory for it.
bool WatchForks();
// Is this a thread that will not see the end of it? All but the caller of SetFinalizing.
bool IsLeftBehind();

// Stands around a call into CPython. While the interpreter goes away, CPython ends each other
// thread (pthread_exit) that waits for the GIL. That unwinds the thread's stack without the GIL:
// destructors would touch Python objects, and a `noexcept` would end the process. So the thread
// stays here for good. The process ends without it.
class Stay {
 public:
  Stay() = default;
  ~Stay() {
    if (!done_) ForGood();
  }
  Stay(const Stay&) = delete;
  Stay& operator=(const Stay&) = delete;
  // The call came back.
  void Done() { done_ = true; }
  [[noreturn]] static void ForGood() {
    for (;;) pause();
  }

 private:
  bool done_ = false;
};

// Calls a function of CPython that may run Python code, and so wait for the GIL.
template <class F, class... Arguments>
auto RunPython(F function, Arguments... arguments) {
  Stay stay;
  if constexpr (std::is_void_v<decltype(function(arguments...))>) {
    function(arguments...);
    stay.Done();
  } else {
    auto result = function(arguments...);
    stay.Done();
    return result;
  }
}

// Drops a reference; the object's end may run Python code.
inline void DropPython(PyObject* object) {
  Stay stay;
  Py_XDECREF(object);
  stay.Done();
}

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
  ~PyRef() { DropPython(object_); }
  PyObject* get() const { return object_; }
  PyObject* release() { return std::exchange(object_, nullptr); }
  explicit operator bool() const { return object_ != nullptr; }

 private:
  PyObject* object_ = nullptr;
};

// Holds the GIL for as long as it lives, from whatever thread. False where there is none to hold:
// the interpreter goes away.
class Gil {
 public:
  Gil();
  ~Gil() {
    if (held_) RunPython(PyGILState_Release, state_);
  }
  Gil(const Gil&) = delete;
  Gil& operator=(const Gil&) = delete;
  explicit operator bool() const { return held_; }

 private:
  bool held_;
  PyGILState_STATE state_ = PyGILState_UNLOCKED;
};

// Gives the GIL away for as long as it lives.
class NoGil {
 public:
  NoGil() {
    Count(1);
    state_ = PyEval_SaveThread();
  }
  ~NoGil() {
    RunPython(PyEval_RestoreThread, state_);
    Count(-1);
  }
  // How many there are: threads in the midst of a call, or left behind in one.
  static int InCalls() { return in_calls_.load(std::memory_order_relaxed); }
  NoGil(const NoGil&) = delete;
  NoGil& operator=(const NoGil&) = delete;

 private:
  // The GIL is held: no other thread counts meanwhile.
  static void Count(int more) { in_calls_.store(InCalls() + more, std::memory_order_relaxed); }

  static std::atomic<int> in_calls_;
  PyThreadState* state_;
};

// Interned once; never dropped.
#define LATHE_PY_NAME(variable, text) \
  static PyObject* const variable = PyUnicode_InternFromString(text)

}  // namespace lathe::python
