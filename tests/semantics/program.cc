#include "tests/semantics/program.h"

#include "arith/simplify_stmt.h"
#include "base/error.h"
#include "gtest/gtest.h"
#include "ir/text/parser.h"
#include "ir/text/printer.h"
#include "lower/pipeline.h"
#include "schedule/loop_nest.h"
#include "schedule/normalize.h"
#include "tests/prove/check.h"

namespace lathe::semantics {
namespace {

schedule::Loaded Load(const std::string& program) {
  return schedule::FromProgram(ir::ParseProgram(program));
}

ir::Func LoopNest(const std::string& program) {
  const schedule::Loaded loaded = Load(program);
  return schedule::LowerSchedule(loaded.schedule, loaded.args, "f");
}

std::string Text(const ir::NodeRef& node) {
  ir::PrintOptions options;
  options.short_form = true;
  return ir::ToText(node, options);
}

}  // namespace

std::string Loops(const std::string& program) { return Text(arith::Simplify(LoopNest(program))); }

std::string Tile(const std::string& program) {
  return Text(lower::RunPasses(ir::MakeModule({LoopNest(program)}), lower::TilePasses(), {}));
}

std::string Flat(const std::string& program) {
  return Text(lower::RunPasses(ir::MakeModule({LoopNest(program)}), lower::AllPasses(), {}));
}

void ExpectRuns(const std::string& text, const std::vector<std::vector<int64_t>>& sizes) {
  const ir::Program program = ir::ParseProgram(text);
  const schedule::Loaded loaded = schedule::FromProgram(program);
  for (const std::vector<int64_t>& one : sizes) {
    prove::CheckOptions options;
    options.passes = options.lowered = true;
    options.sizes = {one};
    const prove::CheckResult result =
        prove::CheckSchedule(loaded.schedule, loaded.args, program->vars, options);
    EXPECT_EQ(result.kind, prove::CheckResult::kOk) << result.where << "\n" << result.detail;
  }
}

std::string Refusal(const std::string& program) {
  try {
    Flat(program);
  } catch (const Error& error) {
    const Diagnostic& d = error.diagnostic();
    return d.name + ": " + d.message + "\n" + d.expected + "\n" + d.found;
  }
  return "none";
}

size_t Position(const std::string& text, const std::string& part) {
  const size_t at = text.find(part);
  EXPECT_NE(at, std::string::npos) << "`" << part << "` is not in\n" << text;
  return at;
}

size_t Count(const std::string& text, const std::string& part) {
  size_t count = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

Inferred Infer(const std::string& program, const std::string& stage, size_t axis) {
  const schedule::Schedule normal = schedule::Normalize(Load(program).schedule);
  const schedule::Bounds bounds = schedule::InferBounds(normal);
  const schedule::Stage* found = normal->FindByName(stage);
  if (found == nullptr) return {"no such stage", "", ""};
  const ir::Range range = bounds[found->root_axes[axis]];
  return {ir::ToText(range->min), ir::ToText(range->extent), schedule::StorageScope(*found)};
}

}  // namespace lathe::semantics
