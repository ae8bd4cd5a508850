#include "tests/prove/calls.h"

#include <algorithm>
#include <deque>
#include <functional>
#include <unordered_set>

#include "base/error.h"
#include "driver/compile.h"
#include "ir/interpreter/interpreter.h"
#include "ir/rewrite.h"
#include "ir/walk.h"
#include "lower/pipeline.h"
#include "runtime/status.h"
#include "target/target.h"
#include "te/evaluator.h"
#include "tests/prove/views.h"

namespace lathe::prove {
namespace {

// A wrong way to call. Returns the expected diagnostic's name; "" if it does not apply to these
// arguments.
using Misuse = std::string (*)(const ir::Func&, std::vector<Argument>&, Random&);

Argument* AnyTensor(std::vector<Argument>& arguments, Random& random,
                    const std::function<bool(const Argument&)>& suits) {
  std::vector<Argument*> found;
  for (Argument& argument : arguments) {
    if (argument.layout != Layout::kScalar && suits(argument)) found.push_back(&argument);
  }
  return found.empty() ? nullptr : random.Pick(found);
}
bool Any(const Argument&) { return true; }
bool HasElements(const Argument& argument) { return !argument.empty(); }

std::string Count(const ir::Func&, std::vector<Argument>& arguments, Random&) {
  arguments.pop_back();
  return "call-argument-count";
}

std::string Kind(const ir::Func&, std::vector<Argument>& arguments, Random& random) {
  Argument& argument = arguments[random.Below(arguments.size())];
  argument.given =
      argument.layout == Layout::kScalar || random.Chance(50) ? Argument::kText : Argument::kNumber;
  return "call-argument-kind";
}

std::string NullHandle(const ir::Func&, std::vector<Argument>& arguments, Random& random) {
  AnyTensor(arguments, random, Any)->given =
      random.Chance(75) ? Argument::kNullTensor : Argument::kNothing;
  return "call-argument-null";
}

std::string NullData(const ir::Func&, std::vector<Argument>& arguments, Random& random) {
  Argument* argument = AnyTensor(arguments, random, HasElements);
  if (argument == nullptr) return "";
  argument->null_data = true;
  return "call-argument-null";
}

std::string Type(const ir::Func&, std::vector<Argument>& arguments, Random& random) {
  Argument& argument = *AnyTensor(arguments, random, Any);
  const DLDataType is = argument.dtype.dl();
  DLDataType other = is;
  switch (random.Below(3)) {
    case 0:
      other.bits = is.bits == 8 ? 16 : static_cast<uint8_t>(is.bits / 2);
      break;
    case 1:
      other.code = is.code == kDLUInt ? kDLInt : kDLUInt;
      break;
    default:
      other.lanes = 2;
      break;
  }
  argument.dtype = DataType(other);
  return "call-argument-dtype";
}

std::string Rank(const ir::Func&, std::vector<Argument>& arguments, Random& random) {
  Argument& argument = *AnyTensor(arguments, random, Any);
  argument.shape.push_back(1);
  if (!argument.strides.empty()) argument.strides.push_back(1);
  return "call-argument-rank";
}

// An extent that is one too large: a constant one, or one whose variable is already bound.
std::string Shape(const ir::Func& func, std::vector<Argument>& arguments, Random& random) {
  std::vector<std::pair<size_t, size_t>> places;
  std::unordered_set<const ir::Node*> bound;
  for (size_t a = 0; a < arguments.size(); ++a) {
    if (arguments[a].layout == Layout::kScalar) {
      bound.insert(func->params[a].get());
      continue;
    }
    const auto& buffer = static_cast<const ir::BufferNode&>(*func->params[a]);
    for (size_t d = 0; d < buffer.shape.size(); ++d) {
      const bool var = ir::As<ir::VarNode>(buffer.shape[d]) != nullptr;
      if (!var || !bound.insert(buffer.shape[d].get()).second) places.emplace_back(a, d);
    }
  }
  if (places.empty()) return "";
  const auto [a, d] = random.Pick(places);
  arguments[a].shape[d] += 1;
  return "call-argument-shape";
}

// An extent that does not fit the variable that it binds, but whose low 32 bits are right.
std::string Range(const ir::Func& func, std::vector<Argument>& arguments, Random& random) {
  std::vector<std::pair<size_t, size_t>> places;
  std::unordered_set<const ir::Node*> bound;
  for (size_t a = 0; a < arguments.size(); ++a) {
    if (arguments[a].layout == Layout::kScalar) {
      bound.insert(func->params[a].get());
      continue;
    }
    const auto& buffer = static_cast<const ir::BufferNode&>(*func->params[a]);
    for (size_t d = 0; d < buffer.shape.size(); ++d) {
      const auto* var = ir::As<ir::VarNode>(buffer.shape[d]);
      if (var != nullptr && bound.insert(var).second && var->dtype.bits() == 32)
        places.emplace_back(a, d);
    }
  }
  if (places.empty()) return "";
  const auto [a, d] = random.Pick(places);
  arguments[a].shape[d] += int64_t{1} << 32;
  // All elements are in one place, so that each has memory. Extents are checked before strides.
  arguments[a].strides.assign(arguments[a].shape.size(), 0);
  return "call-argument-range";
}

std::string Strides(const ir::Func&, std::vector<Argument>& arguments, Random& random) {
  Argument* argument = AnyTensor(arguments, random, [](const Argument& a) {
    if (a.empty()) return false;
    if (a.layout == Layout::kBroadcast) return a.shape[static_cast<size_t>(a.broadcast)] > 1;
    return a.layout == Layout::kPlain &&
           std::any_of(a.shape.begin(), a.shape.end(), [](int64_t n) { return n > 1; });
  });
  if (argument == nullptr) return "";
  if (argument->layout == Layout::kBroadcast) {
    argument->strides[static_cast<size_t>(argument->broadcast)] = 1;
    return "call-argument-strides";
  }
  std::vector<int64_t> strides(argument->shape.size(), 1);
  for (size_t d = strides.size(); d-- > 1;) strides[d - 1] = strides[d] * argument->shape[d];
  std::vector<size_t> wide;
  for (size_t d = 0; d < strides.size(); ++d) {
    if (argument->shape[d] > 1) wide.push_back(d);
  }
  strides[random.Pick(wide)] += 1;
  argument->strides = strides;
  return "call-argument-strides";
}

// Two elements of an output in one place.
std::string Shared(const ir::Func& func, std::vector<Argument>& arguments, Random& random) {
  std::unordered_set<const ir::Node*> stored;
  ir::ForEach<ir::Store>(func, [&](const ir::Store& s) { stored.insert(s.buffer.get()); });
  std::vector<std::pair<size_t, size_t>> places;
  for (size_t a = 0; a < arguments.size(); ++a) {
    if (arguments[a].layout != Layout::kStrided || arguments[a].empty()) continue;
    if (stored.count(func->params[a].get()) == 0) continue;
    for (size_t d = 0; d < arguments[a].shape.size(); ++d)
      if (arguments[a].shape[d] > 1) places.emplace_back(a, d);
  }
  if (places.empty()) return "";
  const auto [a, d] = random.Pick(places);
  arguments[a].strides[d] = 0;
  return "call-argument-strides";
}

std::string Offset(const ir::Func&, std::vector<Argument>& arguments, Random& random) {
  Argument* argument = AnyTensor(arguments, random, [](const Argument& a) {
    return a.layout == Layout::kOffset && (a.dtype.bytes() > 1 || a.factor > 1);
  });
  if (argument == nullptr) return "";
  const int64_t item = argument->dtype.bytes();
  argument->byte_offset += argument->factor > 1 ? item : 1;
  return "call-argument-offset";
}

std::string Alignment(const ir::Func&, std::vector<Argument>& arguments, Random& random) {
  Argument* argument = AnyTensor(arguments, random, [](const Argument& a) {
    return a.layout == Layout::kAligned && !a.empty();
  });
  if (argument == nullptr) return "";
  argument->byte_offset += argument->dtype.bytes();
  return "call-argument-alignment";
}

std::string Device(const ir::Func&, std::vector<Argument>& arguments, Random& random) {
  AnyTensor(arguments, random, Any)->device = {kDLCUDA, 0};
  return "call-argument-device";
}

constexpr Misuse kMisuses[] = {Count, Kind,    NullHandle, NullData,  Type,       Rank,   Shape,
                               Range, Strides, Offset,     Alignment, NullHandle, Device, Shared};

// The bytes of an argument's memory that its elements occupy, from `begin` to before `end`.
struct Bytes {
  int64_t begin, end;
};
Bytes BytesOf(const Argument& argument) {
  int64_t count = 1, last = 0;
  for (size_t d = argument.shape.size(); d-- > 0;) {
    last += (argument.shape[d] - 1) * (argument.strides.empty() ? count : argument.strides[d]);
    count *= argument.shape[d];
  }
  return {argument.byte_offset, argument.byte_offset + (last + 1) * argument.dtype.bytes()};
}

std::string NameOf(const absl::Status& status) {
  return status.ok() ? "no error" : std::string(runtime::StatusName(status));
}

class Caller {
 public:
  Caller(const ir::Func& func, bool compile) : func_(func) {
    const ir::Module module = ir::MakeModule({func});
    lowered_ = lower::RunPasses(module, lower::AllPasses(), {});
    if (!compile) return;
    auto built = driver::Build(lower::RunPasses(module, lower::TilePasses(), {}),
                               target::ParseTarget("llvm"), {});
    if (!built.ok()) throw Failed{"compile", std::string(built.status().message())};
    compiled_ = *built->GetFunction("f");
  }

