#include "tests/prove/prove.h"

#include <algorithm>
#include <iomanip>
#include <set>

#include "base/error.h"
#include "ir/text/parser.h"
#include "ir/text/printer.h"
#include "schedule/trace.h"
#include "tests/prove/check.h"
#include "tests/prove/drop.h"
#include "tests/prove/kernels.h"
#include "tests/prove/random.h"
#include "tests/prove/random_program.h"

namespace lathe::prove {
namespace {

using Trace = ir::List<ir::StepNode>;

std::vector<ir::Var> SizeVars(const TestProgram& program) {
  std::vector<ir::Var> vars;
  for (const auto& [var, most] : program.sizes) vars.push_back(var);
  return vars;
}

// The greatest sizes. If there are symbolic ones, smaller ones too: 0, 1, and something between.
std::vector<std::vector<int64_t>> SizeSets(const TestProgram& program, uint64_t seed) {
  std::vector<std::vector<int64_t>> sets(1);
  for (const auto& [var, most] : program.sizes) sets[0].push_back(most);
  if (program.sizes.empty()) return sets;
  Random random(seed);
  std::vector<int64_t> one(program.sizes.size(), 1), between, zero = sets[0];
  for (int64_t& size : one) size = std::min(size, sets[0][static_cast<size_t>(&size - one.data())]);
  for (int64_t most : sets[0])
    between.push_back(static_cast<int64_t>(random.Below(static_cast<size_t>(most) + 1)));
  zero[random.Below(zero.size())] = 0;
  sets.push_back(one);
  sets.push_back(zero);
  sets.push_back(between);
  return sets;
}

// A program with a trace that is checked. It is remade from its parts for every attempt.
struct Candidate {
  uint64_t seed = 0;
  std::vector<Extent> extents;
  Trace trace;
  std::set<std::string> without;  // operations replaced by inputs

