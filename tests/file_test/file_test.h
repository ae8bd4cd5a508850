// Tests written as files: IR text in, transformations, IR text out.
//
// A file holds cases. A case begins with a line "== title: pass, pass(option=3)", which names the
// transformations in order. Then come the input, a line "--", and the expected output:
//
//   == a loop of one iteration: simplify
//   func f(A: float32[4]) {
//     for i in range(1) {
//       A[i] = 0.0
//     }
//   }
//   --
//   module
//
//   func f(A: float32[4]) {
//     A[0] = 0.0
//   }
//
// An expected output of the one line "unchanged" says that the transformations must return the very
// same node. A diagnostic is expected by its text ("error[...]: ..."). --autoupdate writes the
// actual outputs into the files: read the change before committing it (`bazel run
// //lower:simplify_test -- --autoupdate`).
//
// The input is a module ("module" or "func"), a module of graphs ("graph" or "type"), a program
// file ("program"), or otherwise a statement. Each may begin with `given` lines.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "ir/node.h"

namespace lathe::tests {

using FileTestOptions = std::map<std::string, std::string, std::less<>>;

struct Transformation {
  std::string name;
  std::function<ir::NodeRef(const ir::NodeRef&, const FileTestOptions&)> run;
};

// Runs the files named on the command line (after an optional --autoupdate). Returns 0 if all cases
// pass. A transformation `parse` is always there beside those of `table`. It does nothing: its
// cases test the text form itself.
int FileTestMain(int argc, char** argv, const std::vector<Transformation>& table);

}  // namespace lathe::tests
