// Compiles in a process of its own: a code generator that ends it (LLVM where memory runs out, a
// crash, the kernel where the machine has no memory left) does not end this one.
// docs/design/isolate.md has the reasons.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "plugins/host/codegen.h"
#include "target/target.h"

namespace lathe::plugins {

// The program of the child, in one of the folders that the plugin loader searches.
inline constexpr const char* kCompileChild = "lathe-compile-child";

// Makes the request in a child, with the plugin of this process. Fails as the plugin does, with the
// same status; with `out-of-memory` (kResourceExhausted) where the child was killed or said that
// memory ran out; with `compile-child-ended` (kInternal) where it ended otherwise before it
// answered; with `compile-child-missing`, `compile-child-failed` and `compile-isolate-unsupported`
// where there is no child to be had. Throws what ends the caller's work (base/poll.h); the child is
// ended then. Thread-safe.
absl::StatusOr<CompileOutput> CompileInChild(const target::Target& target,
                                             const std::string& target_text, int ir_version,
                                             const CompileInput& input);

// The child's part: reads the request from a file, makes it, and puts the answer in its place.
// False, with the reason on standard error, where the file holds no request of this release or
// cannot be written.
bool AnswerRequest(int file);

}  // namespace lathe::plugins