  void Good(const std::vector<Argument>& arguments, const Inputs& inputs) const {
    std::vector<Argument> expected = arguments, found = arguments;
    Evaluate(inputs, expected);
    try {
      ir::Interpret(lowered_, "f", ForInterpreter(found));
    } catch (const Error& e) {
      throw Failed{"call", e.what()};
    }
    Compare("interpreted", expected, found);
    if (!compiled_) return;
    found = arguments;
    const absl::Status status = CompiledArguments(found).Call(*compiled_);
    if (!status.ok()) throw Failed{"call", std::string(status.message())};
    Compare("compiled", expected, found);
  }

  void Bad(const std::vector<Argument>& good, Misuse misuse, Random& random) const {
    std::vector<Argument> arguments = good;
    const std::string wanted = misuse(func_, arguments, random);
    if (wanted.empty()) return;
    const std::vector<Argument> before = arguments;
    std::string name = "no error";
    try {
      ir::Interpret(lowered_, "f", ForInterpreter(arguments));
    } catch (const Error& e) {
      name = e.name();
    }
    // The interpreter checks how tagged values are read, and may be the first to report an error.
    if (name == "interpret-value-kind" && wanted == "call-argument-kind") name = wanted;
    if (name != wanted) throw Failed{"misuse:" + wanted, "found " + name};
    if (compiled_) {
      name = NameOf(CompiledArguments(arguments).Call(*compiled_));
      if (name != wanted) throw Failed{"misuse:" + wanted, "compiled: found " + name};
    }
    Compare("a refused call", before, arguments);
  }

