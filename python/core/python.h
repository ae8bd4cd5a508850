// Python.h, limited to the stable ABI, plus functions that CPython exports since 3.10 but has
// promised to keep only later. So one extension works with CPython 3.10 and newer.
//
// Buffers (stable since 3.11) and vectorcall (since 3.12) are used only in ways that work since
// 3.10.
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

// True once the interpreter is ending. From then on C++ leaves the Python objects that it holds
// alone.
bool IsFinalizing();
// Makes IsFinalizing true. Returns when no thread is waiting for the GIL. Needs the GIL.
void SetFinalizing();
// Call once, before the first Gil. False if there is no memory.
bool WatchForks();
// Is the interpreter ending, and is this thread not the caller of SetFinalizing? Such a thread
// stays behind for good when it waits for the GIL.
bool IsLeftBehind();

// Guards a call into CPython. When the interpreter ends, CPython ends every other thread that waits
// for the GIL (pthread_exit). That unwinds the thread's stack without the GIL: destructors would
// touch Python objects, and a `noexcept` function would end the process. So the destructor here
// stops the thread for good instead. The process ends without it.
class Stay {
 public:
  Stay() = default;
  ~Stay() {
    if (!done_) ForGood();
  }
  Stay(const Stay&) = delete;
  Stay& operator=(const Stay&) = delete;
  // Call this when the call into CPython has returned.
  void Done() { done_ = true; }
  [[noreturn]] static void ForGood() {
    for (;;) pause();
  }

 private:
  bool done_ = false;
};

// Calls a CPython function that may run Python code, and therefore may wait for the GIL.
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

// Drops a reference. The object's destructor may run Python code.
inline void DropPython(PyObject* object) {
  Stay stay;
  Py_XDECREF(object);
  stay.Done();
}

// Owns one reference to a Python object. The GIL must be held when one is made or destroyed.
class PyRef {
 public:
  PyRef() = default;
  // Takes over the reference.
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

// Holds the GIL during its lifetime, on any thread. False if there is no GIL to take because the
// interpreter is ending.
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

// Releases the GIL during its lifetime.
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
  // The number of NoGil objects: threads that are inside a call, or were left behind in one.
  static int InCalls() { return in_calls_.load(std::memory_order_relaxed); }
  NoGil(const NoGil&) = delete;
  NoGil& operator=(const NoGil&) = delete;

 private:
  // The caller holds the GIL, so no other thread counts at the same time.
  static void Count(int more) { in_calls_.store(InCalls() + more, std::memory_order_relaxed); }

  static std::atomic<int> in_calls_;
  PyThreadState* state_;
};

// Interned once, never released.
#define LATHE_PY_NAME(variable, text) \
  static PyObject* const variable = PyUnicode_InternFromString(text)

}  // namespace lathe::python
