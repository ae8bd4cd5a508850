// The C compiler: a program of this machine that makes objects of C. Thread-safe.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace lathe::c_backend {

// `named` as a path, or as a name on PATH; if it is empty, the first of cc, gcc and clang on PATH.
// "" if there is none.
std::string FindCompiler(const std::string& named);

// Throws `c-no-compiler`: what FindCompiler(named) did not find, and what can be done.
[[noreturn]] void ThrowNoCompiler(const std::string& named);

// The object that `compiler` makes of a module's text. The compiler ends with the caller's work
// (base/poll.h). Throws `c-compile-failed` with what it said.
std::string CompileObject(const std::string& compiler, const std::vector<std::string>& options,
                          const std::string& source);

}  // namespace lathe::c_backend
