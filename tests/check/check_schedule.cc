#include "tests/check/check_schedule.h"

#include <cstring>

#include "arith/simplify_stmt.h"
#include "base/float_formats.h"
#include "ir/interpreter/interpreter.h"
#include "ir/rewrite.h"
#include "ir/structural.h"
#include "ir/text/parser.h"
#include "ir/text/printer.h"
#include "ir/verifier.h"
#include "schedule/loop_nest.h"
#include "schedule/trace.h"
#include "te/evaluator.h"

namespace lathe::schedule {
namespace {

struct Argument {
  std::vector<int64_t> shape;
  DataType dtype;
  std::vector<char> memory;
  int64_t value = 0;  // for a size variable

  int64_t Count() const {
    int64_t count = 1;
    for (int64_t extent : shape) count *= extent;
    return count;
  }
  ir::InterpValue Interp() {
    return dtype.is_handle() ? ir::InterpValue::Int(value)
                             : ir::InterpValue(ir::InterpTensor::Of(memory.data(), dtype, shape));
  }
};

int64_t ValueOf(const Expr& expr, const ir::VarMap& sizes) {
  const Expr value = arith::Analyzer().Simplify(ir::Substitute(expr, sizes));
  const int64_t* constant = ir::AsConstInt(value);
  LATHE_CHECK(constant != nullptr) << "an extent has no value: " << ir::ToText(value);
  return *constant;
}

void Fill(Argument& argument, uint64_t& state) {
  for (int64_t i = 0, n = argument.Count(); i < n; ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    int64_t value = static_cast<int64_t>((state >> 33) % 9) - 4;
    if (argument.dtype.is_bool()) value &= 1;
    if (argument.dtype.is_uint()) value = value < 0 ? -value : value;
    const uint64_t bits = argument.dtype.is_float()
                              ? EncodeFloat(static_cast<double>(value), argument.dtype)
                              : static_cast<uint64_t>(value);
    std::memcpy(&argument.memory[static_cast<size_t>(i * argument.dtype.bytes())], &bits,
                static_cast<size_t>(argument.dtype.bytes()));
  }
}

std::vector<Argument> MakeArguments(const std::vector<NodeRef>& args,
                                    const std::vector<int64_t>& given, uint64_t seed,
                                    ir::VarMap& sizes) {
  std::vector<Argument> out;
  size_t next = 0;
  uint64_t state = seed;
  auto meet = [&](const ir::Var& var) {
    if (sizes.count(var) == 0) sizes[var] = ir::Const(given.at(next++), var->dtype);
  };
  for (const NodeRef& arg : args) {
    Argument argument;
    if (ir::Var var = ir::RefAs<ir::VarNode>(arg)) {
      meet(var);
      argument.dtype = DataType::Handle();
      argument.value = *ir::AsConstInt(sizes[var]);
      out.push_back(std::move(argument));
      continue;
    }
    const Tensor tensor = ir::RefAs<ir::TensorNode>(arg);
    for (const Expr& extent : tensor->shape()) {
      for (const ir::Var& var : ir::FreeVars(extent)) meet(var);
      argument.shape.push_back(ValueOf(extent, sizes));
    }
    argument.dtype = tensor->dtype();
    argument.memory.resize(static_cast<size_t>(argument.Count() * argument.dtype.bytes()) + 1);
    Fill(argument, state);
    out.push_back(std::move(argument));
  }
  return out;
}

std::vector<ir::InterpValue> Values(std::vector<Argument>& arguments) {
  std::vector<ir::InterpValue> values;
  for (Argument& argument : arguments) values.push_back(argument.Interp());
  return values;
}

// Converts an argument's memory to the layout that the schedule gives it, and back.
class Packed {
 public:
  Packed(const Schedule& schedule, const std::vector<NodeRef>& args, const ir::VarMap& sizes,
         std::vector<Argument>& logical)
      : logical_(logical), physical_(logical) {
    for (size_t a = 0; a < args.size(); ++a) {
      const Tensor tensor = ir::RefAs<ir::TensorNode>(args[a]);
      places_.emplace_back();
      in_layout_.push_back(false);
      if (!tensor) continue;
      const Stage* stage = schedule->FindArgument(tensor->op);
      if (stage == nullptr) continue;
      auto it = stage->layouts.find(tensor->value_index);
      if (it == stage->layouts.end()) continue;
      in_layout_.back() = true;
      Argument& physical = physical_[a];
      physical.shape.clear();
      const std::vector<Expr> extents = PhysicalShape(it->second, tensor->shape()).value();
      for (const Expr& extent : extents) physical.shape.push_back(ValueOf(extent, sizes));
      physical.memory.assign(static_cast<size_t>(physical.Count() * physical.dtype.bytes()) + 1,
                             77);
      const std::vector<int64_t>& shape = logical[a].shape;
      for (int64_t n = 0; n < logical[a].Count(); ++n) {
        std::vector<Expr> index(shape.size());
        int64_t rest = n, at = 0;
        for (size_t d = shape.size(); d-- > 0; rest /= shape[d])
          index[d] = ir::Const(rest % shape[d], it->second.vars[d]->dtype);
        const std::vector<Expr> place = Apply(it->second, index);
        for (size_t p = 0; p < place.size(); ++p)
          at = at * physical.shape[p] + ValueOf(place[p], sizes);
        places_.back().push_back(at);
      }
      Move(a, logical_[a], physical_[a], false);
    }
  }

