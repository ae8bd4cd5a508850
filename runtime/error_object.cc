#include "runtime/error_object.h"

#include <new>
#include <utility>

#include "base/object.h"
#include "runtime/status.h"

namespace lathe::runtime {
namespace {

// A lathe_error, followed by its strings.
struct ErrorObject : Object {
  ErrorObject() : Object(LATHE_OBJECT_ERROR) {}
  int32_t code = LATHE_UNKNOWN;
  const char* name = "";
  const char* message = "";
  const char* notes = "";
  const char* origin = "";
  std::string text[4];
};

static_assert(offsetof(lathe_error, code) == sizeof(lathe_object));

// The error used if there is no memory to make another: one per process, never freed.
lathe_error* OutOfMemoryError() {
  static lathe_error error = {{1, LATHE_OBJECT_ERROR, [](lathe_object*) {}},
                              LATHE_RESOURCE_EXHAUSTED,
                              "out-of-memory",
                              "the host ran out of memory",
                              "",
                              ""};
  RetainObject(&error.object);
  return &error;
}

// Appends a note such as "expected: x"; a note of several lines keeps its lines.
void AppendNote(std::string& notes, std::string_view label, std::string_view text) {
  if (text.empty()) return;
  if (!notes.empty()) notes += '\n';
  if (!label.empty()) {
    notes += label;
    notes += ": ";
  }
  notes += text;
}

std::string_view TakeLabel(std::string_view line, std::string_view label) {
  return line.starts_with(label) ? line.substr(label.size()) : std::string_view();
}

absl::StatusCode CodeOf(const lathe_error& error) {
  if (error.code <= 0 || error.code > LATHE_DATA_LOSS) return absl::StatusCode::kUnknown;
  return static_cast<absl::StatusCode>(error.code);
}

Diagnostic DiagnosticOf(const lathe_error& error) {
  Diagnostic diagnostic;
  diagnostic.name = error.name[0] == '\0' ? "unnamed-error" : error.name;
  diagnostic.message = error.message;
  std::string_view rest = error.notes;
  while (!rest.empty()) {
    const size_t end = rest.find('\n');
    const std::string_view line = rest.substr(0, end);
    rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
    if (auto text = TakeLabel(line, "expected: "); !text.empty() && diagnostic.expected.empty()) {
      diagnostic.expected = text;
    } else if (text = TakeLabel(line, "found: "); !text.empty() && diagnostic.found.empty()) {
      diagnostic.found = text;
    } else if (text = TakeLabel(line, "help: "); !text.empty() && diagnostic.help.empty()) {
      diagnostic.help = text;
    } else if (!line.empty()) {
      diagnostic.notes.emplace_back(line);
    }
  }
  if (error.origin[0] != '\0')
    diagnostic.notes.push_back("reported by " + std::string(error.origin));
  return diagnostic;
}

}  // namespace

ErrorRef MakeErrorObject(int32_t code, std::string_view name, std::string_view message,
                         std::string_view notes, std::string_view origin) {
  try {
    auto* object = MakeObject<ErrorObject>();
    object->Retain();
    auto result =
        ErrorRef::Adopt(reinterpret_cast<lathe_error*>(static_cast<lathe_object*>(object)));
    object->text[0] = name;
    object->text[1] = message;
    object->text[2] = notes;
    object->text[3] = origin;
    object->code = code;
    object->name = object->text[0].c_str();
    object->message = object->text[1].c_str();
    object->notes = object->text[2].c_str();
    object->origin = object->text[3].c_str();
    return result;
  } catch (const std::bad_alloc&) {
    return ErrorRef::Adopt(OutOfMemoryError());
  }
}

ErrorRef MakeErrorObject(const Diagnostic& diagnostic, int32_t code, std::string_view origin) {
  std::string notes;
  if (diagnostic.where.line > 0) {
    AppendNote(notes, "at",
               diagnostic.where.file + ":" + std::to_string(diagnostic.where.line) + ":" +
                   std::to_string(diagnostic.where.column));
  }
  AppendNote(notes, "expected", diagnostic.expected);
  AppendNote(notes, "found", diagnostic.found);
  for (const std::string& note : diagnostic.notes) AppendNote(notes, "", note);
  AppendNote(notes, "help", diagnostic.help);
  return MakeErrorObject(code, diagnostic.name, diagnostic.message, notes, origin);
}

ErrorRef MakeErrorObject(const absl::Status& status) {
  LATHE_CHECK(!status.ok());
  const std::string_view text = StatusText(status);
  const size_t line = text.find('\n');
  return MakeErrorObject(
      static_cast<int32_t>(status.code()), StatusName(status), text.substr(0, line),
      line == std::string_view::npos ? std::string_view() : text.substr(line + 1));
}

ErrorRef ErrorFromCurrentException() noexcept {
  try {
    try {
      throw;
    } catch (const CallError& error) {
      // The origin is a note of the diagnostic already, and must not appear twice.
      Diagnostic diagnostic = error.diagnostic();
      if (!error.origin().empty()) std::erase(diagnostic.notes, "reported by " + error.origin());
      return MakeErrorObject(diagnostic, static_cast<int32_t>(error.code()), error.origin());
    } catch (const Error& error) {
      return MakeErrorObject(error.diagnostic());
    } catch (const InternalError& error) {
      return MakeErrorObject(LATHE_INTERNAL, "internal-error", error.what());
    } catch (const std::bad_alloc&) {
      return ErrorRef::Adopt(OutOfMemoryError());
    } catch (const std::exception& error) {
      return MakeErrorObject(LATHE_UNKNOWN, "exception", error.what());
    } catch (...) {
      return MakeErrorObject(LATHE_UNKNOWN, "exception", "an exception of unknown type");
    }
  } catch (...) {  // there was no memory for the error
    return ErrorRef::Adopt(OutOfMemoryError());
  }
}

absl::Status StatusFromError(const lathe_error& error) {
  std::string text = error.message;
  if (error.notes[0] != '\0') text += std::string("\n") + error.notes;
  if (error.origin[0] != '\0') text += std::string("\nreported by ") + error.origin;
  if (error.name[0] == '\0') return absl::Status(CodeOf(error), text);
  return MakeStatus(CodeOf(error), error.name, text);
}

void ThrowError(const lathe_error& error) {
  throw CallError(DiagnosticOf(error), CodeOf(error), error.origin);
}

void ThrowStatus(const absl::Status& status) { ThrowError(*MakeErrorObject(status).get()); }

}  // namespace lathe::runtime
