// Carries errors between Python and C++ without losing the Python exception behind an error.
//
// If a Python exception ends a call from C++, it is kept here under a number. The error object
// carries the number in its origin ("python exception 7.1a2b3c4d", where the second part is this
// process's own). The error may become another error object, a status or a CallError, and cross to
// another process and back. Its origin, or the copy of the origin in its notes, still leads back to
// the exception and its traceback.
#include <cxxabi.h>

#include <cstdio>
#include <deque>
#include <random>
#include <string>
#include <string_view>
#include <utility>

#include "python/core/object.h"
#include "runtime/status.h"

namespace lathe::python {
namespace {

constexpr std::string_view kOrigin = "python exception ";
// Some errors are never reported (for example in a search that tries again). This limits how many
// exceptions, with their stack frames, they keep alive.
constexpr size_t kMostKept = 32;

struct Kept {
  uint64_t number;
  PyObject* exception;
};
std::deque<Kept>& KeptExceptions() {
  static auto* kept = new std::deque<Kept>();
  return *kept;
}
uint64_t g_next_number = 1;
PyObject* g_factory = nullptr;

// Tells this process's numbers from those of others, whose errors arrive over sessions.
const std::string& ProcessMark() {
  static const auto* const mark = [] {
    char text[16];
    std::snprintf(text, sizeof(text), ".%08x", static_cast<unsigned>(std::random_device{}()));
    return new std::string(text);
  }();
  return *mark;
}

// The number of the first "python exception N" of this process in `text`; 0 if there is none.
uint64_t NumberIn(std::string_view text) {
  for (size_t at = text.find(kOrigin); at != std::string_view::npos;
       at = text.find(kOrigin, at + 1)) {
    uint64_t number = 0;
    size_t digit = at + kOrigin.size();
    for (; digit < text.size() && text[digit] >= '0' && text[digit] <= '9'; ++digit)
      number = number * 10 + static_cast<uint64_t>(text[digit] - '0');
    if (text.substr(digit, ProcessMark().size()) == ProcessMark()) return number;
  }
  return 0;
}

PyRef TakeKept(uint64_t number) {
  std::deque<Kept>& kept = KeptExceptions();
  for (auto it = kept.begin(); it != kept.end(); ++it) {
    if (it->number != number) continue;
    PyRef found(it->exception);
    kept.erase(it);
    return found;
  }
  return {};
}

// Raises `exception` with its own traceback.
void Restore(PyRef exception) {
  PyObject* type = reinterpret_cast<PyObject*>(Py_TYPE(exception.get()));
  Py_INCREF(type);
  PyObject* traceback = PyException_GetTraceback(exception.get());
  PyErr_Restore(type, exception.release(), traceback);
}

std::string TextOf(PyObject* object) {
  PyRef text(RunPython(PyObject_Str, object));
  const char* utf8 = text ? PyUnicode_AsUTF8AndSize(text.get(), nullptr) : nullptr;
  if (utf8 == nullptr) PyErr_Clear();
  return utf8 == nullptr ? "" : utf8;
}

std::string TypeName(PyObject* object) {
  PyRef name(PyObject_GetAttrString(reinterpret_cast<PyObject*>(Py_TYPE(object)), "__name__"));
  return name ? TextOf(name.get()) : "exception";
}

// A string attribute of lathe's exceptions; "" if `exception` does not have it.
std::string Attribute(PyObject* exception, const char* name) {
  PyRef value(RunPython(PyObject_GetAttrString, exception, name));
  if (!value || !PyUnicode_Check(value.get())) {
    PyErr_Clear();
    return "";
  }
  return TextOf(value.get());
}

}  // namespace

void SetErrorFactory(PyObject* factory) {
  Py_INCREF(factory);
  Py_XDECREF(g_factory);
  g_factory = factory;
}

void RaiseFromError(lathe_error* owned) {
  if (IsLeftBehind()) {
    // The interpreter is ending, and the error comes from a callback that was refused. Nobody waits
    // for a report from this thread.
    PyEval_SaveThread();
    Stay::ForGood();
  }
  const auto error = runtime::ErrorRef::Adopt(owned);
  uint64_t number = NumberIn(owned->origin);
  if (number == 0) number = NumberIn(owned->notes);
  if (number != 0) {
    if (PyRef kept = TakeKept(number)) return Restore(std::move(kept));
  }
  if (g_factory == nullptr) {
    PyErr_Format(PyExc_RuntimeError, "%s [%s]", owned->message, owned->name);
    return;
  }
  PyRef made(RunPython(PyObject_CallFunction, g_factory, "issss", static_cast<int>(owned->code),
                       owned->name, owned->message, owned->notes, owned->origin));
  if (made) PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(made.get())), made.get());
}

namespace {

// Takes over `value`.
lathe_error* KeepException(PyObject* value) {
  PyRef exception(value);
  const uint64_t number = g_next_number++;
  const std::string own_name = Attribute(value, "name");
  const bool is_ours = !own_name.empty() && !Attribute(value, "message").empty();
  const std::string message =
      is_ours ? Attribute(value, "message") : TypeName(value) + ": " + TextOf(value);
  runtime::ErrorRef error =
      runtime::MakeErrorObject(LATHE_UNKNOWN, is_ours ? own_name : "python-exception", message,
                               is_ours ? Attribute(value, "notes") : "",
                               std::string(kOrigin) + std::to_string(number) + ProcessMark());
  // Only now: the texts above may be made by Python code that fails and keeps other exceptions.
  std::deque<Kept>& kept = KeptExceptions();
  kept.push_back({number, value});
  exception.release();
  PyRef dropped;
  if (kept.size() > kMostKept) {
    dropped = PyRef(kept.front().exception);
    kept.pop_front();
  }
  return error.release();
}

}  // namespace

lathe_error* ErrorFromPython() noexcept {
  PyObject *type = nullptr, *value = nullptr, *traceback = nullptr;
  PyErr_Fetch(&type, &value, &traceback);
  RunPython(PyErr_NormalizeException, &type, &value, &traceback);
  if (value != nullptr && traceback != nullptr) PyException_SetTraceback(value, traceback);
  Py_XDECREF(type);
  Py_XDECREF(traceback);
  try {
    if (value != nullptr) return KeepException(value);
    return runtime::MakeErrorObject(LATHE_UNKNOWN, "python-exception",
                                    "a Python function failed without an exception")
        .release();
  } catch (...) {
    return runtime::ErrorFromCurrentException().release();
  }
}

PyObject* RaiseCurrentException() {
  // Not a C++ exception: CPython ends this thread, in a call that no Stay guards.
  if (abi::__cxa_current_exception_type() == nullptr) Stay::ForGood();
  RaiseFromError(runtime::ErrorFromCurrentException().release());
  return nullptr;
}

}  // namespace lathe::python
