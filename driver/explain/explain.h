// Explains a schedule to people, stage by stage: where each stage is computed, which region and
// why, its buffers, how often its loops run, what they read and write at each level, and which
// guards remain.
//
//   Explanation e = Explain(schedule, args, "blur", {.sizes = {{"n", 1024}}});
//   std::puts(ToText(e, /*color=*/false).c_str());
//
// The counts are exact for the loop nest as scheduled; an iteration that a guard skips still
// counts, but for elements that a rolling buffer has kept. Traffic is a model: at each loop, one
// execution of the loop fetches what it touches once and keeps it until it ends. Symbolic extents
// stay symbols unless a size is given. Thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "runtime/json.h"
#include "schedule/schedule.h"

namespace lathe::driver {

// A count: a number if it is known, else an expression of the symbolic extents.
struct Amount {
  std::string text;  // "1024", "n * 4"
  bool known = false;
  double value = 0;
};

struct ExplainedLoop {
  std::string name;
  std::string kind;  // "serial", "parallel", ...; the thread axis if the loop is bound
  std::string from;  // "split of i by 32, outer"; empty for axes of the operation
  bool reduces = false;
  Amount extent;
};

// One dimension of a stage's result.
struct ExplainedAxis {
  std::string name;
  std::string domain;  // of the operation: "[0, n)"
  std::string region;  // computed in one execution of the stage
  bool whole = false;  // is the region the whole domain?
};

struct ExplainedRead {
  std::string reader;   // stage
  std::string element;  // "A[i + di, j]"
};

struct ExplainedBuffer {
  std::string name, dtype, scope;
  std::string shape;  // "[32, 64]"
  Amount bytes;
  bool argument = false;  // is it the caller's memory?
};

// What is touched of one tensor, at one level.
struct ExplainedTouch {
  std::string tensor;
  Amount bytes;
};

// What one execution of a loop (with all inner loops) touches, and the sum over all executions.
struct ExplainedLevel {
  std::string loop;  // "" for the innermost iteration
  Amount executions;
  std::vector<ExplainedTouch> touches;
  Amount working_set;    // bytes, of one execution
  Amount traffic;        // bytes, of all executions
  double intensity = 0;  // arithmetic operations per byte of traffic; 0 if unknown
};

struct ExplainedGuard {
  std::string condition;
  std::vector<std::string> loops;  // the loops whose variables the condition uses
  std::string reason;
  bool remains = false;  // is it still in some loop after lowering?
  std::string where;     // the loops it remains in: "i.outer, i.inner"
};

struct ExplainedStage {
  std::string name;
  std::string kind;                // "compute", "reduction", "scan", "extern", "input", "inlined"
  std::string place;               // "at C.i.outer", "at the root", "inlined into C, D"
  std::vector<std::string> reads;  // stages
  std::vector<std::string> fixed_loops;  // around it, outermost first: "C.i.outer"
  std::vector<ExplainedLoop> loops;
  std::vector<ExplainedAxis> axes;
  std::vector<ExplainedRead> needed_by;  // the reads that determine the region
  std::vector<ExplainedBuffer> buffers;
  std::string rolls;                   // of a rolling buffer: what it keeps; else empty
  Amount executions;                   // of the stage's nest
  Amount iterations;                   // of its innermost body, over all executions
  Amount points;                       // elements computed, over all executions
  double recompute = 0;                // points per element of the domain; 0 if unknown
  Amount operations;                   // arithmetic operations, over all iterations
  std::vector<ExplainedLevel> levels;  // outermost first
  std::vector<ExplainedGuard> guards;
  int bodies = 0;          // copies of the stage's stores after lowering
  int guarded_bodies = 0;  // how many of these are under a guard
};

struct Explanation {
  std::string name;
  std::map<std::string, int64_t> sizes;
  std::vector<ExplainedStage> stages;  // in the order of the program
  std::string loops;                   // the lowered loop nest, as text
};

struct ExplainOptions {
  std::map<std::string, int64_t> sizes;  // values of symbolic extents, by name
};

// `args` are those of LowerSchedule. Throws what lowering throws, and Error "explain-unknown-size"
// if a name in `sizes` is not a symbolic extent of the program.
Explanation Explain(const schedule::Schedule& schedule, const std::vector<ir::NodeRef>& args,
                    const std::string& name, const ExplainOptions& options = {});

// For a terminal, at most 100 columns if names are short enough.
std::string ToText(const Explanation& explanation, bool color);
// {"name", "sizes", "stages": [...], "loops"}, with the names of the fields above as keys.
runtime::Json ToJson(const Explanation& explanation);
// One self-contained page: no external scripts, no network.
std::string ToHtml(const Explanation& explanation);

}  // namespace lathe::driver
