// Takes any text as a program: parses, verifies, schedules, lowers and interprets it. One input in
// sixteen is also compiled for this machine and run. Each input ends in an Error or in the values
// that te's evaluator gives.
//
// Sizes are bounded so that an input takes milliseconds. LLVM takes tens of them, so most inputs
// are interpreted after the last pass instead. Values are compared only if rounding, overflow and
// the user's claims cannot make them differ (IsExact). The mutator starts from the random programs
// of tests/prove, which are exact by construction. Programs on threads are lowered to loops only;
// tests/prove runs those.
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "arith/analyzer.h"
#include "base/digest.h"
#include "base/error.h"
#include "driver/default_plugins.h"
#include "ir/rewrite.h"
#include "ir/text/parser.h"
#include "ir/text/printer.h"
#include "ir/verifier.h"
#include "ir/walk.h"
#include "schedule/loop_nest.h"
#include "schedule/trace.h"
#include "tests/prove/check.h"
#include "tests/prove/random.h"
#include "tests/prove/random_program.h"
#include "tests/prove/random_schedule.h"

// libFuzzer's own mutations. Null when a corpus is replayed.
extern "C" __attribute__((weak)) size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max);

namespace {

using namespace lathe;  // NOLINT(google-build-using-namespace)

constexpr size_t kMaxText = 4096, kMaxOps = 16;
constexpr int64_t kSize = 5;          // the value of all symbolic extents
constexpr int64_t kMaxPoints = 1024;  // of one operation
constexpr double kMaxWork = 2e4;      // stores of the loop nest

// The product of the extents, with symbolic ones as kSize; more than kMaxPoints if it is not known.
int64_t Points(const std::vector<ir::Expr>& extents, const std::vector<ir::Var>& vars) {
  ir::VarMap sizes;
  for (const ir::Var& var : vars) sizes[var] = ir::Const(kSize, var->dtype);
  int64_t points = 1;
  for (const ir::Expr& extent : extents) {
    const ir::Expr simple = arith::Analyzer().Simplify(ir::Substitute(extent, sizes));
    const int64_t* value = ir::AsConstInt(simple);
    if (value == nullptr || *value > kMaxPoints) return kMaxPoints + 1;
    points *= *value;
    if (points > kMaxPoints) break;
  }
  return points;
}

bool IsSmall(const ir::ProgramNode& program) {
  if (program.ops.size() > kMaxOps) return false;
  for (const ir::Op& op : program.ops) {
    // The caller has to bring packed and C functions, so they cannot run here.
    if (ir::As<ir::ExternOp>(op) != nullptr) return false;
    std::vector<ir::Expr> extents;
    const auto add = [&](const std::vector<ir::IterVar>& axes) {
      for (const ir::IterVar& axis : axes) {
        if (axis->domain) extents.push_back(axis->domain->extent);
      }
    };
    if (const auto* compute = ir::As<ir::ComputeOp>(op)) {
      add(compute->axis);
      add(compute->reduce_axis);
    } else if (const auto* tensor = ir::As<ir::TensorComputeOp>(op)) {
      add(tensor->axis);
      add(tensor->reduce_axis);
    } else if (const auto* scan = ir::As<ir::ScanOp>(op)) {
      add({scan->scan_axis});
    }
    if (Points(extents, program.vars) > kMaxPoints) return false;
    for (int64_t k = 0; k < ir::NumOutputs(*op); ++k) {
      if (Points(ir::OutputShape(*op, k), program.vars) > kMaxPoints) return false;
    }
  }
  return true;
}

// Whether every order of evaluation gives the same bits: integers that do not overflow, and floats
// that hold integers.
bool IsExactNode(const ir::Node& node) {
  constexpr int64_t kMost = 64;
  if (!ir::IsExpr(&node)) return true;
  const DataType type = static_cast<const ir::ExprNode&>(node).dtype;
  if (type.is_float() ? type.bits() < 32 || ir::As<ir::Div>(&node) != nullptr ||
                            ir::As<ir::Call>(&node) != nullptr
                      : type.is_int() && type.bits() < 32)
    return false;
  if (const auto* number = ir::As<ir::IntImm>(&node))
    return number->value >= -kMost && number->value <= kMost;
  if (const auto* number = ir::As<ir::FloatImm>(&node))
    return number->value >= -kMost && number->value <= kMost &&
           number->value == static_cast<double>(static_cast<int64_t>(number->value));
  return true;
}

bool IsExact(const ir::ProgramNode& program) {
  bool exact = true;
  for (const ir::Op& op : program.ops) {
    exact = exact && ir::As<ir::TensorComputeOp>(op) == nullptr;
    ir::PostOrder(op, [&](const ir::Node& node) { exact = exact && IsExactNode(node); });
  }
  // These are claims of the user, which are trusted (S51).
  for (const Ref<const ir::StepNode>& step : program.trace)
    exact = exact && step->primitive != "set_store_predicate" && step->primitive != "tensorize" &&
            step->primitive != "pragma" && step->primitive != "annotate";
  return exact;
}

bool HasThreads(const ir::ProgramNode& program) {
  for (const Ref<const ir::StepNode>& step : program.trace) {
    if (step->primitive == "bind" || step->primitive == "env_threads") return true;
  }
  return false;
}

bool IsBug(const prove::CheckResult& result, bool exact) {
  if (result.kind != prove::CheckResult::kFailed) return false;
  const std::string& where = result.where;
  if (where.ends_with(":exception")) return true;  // an exception of Lathe: an InternalError
  if (where.starts_with("trace")) return true;
  if (!exact || where.starts_with("evaluate") || where.ends_with("-limit")) return false;
  return where == "loops" || where == "lowered" || where == "compile" || where == "run" ||
         where.starts_with("loops:interpret-") || where.starts_with("lowered:interpret-");
}

void Check(std::string_view text) {
  const ir::Program program = ir::ParseProgram(text);
  ir::VerifyProgram(*program);
  if (!IsSmall(*program)) return;
  const bool exact = IsExact(*program);
  const schedule::Loaded loaded = schedule::FromProgram(program);
  if (HasThreads(*program)) {
    schedule::LowerSchedule(loaded.schedule, loaded.args, "f");
    return;
  }
  prove::CheckOptions options;
  const uint64_t hash = DigestOf(std::string(text)).low;
  options.most_work = kMaxWork;
  options.lowered = true;
  options.compile = hash % 16 == 0;
  options.input_seed = hash >> 32;
  options.sizes.emplace_back(program->vars.size(), kSize);
  const prove::CheckResult result =
      prove::CheckSchedule(loaded.schedule, loaded.args, program->vars, options);
  if (!IsBug(result, exact)) return;
  std::fprintf(stderr, "FAILED at %s\n%s\n%s\n", result.where.c_str(), result.detail.c_str(),
               std::string(text).c_str());
  std::abort();
}

std::string FreshProgram(uint64_t seed) {
  const prove::TestProgram program = prove::RandomProgram(seed);
  schedule::Schedule schedule = schedule::CreateSchedule(program.outputs);
  prove::ScheduleCounts counts;
  prove::ApplyRandomSteps(schedule, seed + 1, static_cast<int>(seed % 8), &counts);
  return ir::ToText(schedule::ToProgram(schedule, program.args, "f"));
}

// Repeats, drops or swaps a line, or copies it elsewhere. Steps and operations are lines.
std::string ChangeLines(std::string_view text, prove::Random& random) {
  std::vector<std::string> lines = {""};
  for (char c : text) {
    lines.back() += c;
    if (c == '\n') lines.emplace_back();
  }
  const size_t a = random.Below(lines.size()), b = random.Below(lines.size());
  switch (random.Below(3)) {
    case 0:
      lines.erase(lines.begin() + static_cast<std::ptrdiff_t>(a));
      break;
    case 1:
      std::swap(lines[a], lines[b]);
      break;
    default: {
      const std::string copy = lines[a];
      lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(b), copy);
    }
  }
  std::string out;
  for (const std::string& line : lines) out += line;
  return out;
}

