// Which step of the compiler changed the answer.
//
// A program is computed from its definition (te/evaluator.h), then the loop nest of its schedule is
// interpreted, then what each pass made of it, on the same arguments; the first that gives another
// answer, or fails, is the culprit. Compiled code is compared by the caller (Compare), who can run
// it. Thread-safe; nothing is global.
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

// The arguments of one call, in calling order. Tensors are compact; their memory lies here.
struct BisectArguments {
  struct Argument {
    std::string name;
    ir::InterpValue scalar;  // where dtype is void
    DataType dtype = DataType::Void();
    std::vector<int64_t> shape;
    std::vector<char> bytes;
  };
  std::vector<Argument> arguments;
};

// Elements differ where they are further apart than `tolerance` times the largest magnitude in the
// tensor. Integers differ where they are not equal, floats also where one alone is NaN.
struct Tolerance {
  // Below 0: 128 times the format's precision, 16 times for formats of 16 bits and fewer: the
  // schedule may reorder sums where the program allows it.
  double relative = -1;
};

// How `found` differs from `expected` in any tensor, as "C[3, 4] is 11, expected 12; 5 of 170
// elements differ"; empty where it does not.
std::string Compare(const BisectArguments& expected, const BisectArguments& found,
                    Tolerance tolerance);

struct BisectStage {
  std::string name;  // "definition", "schedule", or a pass
  enum State {
    kComputed,   // the definition, or the schedule's nest where the definition cannot be computed
    kUnchanged,  // the pass changed nothing
    kSame,       // another module, the same answer
    kChanged,    // another answer
    kFailed,     // an error
  } state = kComputed;
};

struct BisectReport {
  std::vector<BisectStage> stages;  // in order, up to the first that changed the answer
  bool changed = false;             // the last of `stages` did
  std::string what;                 // how the answer differs, or the error
  // The smallest statement that the stage changed, before and after; empty for the schedule's nest,
  // whose `after` is the whole of it.
  std::string before, after;
  BisectArguments expected;  // after the call, by the first stage
};

struct BisectOptions {
  Tolerance tolerance;
  lower::PassContext context;  // its after_pass is replaced
  ir::InterpretOptions interpret;
};

// The pipelines to go through (lower/pipeline.h): `tile`, `target`, `flat`; where the schedule has
// loops over thread axes `tile`, `device` and, for its kernels, `kernel`.
struct BisectPipelines {
  std::span<const lower::Pass> tile, target, flat, device, kernel;
};
BisectPipelines AllPipelines();
// Has the schedule loops over thread axes?
bool HasThreads(const schedule::Loaded& program);

// `target` gives the passes behind `tile` their rules. Throws what computing the definition throws:
// then the program is at fault, not a pass.
BisectReport Bisect(const schedule::Loaded& program, const BisectArguments& arguments,
                    const BisectPipelines& pipelines, const target::Target& target,
                    const BisectOptions& options = {});

// The smallest pair of corresponding statements in which two modules differ: as long as both are
// of one kind and differ in one statement within, that one is looked into. As text.
struct Difference {
  std::string before, after;
};
Difference SmallestDifference(const ir::Module& before, const ir::Module& after);

}  // namespace lathe::driver
