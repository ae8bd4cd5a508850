// What a schedule makes of a program, stage by stage, for people: where each stage is computed,
// which region and why, its buffers, how often its loops run, what they read and write at every
// level, and which guards remain.
//
//   Explanation e = Explain(schedule, args, "blur", {.sizes = {{"n", 1024}}});
//   std::puts(ToText(e, /*color=*/false).c_str());
//
// Figures are exact counts of the loop nest as scheduled: what is guarded out still counts as an
// iteration. Traffic is a model: at each loop, what one execution of it touches is fetched once and
// kept while it lasts. Symbolic extents stay symbols unless a size is given. Thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "runtime/json.h"
#include "schedule/schedule.h"

namespace lathe::driver {

// A count: a number where it is known, an expression of the symbolic extents otherwise.
struct Amount {
  std::string text;  // "1024", "n * 4"
  bool known = false;
  double value = 0;
};

struct ExplainedLoop {
  std::string name;
  std::string kind;  // "serial", "parallel", ...; the thread axis where it is bound
  std::string from;  // "split of i by 32, outer"; empty for axes of the operation
  bool reduces = false;
  Amount extent;
};

// One dimension of what a stage computes.
struct ExplainedAxis {
  std::string name;
  std::string domain;  // of the operation: "[0, n)"
  std::string region;  // computed in one execution of the stage
  bool whole = false;  // the region is the domain
};

struct ExplainedRead {
  std::string reader;   // stage
  std::string element;  // "A[i + di, j]"
};

struct ExplainedBuffer {
  std::string name, dtype, scope;
  std::string shape;  // "[32, 64]"
  Amount bytes;
  bool argument = false;  // the caller's memory
};

// Per tensor that the stage touches, at one level.
struct ExplainedTouch {
  std::string tensor;
  Amount bytes;
};

// What one execution of a loop (and all within) touches, and what that adds up to.
struct ExplainedLevel {
  std::string loop;  // "" for the innermost iteration
  Amount executions;
  std::vector<ExplainedTouch> touches;
  Amount working_set;    // bytes, of one execution
  Amount traffic;        // bytes, of all executions
  double intensity = 0;  // arithmetic operations per byte of traffic; 0 where unknown
};

struct ExplainedGuard {
  std::string condition;
  std::vector<std::string> loops;  // that the condition speaks of
  std::string reason;
  bool remains = false;  // in some loop after lowering
  std::string where;     // the loops it remains in, "i.outer, i.inner"
};

struct ExplainedStage {
  std::string name;
  std::string kind;                // "compute", "reduction", "scan", "extern", "input", "inlined"
  std::string place;               // "at C.i.outer", "at the root", "inlined into C, D"
  std::vector<std::string> reads;  // stages
  std::vector<std::string> fixed_loops;  // around it, outermost first: "C.i.outer"
  std::vector<ExplainedLoop> loops;
  std::vector<ExplainedAxis> axes;
  std::vector<ExplainedRead> needed_by;  // why the region is what it is
  std::vector<ExplainedBuffer> buffers;
  Amount executions;                   // of the stage's nest
  Amount iterations;                   // of its innermost body, over all executions
  Amount points;                       // elements computed, over all executions
  double recompute = 0;                // points per element of the domain; 0 where unknown
  Amount operations;                   // arithmetic operations, over all iterations
  std::vector<ExplainedLevel> levels;  // outermost first
  std::vector<ExplainedGuard> guards;
  int bodies = 0;          // copies of the stage's stores after lowering
  int guarded_bodies = 0;  // of these, under a guard
};

struct Explanation {
  std::string name;
  std::map<std::string, int64_t> sizes;
  std::vector<ExplainedStage> stages;  // in the order of the program
  std::string loops;                   // the lowered nest, as text
};

struct ExplainOptions {
  std::map<std::string, int64_t> sizes;  // values of symbolic extents, by name
};

// `args` as for LowerSchedule. Throws what lowering throws, and Error "explain-unknown-size" where
// `sizes` names no symbolic extent of the program.
Explanation Explain(const schedule::Schedule& schedule, const std::vector<ir::NodeRef>& args,
                    const std::string& name, const ExplainOptions& options = {});

// For a terminal, at most 100 columns where names allow.
std::string ToText(const Explanation& explanation, bool color);
// {"name", "sizes", "stages": [...], "loops"}; keys as the fields above.
runtime::Json ToJson(const Explanation& explanation);
// One page that needs nothing else: no script from elsewhere, no network.
std::string ToHtml(const Explanation& explanation);

}  // namespace lathe::driver
