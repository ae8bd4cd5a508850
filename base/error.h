// Errors: `Diagnostic`, the exception `Error` that carries one, and `LATHE_CHECK` for our own bugs.
//
// docs/errors.md says which kind to use when. In short: the user must correct their program ->
// throw Error; the caller would branch on the failure (file, device, plugin, network) ->
// absl::Status; it is our bug -> LATHE_CHECK.
#pragma once

#include <exception>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace lathe {

// A place in a text that the user wrote. Lines and columns count from 1; line 0 means "unknown".
struct SourceLocation {
  std::string file;
  int line = 0;
  int column = 0;
  std::string text;  // the whole line, for the caret; may be empty
};

// One problem that the user sees. `name` is stable, lower-case with hyphens ("split-not-a-leaf"),
// listed in docs/errors.md, and has a test that provokes it. `expected`, `found` and `help` are
// sentences without a final full stop. Leave one of them empty only if it would repeat the message.
struct Diagnostic {
  std::string name = {};
  std::string message = {};
  std::string expected = {};
  std::string found = {};
  std::string help = {};
  std::vector<std::string> notes =
      {};  // the IR or the axes concerned; a note may have several lines
  SourceLocation where = {};

  // "error[name]: message", the location with a caret, then expected, found, notes, help; each of
  // these starts a new line.
  std::string ToString() const;
};

// An error in the user's program. what() is the rendered diagnostic.
class Error : public std::exception {
 public:
  explicit Error(Diagnostic diagnostic);
  const Diagnostic& diagnostic() const { return diagnostic_; }
  const std::string& name() const { return diagnostic_.name; }
  const char* what() const noexcept override { return text_.c_str(); }

 private:
  Diagnostic diagnostic_;
  std::string text_;
};

// A broken invariant of Lathe itself. It is thrown, and does not abort, so that the host process
// survives and can report it.
class InternalError : public std::exception {
 public:
  explicit InternalError(std::string text) : text_(std::move(text)) {}
  const char* what() const noexcept override { return text_.c_str(); }

 private:
  std::string text_;
};

namespace internal {

// Collects the streamed message and throws InternalError at the end of the statement.
class CheckFailure {
 public:
  CheckFailure(const char* file, int line, const char* condition);
  [[noreturn]] ~CheckFailure() noexcept(false);
  template <class T>
  CheckFailure& operator<<(const T& part) {
    stream_ << part;
    return *this;
  }

 private:
  std::ostringstream stream_;
};

}  // namespace internal

// The names nearest to `wanted` by edit distance, for "did you mean": best first, at most `most`.
// Names further away than half the length of `wanted` (or 2, if that is more) are left out.
std::vector<std::string> NearestNames(std::string_view wanted,
                                      const std::vector<std::string>& known, size_t most = 3);

// "`a`, `b` or `c`"; "nothing" when empty.
std::string QuotedList(const std::vector<std::string>& names);

// What was expected in the place of the unknown name `wanted`: "perhaps `a`" of the names nearest
// to it, "one of `a`, `b` or `c`" of all if none is near.
std::string NearOrAll(std::string_view wanted, const std::vector<std::string>& known);

}  // namespace lathe

// LATHE_CHECK(x > 0) << "why it matters". For conditions that only a bug of ours can break.
#define LATHE_CHECK(condition) \
  if (condition) {             \
  } else                       \
    ::lathe::internal::CheckFailure(__FILE__, __LINE__, #condition)