  TestProgram Program() const { return Without(RandomProgram(seed, extents), without); }
};

CheckResult Attempt(const Candidate& candidate, const CheckOptions& how,
                    TestProgram* made = nullptr) {
  CheckResult result;
  try {
    TestProgram program = candidate.Program();
    schedule::Schedule schedule = schedule::CreateSchedule(program.outputs);
    schedule::Replay(schedule, candidate.trace);
    CheckOptions options = how;
    options.sizes = SizeSets(program, candidate.seed);
    options.arithmetic = program.arithmetic;
    options.real_inputs = program.real_inputs;
    result = CheckSchedule(schedule, program.args, SizeVars(program), options);
    if (made != nullptr) *made = std::move(program);
  } catch (const Error& e) {
    result = {CheckResult::kRefused, e.name(), e.what(), 0, false, {}};
  } catch (const std::exception& e) {
    result = {CheckResult::kFailed, "schedule", e.what(), 0, false, {}};
  }
  return result;
}

// Tries fewer steps, then fewer operations, then smaller extents, as long as it fails in the same
// way.
Candidate Shrink(Candidate best, const CheckOptions& how, const std::string& where) {
  int attempts = 400;
  auto still_fails = [&](const Candidate& candidate) {
    if (--attempts < 0) return false;
    const CheckResult result = Attempt(candidate, how);
    return result.kind == CheckResult::kFailed && result.where == where;
  };
  bool smaller = true;
  while (smaller && attempts > 0) {
    smaller = false;
    for (size_t i = best.trace.size(); i > 0; --i) {
      Candidate candidate = best;
      candidate.trace.erase(candidate.trace.begin() + static_cast<std::ptrdiff_t>(i - 1));
      if (!still_fails(candidate)) continue;
      best = std::move(candidate);
      smaller = true;
    }
    for (const std::string& operation : OperationsOf(best.Program())) {
      Candidate candidate = best;
      candidate.without.insert(operation);
      if (!still_fails(candidate)) continue;
      best = std::move(candidate);
      smaller = true;
    }
    for (size_t i = 0; i < best.extents.size(); ++i) {
      const int64_t now = best.extents[i].value;
      for (int64_t value : {int64_t{0}, int64_t{1}, int64_t{2}, now / 2, now - 1}) {
        if (value < 0 || value >= now) continue;
        Candidate candidate = best;
        candidate.extents[i].value = value;
        if (!still_fails(candidate)) continue;
        best = std::move(candidate);
        smaller = true;
        break;
      }
    }
  }
  return best;
}

std::string ProgramText(const Candidate& candidate) {
  const TestProgram program = candidate.Program();
  schedule::Schedule schedule = schedule::CreateSchedule(program.outputs);
  try {
    schedule::Replay(schedule, candidate.trace);
  } catch (const std::exception&) {
    // Prints the steps that could be applied. The failure's text holds the step that failed.
  }
  return ir::ToText(schedule::ToProgram(schedule, program.args, "f"));
}

void ReportFailure(const Candidate& found, const CheckOptions& how, const CheckResult& first,
                   std::ostream& out) {
  const Candidate small = Shrink(found, how, first.where);
  TestProgram program;
  const CheckResult result = Attempt(small, how, &program);
  out << "FAILED at " << first.where << ", program seed " << found.seed << "\n"
      << (result.kind == CheckResult::kFailed ? result.detail
                                              : first.detail + "\n(the trace alone does not fail)")
      << "\nsizes:";
  for (const auto& [var, most] : program.sizes) out << " " << var->name << "<=" << most;
  out << "\nprogram (shrunk from " << found.trace.size() << " steps to " << small.trace.size()
      << ", " << small.without.size() << " operations left out):\n"
      << ProgramText(small) << std::endl;
}

}  // namespace

bool ProveOne(uint64_t seed, const ProveOptions& options, Report& report, std::ostream& out) {
  Random random(seed);
  const uint64_t program_seed = random.Next(), schedule_seed = random.Next();
  const int steps = static_cast<int>(random.Below(14));
  CheckOptions how;
  how.input_seed = random.Next();
  how.passes = random.Chance(options.passes_percent);
  how.compile = random.Chance(options.compile_percent);
  how.lowered = random.Chance(options.lowered_percent);
  how.kernels = random.Chance(options.kernels_percent);
  how.checked = random.Chance(options.checked_percent);
  how.illegal = options.illegal;
  how.misuses = options.misuses;

  ++report.programs;
  Candidate candidate;
  candidate.seed = program_seed;
  CheckResult result;
  std::vector<std::string> features;
  try {
    const TestProgram program = RandomProgram(program_seed);
    candidate.extents = program.extents;
    features = program.features;
    schedule::Schedule schedule = schedule::CreateSchedule(program.outputs);
    // Results of kernels are compared bitwise, and the interpreter is slow with threads.
    how.kernels = how.kernels && !program.real_inputs && !program.big;
    if (how.kernels) {
      // Tries until one can be a kernel.
      for (uint64_t attempt = 0; attempt < 8; ++attempt) {
        schedule = schedule::CreateSchedule(program.outputs);
        ApplyKernelSteps(schedule, schedule_seed + attempt, &report.steps, true);
        if (IsKernel(schedule, program.args)) break;
      }
    } else {
      ApplyRandomSteps(schedule, schedule_seed, steps, &report.steps);
    }
    candidate.trace = schedule->trace;
    if (options.show) out << ProgramText(candidate) << std::endl;
    how.sizes = SizeSets(program, program_seed);
    how.arithmetic = program.arithmetic;
    how.real_inputs = program.real_inputs;
    result = CheckSchedule(schedule, program.args, SizeVars(program), how);
  } catch (const std::exception& e) {
    ++report.failures;
    out << "FAILED while making program seed " << seed << ": " << e.what() << "\n";
    return false;
  }
  // If lowering refuses the schedule (for example because an attachment is impossible), drops its
  // last steps until lowering accepts it.
  if (result.kind == CheckResult::kRefused) ++report.refused;
  while (result.kind == CheckResult::kRefused && !candidate.trace.empty()) {
    ++report.refusals[result.where];
    candidate.trace.pop_back();
    result = Attempt(candidate, how);
  }
  // Without threads, it is no program for a device.
  if (how.kernels && result.kind == CheckResult::kRefused) {
    ++report.unsuited;
    return true;
  }
  if (result.kind == CheckResult::kRefused)
    result = {CheckResult::kFailed, "refused:" + result.where, result.detail, 0, false, {}};
  report.kernels += how.kernels ? 1 : 0;
  report.compiled += how.compile && !how.kernels ? 1 : 0;
  report.through_passes += how.passes && !how.kernels ? 1 : 0;
  report.with_guards += result.guards > 0 ? 1 : 0;
  report.uneven += result.uneven_split ? 1 : 0;
  for (const auto& [what, count] : result.illegal) report.illegal[what] += count;
  std::set<std::string> has(features.begin(), features.end());
  for (const auto& step : candidate.trace) has.insert(step->primitive);
  has.insert(result.features.begin(), result.features.end());
  for (const std::string& one : has) ++report.programs_with[one];
  if (result.kind == CheckResult::kOk) return true;
  ++report.failures;
  if (!options.shrink) {
    out << "FAILED at " << result.where << ", program seed " << program_seed << "\n";
    return false;
  }
  out << "prove: run seed " << options.seed << ", program " << options.skip + report.programs - 1
      << "\n";
  ReportFailure(candidate, how, result, out);
  return false;
}

void Prove(const ProveOptions& options, Report& report, std::ostream& out) {
  Random random(options.seed);
  for (int64_t i = 0; i < options.skip; ++i) random.Next();
  for (int64_t i = 0; i < options.programs && report.failures < options.most_failures; ++i) {
    if (options.go_on && !options.go_on(report.programs)) return;
    ProveOne(random.Next(), options, report, out);
  }
}

std::vector<std::string> BelowFloor(const Report& report) {
  static constexpr const char* kPrimitives[] = {"bind",
                                                "cache_read",
                                                "cache_write",
                                                "compute_at",
                                                "compute_inline",
                                                "compute_root",
                                                "create_group",
                                                "double_buffer",
                                                "env_threads",
                                                "fuse",
                                                "parallel",
                                                "pipeline",
                                                "pragma",
                                                "prefetch",
                                                "reorder",
                                                "rfactor",
                                                "rolling_buffer",
                                                "set_scope",
                                                "split",
                                                "set_store_predicate",
                                                "storage_align",
                                                "tensorize",
                                                "unroll",
                                                "transform_layout",
                                                "vectorize",
                                                "vthread",
                                                "shared memory",
                                                "local memory",
                                                "within a scan",
                                                "cross-thread reduction",
                                                "warp memory",
                                                "symbolic",
                                                "scan"};
  std::vector<std::string> low;
  for (const char* name : kPrimitives) {
    const auto it = report.programs_with.find(name);
    if (it == report.programs_with.end() || 100 * it->second < kFloor * report.programs)
      low.emplace_back(name);
  }
  if (100 * report.with_guards < 30 * report.programs) low.emplace_back("guards (30 %)");
  return low;
}

void Print(const Report& report, std::ostream& out) {
  auto share = [&](int64_t count) {
    return report.programs == 0 ? 0 : 100 * count / report.programs;
  };
  out << report.programs << " programs: " << report.through_passes
      << " interpreted after each pass, " << report.compiled << " compiled, " << report.kernels
      << " on threads (" << report.unsuited << " more could not be), " << report.with_guards << " ("
      << share(report.with_guards) << " %) with guards, " << report.uneven << " ("
      << share(report.uneven) << " %) with splits that do not divide, " << report.refused
      << " whose schedule lowering refused, " << report.failures << " failures\n";
  auto table = [&](const char* title, const std::map<std::string, int64_t>& counts, bool percent) {
    out << title << ":\n";
    for (const auto& [name, count] : counts) {
      out << "  " << std::left << std::setw(34) << name << std::right << std::setw(7) << count;
      if (percent) out << std::setw(5) << share(count) << " %";
      out << "\n";
    }
  };
  table("programs with", report.programs_with, true);
  for (const std::string& low : BelowFloor(report))
    out << "below " << kFloor << " % of the programs: " << low << "\n";
  table("steps applied", report.steps.applied, false);
  table("steps refused", report.steps.refused, false);
  table("schedules refused when lowering", report.refusals, false);
  int64_t illegal = 0;
  for (const auto& [what, count] : report.illegal) illegal += count;
  const std::string title = std::to_string(illegal) + " illegal requests, each refused";
  table(title.c_str(), report.illegal, false);
}

bool Replay(const std::string& text, bool compile, bool kernels, std::ostream& out) {
  const ir::Program program = ir::ParseProgram(text);
  const schedule::Loaded loaded = schedule::FromProgram(program);
  CheckOptions options;
  options.passes = options.lowered = !kernels;
  options.compile = compile;
  options.kernels = kernels;
  for (int64_t size : {0, 1, 7, 16}) options.sizes.emplace_back(program->vars.size(), size);
  const CheckResult result = CheckSchedule(loaded.schedule, loaded.args, program->vars, options);
  if (result.kind == CheckResult::kOk) {
    out << "computes what it should\n";
    return true;
  }
  out << (result.kind == CheckResult::kRefused ? "refused: " : "FAILED at ") << result.where << "\n"
      << result.detail << "\n";
  return false;
}

}  // namespace lathe::prove