  std::vector<Argument>& physical() { return physical_; }
  void Unpack() {
    for (size_t a = 0; a < places_.size(); ++a) {
      if (in_layout_[a])
        Move(a, physical_[a], logical_[a], true);
      else
        logical_[a].memory = physical_[a].memory;
    }
  }

 private:
  void Move(size_t a, const Argument& from, Argument& to, bool back) {
    const auto width = static_cast<size_t>(from.dtype.bytes());
    for (size_t n = 0; n < places_[a].size(); ++n) {
      const size_t source = back ? static_cast<size_t>(places_[a][n]) : n;
      const size_t target = back ? n : static_cast<size_t>(places_[a][n]);
      std::memcpy(&to.memory[target * width], &from.memory[source * width], width);
    }
  }

  std::vector<Argument>& logical_;
  std::vector<Argument> physical_;
  std::vector<bool> in_layout_;
  std::vector<std::vector<int64_t>> places_;  // per argument in a layout: of each element
};

std::string Check(const Schedule& schedule, const std::vector<NodeRef>& args,
                  const std::vector<int64_t>& given, uint64_t seed) {
  const ir::Func func = LowerSchedule(schedule, args, "f");
  ir::VerifyFunc(func, ir::Stage::kScheduled);
  ir::VarMap sizes;
  std::vector<Argument> expected = MakeArguments(args, given, seed, sizes);
  std::vector<Argument> found = expected;
  te::Evaluate(args, Values(expected));
  Packed packed(schedule, args, sizes, found);
  ir::Interpret(func, Values(packed.physical()));
  packed.Unpack();
  for (size_t a = 0; a < expected.size(); ++a) {
    for (size_t at = 0; at < expected[a].memory.size(); ++at) {
      if (expected[a].memory[at] == found[a].memory[at]) continue;
      return "argument " + std::to_string(a) + " differs from the evaluator's at element " +
             std::to_string(at / static_cast<size_t>(expected[a].dtype.bytes())) + "\n" +
             LoopsOf(schedule, args);
    }
  }
  const ir::Program program = ToProgram(schedule, args, "f");
  const ir::Program parsed = ir::ParseProgram(ir::ToText(program));
  ir::VerifyProgram(*parsed);
  const Loaded loaded = FromProgram(parsed);
  const ir::Func again = LowerSchedule(loaded.schedule, loaded.args, "f");
  if (!ir::StructuralEqual(func, again, true))
    return "the replayed trace gives other loops: " + ir::StructuralDifference(func, again, true);
  return "";
}

}  // namespace

std::string LoopsOf(const Schedule& schedule, const std::vector<NodeRef>& args) {
  ir::PrintOptions options;
  options.short_form = true;
  return ir::ToText(arith::Simplify(LowerSchedule(schedule, args, "f")), options);
}

std::string WhatIsWrong(const Schedule& schedule, const std::vector<NodeRef>& args,
                        const std::vector<int64_t>& sizes, uint64_t seed) {
  try {
    return Check(schedule, args, sizes, seed);
  } catch (const Error& error) {
    return error.what();
  }
}

}  // namespace lathe::schedule