  // Lays an output over another argument. The checked build must report it (S42), and must report
  // nothing for arguments that do not overlap.
  void Overlap(const std::vector<Argument>& good, const Inputs& inputs, Random& random) const {
    lower::PassContext context;
    context.Set("check", 1);
    const ir::Module checked =
        lower::RunPasses(ir::MakeModule({func_}), lower::AllPasses(), context);
    std::vector<Argument> expected = good, arguments = good;
    Evaluate(inputs, expected);
    try {
      ir::Interpret(checked, "f", ForInterpreter(arguments));
    } catch (const Error& e) {
      throw Failed{"checked call", e.what()};
    }
    Compare("the checked build", expected, arguments);
    std::vector<size_t> outputs, tensors;
    for (size_t a = 0; a < arguments.size(); ++a) {
      if (arguments[a].layout == Layout::kScalar || arguments[a].empty()) continue;
      tensors.push_back(a);
      if (ir::As<ir::PlaceholderOp>(ir::RefAs<ir::TensorNode>(inputs.args[a])->op) == nullptr)
        outputs.push_back(a);
    }
    if (outputs.empty() || tensors.size() < 2) return;
    const size_t a = random.Pick(outputs), b = random.Pick(tensors);
    const Bytes x = BytesOf(arguments[a]), y = BytesOf(arguments[b]);
    if (a == b || x.end <= y.begin || y.end <= x.begin) return;
    // The interpreter has one memory for both only if the first holds the second.
    if (a < b ? y.end > x.end : x.end > y.end) return;
    // Enough memory for both, in case the overlap is not reported.
    arguments[b].memory.resize(std::max(arguments[a].memory.size(), arguments[b].memory.size()));
    std::vector<ir::InterpValue> values = ForInterpreter(arguments);
    ir::InterpTensor over = *values[a].tensor;
    over.data = values[b].tensor->data;
    values[a] = ir::InterpValue(std::move(over));
    std::string name = "no error";
    try {
      ir::Interpret(checked, "f", values);
    } catch (const Error& e) {
      name = e.name();
    }
    if (name == "check-arguments-overlap") return;
    auto shown = [](const Bytes& bytes) {
      return " bytes [" + std::to_string(bytes.begin) + ", " + std::to_string(bytes.end) + ")";
    };
    throw Failed{"misuse:overlap",
                 "found " + name + ", argument " + std::to_string(a) + " of layout " +
                     std::to_string(static_cast<int>(arguments[a].layout)) + shown(x) + " over " +
                     std::to_string(b) + " of layout " +
                     std::to_string(static_cast<int>(arguments[b].layout)) + shown(y)};
  }

