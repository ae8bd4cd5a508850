// Finds the step of the compiler that changed a program's results.
//
// All steps compute with the same arguments. First the program's definition is computed
// (te/evaluator.h). Then the loop nest of its schedule is interpreted, and then the result of each
// pass. The culprit is the first step that gives other results or fails. The caller compares
// compiled code, because only the caller can run it (Compare). Thread-safe; there is no global
// state.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ir/interpreter/interpreter.h"
#include "lower/pass.h"
#include "schedule/trace.h"
#include "target/target.h"

namespace lathe::driver {

// The arguments of one call, in calling order. Tensors are compact; this structure holds their
// memory.
struct BisectArguments {
  struct Argument {
    std::string name;
    ir::InterpValue scalar;  // used if dtype is void
    DataType dtype = DataType::Void();
    std::vector<int64_t> shape;
    std::vector<char> bytes;
  };
  std::vector<Argument> arguments;
};

// Two elements differ if their distance is more than `relative` times the largest finite magnitude
// in the expected tensor. Integers differ if they are not equal. Floats also differ if exactly one
// of them is NaN.
struct Tolerance {
  // If below 0: 128 times the format's precision, or 16 times for formats of 16 bits and fewer.
  // Sums need some tolerance because the schedule may reorder them where the program allows it.
  double relative = -1;
};

// Describes how `found` differs from `expected` in the first tensor that differs: "C[3, 4] is 11,
// expected 12; 5 of 170 elements differ". Empty if no tensor differs.
std::string Compare(const BisectArguments& expected, const BisectArguments& found,
                    Tolerance tolerance);

// The arguments after the call, computed from the program's definition. Throws what te::Evaluate
// throws.
BisectArguments ComputeDefinition(const schedule::Loaded& program, BisectArguments arguments,
                                  const ir::InterpretOptions& options = {});

struct BisectStage {
  std::string name;  // "definition", "schedule", or a pass
  enum State {
    kComputed,   // the definition, or the schedule's nest if the definition cannot be computed
    kUnchanged,  // the pass changed nothing
    kSame,       // another module, the same results
    kChanged,    // other results
    kFailed,     // an error
  } state = kComputed;
};

struct BisectReport {
  std::vector<BisectStage> stages;  // in order, up to the first that changed the results
  bool changed = false;             // did the last of `stages` change them?
  std::string what;                 // how the results differ, or the error
  // The smallest statement that the stage changed, before and after the stage. For the schedule's
  // nest `before` is empty and `after` is the whole nest. If a pass throws, `before` is the whole
  // module and `after` is empty.
  std::string before, after;
  BisectArguments expected;  // after the call, computed by the first stage
};

struct BisectOptions {
  Tolerance tolerance;
  lower::PassContext context;  // its after_pass is ignored
  ir::InterpretOptions interpret;
};

// The pipelines to search (lower/pipeline.h): `tile`, `target` and `flat`. If the schedule has
// loops over thread axes: `tile`, `device` and, for its kernels, `kernel`.
struct BisectPipelines {
  std::span<const lower::Pass> tile, target, flat, device, kernel;
};
BisectPipelines AllPipelines();
// Does the schedule have loops over thread axes?
bool HasThreads(const schedule::Loaded& program);

// The passes after `tile` follow the rules of `target`. Throws what computing the definition
// throws: then the program is wrong, not a pass.
BisectReport Bisect(const schedule::Loaded& program, const BisectArguments& arguments,
                    const BisectPipelines& pipelines, const target::Target& target,
                    const BisectOptions& options = {});

// The smallest pair of corresponding statements in which two modules differ, as text. The search
// goes into a pair as long as both statements are of the same kind and differ in exactly one inner
// statement.
struct Difference {
  std::string before, after;
};
Difference SmallestDifference(const ir::Module& before, const ir::Module& after);

}  // namespace lathe::driver
