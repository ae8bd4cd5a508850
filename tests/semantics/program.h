// Small programs as text, for tests of what the semantics list says (docs/correctness.md).
#pragma once

#include <string>
#include <vector>

#include "ir/module.h"
#include "schedule/bounds.h"
#include "schedule/trace.h"

namespace lathe::semantics {

// The loop nest of the program file, simplified, as text.
std::string Loops(const std::string& program);
// At the contract stage `tile`, and after all passes.
std::string Tile(const std::string& program);
std::string Flat(const std::string& program);

// The program computes what te's evaluator says: as loops, after each pass, and after its trace was
// written and read. `sizes`: one binding of its size variables per run.
void ExpectRuns(const std::string& program, const std::vector<std::vector<int64_t>>& sizes = {{}});

// The diagnostic that reading, scheduling or lowering the program ends with: "name: message
// expected found"; "none" where there is none.
std::string Refusal(const std::string& program);

// Where `part` begins in `text`; fails the test where it is not there.
size_t Position(const std::string& text, const std::string& part);
size_t Count(const std::string& text, const std::string& part);
inline bool Has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// The range that bound inference gives to data axis `axis` of a stage, and its memory scope.
struct Inferred {
  std::string min, extent, scope;
};
Inferred Infer(const std::string& program, const std::string& stage, size_t axis = 0);

}  // namespace lathe::semantics