 private:
  // te's evaluator reads compact inputs only.
  static void Evaluate(const Inputs& inputs, const std::vector<Argument>& arguments) {
    std::vector<ir::InterpValue> values = ForInterpreter(arguments);
    std::deque<std::vector<char>> compact;
    for (size_t a = 0; a < arguments.size(); ++a) {
      const Argument& argument = arguments[a];
      if (argument.layout == Layout::kScalar || argument.strides.empty() ||
          ir::As<ir::PlaceholderOp>(ir::RefAs<ir::TensorNode>(inputs.args[a])->op) == nullptr)
        continue;
      compact.push_back(CompactCopy(argument));
      ir::InterpTensor view =
          ir::InterpTensor::Of(compact.back().data(), argument.dtype, argument.shape);
      values[a] = ir::InterpValue(std::move(view));
    }
    te::Evaluate(inputs.args, values);
  }

  // Compares the whole memory, including the bytes between elements.
  static void Compare(const char* what, const std::vector<Argument>& expected,
                      const std::vector<Argument>& found) {
    for (size_t a = 0; a < expected.size(); ++a) {
      if (!std::equal(expected[a].data(), expected[a].data() + expected[a].bytes(),
                      found[a].data()))
        throw Failed{"call", std::string(what) + ": other bytes in argument " + std::to_string(a)};
    }
  }

  ir::Func func_;
  ir::Module lowered_;
  std::optional<runtime::Function> compiled_;
};

}  // namespace

void CheckCalls(const ir::Func& func, const Inputs& inputs, const std::vector<int64_t>& sizes,
                uint64_t seed, int misuses, bool compile) {
  Random random(seed);
  const Run run(func, inputs, sizes);
  const std::vector<Argument> arguments = RandomArguments(func, inputs, run.sizes(), random);
  const Caller caller(Redeclare(func, arguments), compile);
  caller.Good(arguments, inputs);
  for (int i = 0; i < misuses; ++i)
    caller.Bad(arguments, kMisuses[random.Below(std::size(kMisuses))], random);
  if (misuses > 0 && random.Chance(20)) caller.Overlap(arguments, inputs, random);
}

}  // namespace lathe::prove
