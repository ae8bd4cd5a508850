#include "tests/check/check_passes.h"

#include <cstring>
#include <unordered_map>

#include "base/error.h"
#include "base/float_formats.h"
#include "ir/rewrite.h"
#include "ir/text/printer.h"
#include "ir/walk.h"

namespace lathe::lower {
namespace {

// The value of an integer expression for given values of its variables.
int64_t Evaluate(const ir::Expr& expr, const ir::VarMap& values) {
  const ir::Expr result = ir::Substitute(expr, values);
  ir::Var out = ir::MakeVar("out");
  ir::Buffer buffer = ir::MakeBuffer("out", DataType::Int(64), {ir::Int(1)});
  ir::Func func =
      ir::MakeFunc("extent", {buffer},
                   ir::MakeStore(buffer, ir::MakeCast(DataType::Int(64), result), {ir::Int(0)}));
  int64_t value = 0;
  const ir::InterpValue args[] = {ir::InterpTensor::Of(&value, DataType::Int(64), {1})};
  ir::Interpret(func, args);
  return value;
}

uint64_t Next(uint64_t& state) {
  state = state * 6364136223846793005u + 1442695040888963407u;
  return state >> 33;
}

void Fill(char* at, int64_t count, DataType type, uint64_t& state) {
  for (int64_t i = 0; i < count; ++i) {
    int64_t value = static_cast<int64_t>(Next(state) % 9) - 4;
    if (type.is_bool()) value &= 1;
    if (type.is_uint()) value = value < 0 ? -value : value;
    const uint64_t bits = type.is_float()
                              ? EncodeFloat(static_cast<double>(value), type.element_of())
                              : static_cast<uint64_t>(value);
    std::memcpy(at + i * type.bytes(), &bits, static_cast<size_t>(type.bytes()));
  }
}

bool HasThreads(const ir::Module& module) {
  bool threads = false;
  ir::ForEach<ir::For>(module, [&](const ir::For& loop) {
    threads = threads || loop.for_kind == ir::ForKind::kThread;
  });
  return threads;
}

}  // namespace

TestArguments MakeArguments(const ir::Func& func, const std::vector<int64_t>& sizes,
                            uint64_t seed) {
  TestArguments out;
  ir::VarMap bound;
  size_t next_size = 0;
  uint64_t state = seed;
  for (const ir::NodeRef& param : func->params) {
    if (ir::Var var = ir::RefAs<ir::VarNode>(param)) {
      if (bound.count(var) == 0) bound[var] = ir::Const(sizes.at(next_size++), var->dtype);
      out.values.push_back(ir::InterpValue::Int(*ir::AsConstInt(bound[var])));
      out.memory.emplace_back();
      continue;
    }
    const auto* buffer = ir::As<ir::BufferNode>(param);
    std::vector<int64_t> shape;
    int64_t count = 1;
    for (const ir::Expr& extent : buffer->shape) {
      for (const ir::Var& var : ir::FreeVars(extent)) {
        if (bound.count(var) == 0) bound[var] = ir::Const(sizes.at(next_size++), var->dtype);
      }
      shape.push_back(Evaluate(extent, bound));
      count *= shape.back();
    }
    std::vector<char> memory(static_cast<size_t>(count * buffer->dtype.bytes()) + 1);
    Fill(memory.data(), count, buffer->dtype, state);
    out.memory.push_back(std::move(memory));
    out.values.push_back(ir::InterpTensor::Of(out.memory.back().data(), buffer->dtype, shape));
  }
  return out;
}

ir::Module CheckPasses(const ir::Module& module, std::span<const Pass> passes,
                       const std::vector<int64_t>& sizes, uint64_t seed, PassContext context) {
  const std::string name = module->functions[0]->name;
  // Threads run in several orders.
  const std::vector<uint64_t> orders =
      HasThreads(module) ? std::vector<uint64_t>{0, seed | 1, seed * 2654435761u | 1}
                         : std::vector<uint64_t>{0};
  auto run = [&](const ir::Module& m, uint64_t interleaving) {
    TestArguments arguments = MakeArguments(module->functions[0], sizes, seed);
    ir::InterpretOptions options;
    options.interleaving = interleaving;
    ir::Interpret(m, name, arguments.values, options);
    return std::move(arguments.memory);
  };
  const std::vector<std::vector<char>> expected = run(module, 0);
  for (const uint64_t order : orders) {
    if (order == 0 || run(module, order) == expected) continue;
    throw Error(
        Diagnostic{.name = "pass-changed-result",
                   .message = "what `" + name + "` computes depends on the order of its threads",
                   .expected = "the same values in every order",
                   .found = "other values with interleaving " + std::to_string(order),
                   .help = "look for threads that use what others write without a barrier between",
                   .notes = {"before any pass:\n" + ir::ToText(module)}});
  }
  context.verify = true;
  context.after_pass = [&](const Pass& pass, const ir::Module& before, const ir::Module& after,
                           double) {
    std::string problem;
    try {
      bool same = true;
      for (const uint64_t order : orders) {
        if (!same || run(after, order) == expected) continue;
        same = false;
        problem = "other values";
        if (order != 0) problem += " with interleaving " + std::to_string(order);
      }
      if (same) return;
    } catch (const std::exception& e) {
      problem = e.what();
    }
    throw Error(Diagnostic{
        .name = "pass-changed-result",
        .message = std::string("pass ") + pass.name + " changed what `" + name + "` computes",
        .expected = "the same values before and after",
        .found = problem,
        .help = "compare the two modules",
        .notes = {"before:\n" + ir::ToText(before), "after:\n" + ir::ToText(after)}});
  };
  return RunPasses(module, passes, context);
}

}  // namespace lathe::lower