// Replaces one number or word by another number or another word of the text.
std::string ChangeWord(std::string_view text, prove::Random& random) {
  struct Word {
    size_t at, size;
  };
  std::vector<Word> words;
  const auto in_word = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.';
  };
  for (size_t at = 0; at < text.size();) {
    size_t end = at;
    while (end < text.size() && in_word(text[end])) ++end;
    if (end > at) words.push_back({at, end - at});
    at = end + 1;
  }
  if (words.empty()) return std::string(text);
  const Word from = random.Pick(words), to = random.Pick(words);
  const bool number = text[to.at] >= '0' && text[to.at] <= '9';
  const std::string with = number ? std::to_string(random.Below(random.Chance(80) ? 9 : 70))
                                  : std::string(text.substr(from.at, from.size));
  return std::string(text.substr(0, to.at)) + with + std::string(text.substr(to.at + to.size));
}

}  // namespace

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max, unsigned seed) {
  prove::Random random(seed);
  std::string text(reinterpret_cast<const char*>(data), size);
  const size_t choice = random.Below(20);
  if (choice == 0) return LLVMFuzzerMutate(data, size, max);
  if (choice < 4) {
    try {
      text = FreshProgram(random.Next());
    } catch (const Error&) {
      return LLVMFuzzerMutate(data, size, max);
    }
  } else {
    for (size_t i = random.Below(3) + 1; i > 0; --i)
      text = random.Chance(40) ? ChangeLines(text, random) : ChangeWord(text, random);
  }
  size = text.size() < max ? text.size() : max;
  std::memcpy(data, text.data(), size);
  return size;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  [[maybe_unused]] static const bool ready = (driver::UseDefaultPlugins(), true);
  if (size > kMaxText) return 0;
  try {
    Check({reinterpret_cast<const char*>(data), size});
  } catch (const Error&) {
    // An invalid program, an impossible schedule, and so on.
  }
  return 0;
}
