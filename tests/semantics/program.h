// Small programs as text, for tests of the semantics list (docs/correctness.md).
#pragma once

#include <string>
#include <vector>

#include "ir/module.h"
#include "schedule/bounds.h"
#include "schedule/trace.h"

namespace lathe::semantics {

// Returns the loop nest of the program file, simplified, as text.
std::string Loops(const std::string& program);
// The same at the contract stage `tile`, and after all passes.
std::string Tile(const std::string& program);
std::string Flat(const std::string& program);

// Expects that the program computes the results of te's evaluator: as loops, after each pass, and
// after its trace was written and read. `sizes`: one binding of its size variables for each run.
void ExpectRuns(const std::string& program, const std::vector<std::vector<int64_t>>& sizes = {{}});

// Returns the diagnostic with which reading, scheduling or lowering the program ends: "name:
// message expected found"; "none" if there is none.
std::string Refusal(const std::string& program);

// Returns where `part` begins in `text`. The test fails if it is not there.
size_t Position(const std::string& text, const std::string& part);
size_t Count(const std::string& text, const std::string& part);
inline bool Has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// The range that bound inference computes for data axis `axis` of a stage, and its memory scope.
struct Inferred {
  std::string min, extent, scope;
};
Inferred Infer(const std::string& program, const std::string& stage, size_t axis = 0);

}  // namespace lathe::semantics
