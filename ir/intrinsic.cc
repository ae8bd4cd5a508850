#include "ir/intrinsic.h"

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <utility>

#include "base/error.h"
#include "ir/buffer.h"
#include "ir/expr_checks.h"
#include "ir/intrinsic_names.h"
#include "ir/intrinsic_table.h"
#include "ir/walk.h"

namespace lathe::ir {
namespace {

class Table {
 public:
  Table() {
    for (std::vector<Intrinsic> group : {MathIntrinsics(), CoreIntrinsics(), ThreadIntrinsics()}) {
      for (Intrinsic& entry : group) {
        std::string name = entry.name;
        entries_.emplace(std::move(name), std::make_unique<const Intrinsic>(std::move(entry)));
      }
    }
  }
  const Intrinsic* Find(std::string_view name) const {
    std::shared_lock lock(mutex_);
    const auto found = entries_.find(name);
    return found == entries_.end() ? nullptr : found->second.get();
  }
  bool Add(Intrinsic entry) {
    std::unique_lock lock(mutex_);
    std::string name = entry.name;
    if (entries_.contains(name)) return false;
    entries_.emplace(std::move(name), std::make_unique<const Intrinsic>(std::move(entry)));
    return true;
  }
  std::vector<std::string> Names() const {
    std::shared_lock lock(mutex_);
    std::vector<std::string> names;
    names.reserve(entries_.size());
    for (const auto& [name, entry] : entries_) names.push_back(name);
    return names;
  }

 private:
  mutable std::shared_mutex mutex_;
  std::map<std::string, std::unique_ptr<const Intrinsic>, std::less<>> entries_;
};

// Never destroyed, because threads of plugins may still use it at exit.
Table& TheTable() {
  static Table* const table = new Table();
  return *table;
}

bool IsNumber(DataType t) { return t.is_integral() || t.is_float() || t.is_bool(); }

// Empty if `arg` fits `kind`; else what `arg` is.
std::string Misfit(const Node* arg, ArgKind kind) {
  if (arg == nullptr) return "nothing";
  if (As<BufferNode>(arg) != nullptr) {
    return kind == ArgKind::kBuffer || kind == ArgKind::kAny ? "" : "a buffer";
  }
  if (!IsExpr(arg)) return std::string("a ") + NodeKindName(arg->node_kind());
  const DataType type = static_cast<const ExprNode*>(arg)->dtype;
  const bool string = As<StringImm>(arg) != nullptr;
  bool fits = false;
  switch (kind) {
    case ArgKind::kNumber:
      fits = IsNumber(type);
      break;
    case ArgKind::kFloat:
      fits = type.is_float();
      break;
    case ArgKind::kInteger:
      fits = type.is_integral();
      break;
    case ArgKind::kBool:
      fits = type.is_bool();
      break;
    case ArgKind::kIndex:
      fits = type.is_integral() && type.is_scalar();
      break;
    case ArgKind::kHandle:
      fits = type.is_handle() && !string;
      break;
    case ArgKind::kString:
      fits = string;
      break;
    case ArgKind::kValue:
    case ArgKind::kAny:
      fits = !type.is_void();
      break;
    case ArgKind::kBuffer:
      fits = false;
      break;
    case ArgKind::kLoad:
      fits = As<Load>(arg) != nullptr;
      break;
  }
  if (fits) return "";
  return string ? "a string" : type.ToString();
}

bool IsNumberKind(ArgKind kind) {
  return kind == ArgKind::kNumber || kind == ArgKind::kFloat || kind == ArgKind::kInteger;
}

DataType TypeOf(const NodeRef& arg) {
  const Expr expr = RefExpr(arg);
  return expr ? expr->dtype : DataType::Void();
}

// The result type by the rule of the entry. `said` is the type that the Call states; it is the
// result if the rule is kCaller.
DataType ResultType(const Intrinsic& entry, const std::vector<NodeRef>& args, DataType said) {
  switch (entry.result_rule) {
    case ResultRule::kFirst:
      return args.empty() ? DataType::Void() : TypeOf(args[0]);
    case ResultRule::kSecond:
      return args.size() < 2 ? DataType::Void() : TypeOf(args[1]);
    case ResultRule::kBoolLanes: {
      const DataType first = args.empty() ? DataType::Void() : TypeOf(args[0]);
      return DataType(DLDataType{kDLBool, 8, first.dl().lanes});
    }
    case ResultRule::kFixed:
      return entry.result;
    case ResultRule::kCaller:
      return said;
    case ResultRule::kVoid:
      return DataType::Void();
  }
  return said;
}

std::string Ordinal(size_t index) { return "argument " + std::to_string(index + 1); }

std::string CheckArguments(const Intrinsic& entry, const std::vector<NodeRef>& args) {
  if (args.size() < entry.args.size() || (args.size() > entry.args.size() && !entry.variadic)) {
    return entry.name + " takes " + (entry.variadic ? "at least " : "") +
           std::to_string(entry.args.size()) + " arguments, not " + std::to_string(args.size());
  }
  // The first number argument sets the type (same_types) and the lanes (elementwise) of the later
  // ones.
  const NodeRef* first = nullptr;
  for (size_t i = 0; i < args.size(); ++i) {
    const ArgKind kind = i < entry.args.size() ? entry.args[i] : entry.rest;
    if (std::string found = Misfit(args[i].get(), kind); !found.empty()) {
      return Ordinal(i) + " of " + entry.name + " must be " + ArgKindName(kind) + ", not " + found;
    }
    if (!IsNumberKind(kind) && kind != ArgKind::kBool) continue;
    if (first == nullptr) {
      first = &args[i];
      continue;
    }
    const DataType type = TypeOf(args[i]), wanted = TypeOf(*first);
    if (entry.same_types && IsNumberKind(kind) && type != wanted) {
      return Ordinal(i) + " of " + entry.name + " must be of the first one's type " +
             wanted.ToString() + ", not " + type.ToString();
    }
    if (entry.elementwise && type.dl().lanes != wanted.dl().lanes) {
      return Ordinal(i) + " of " + entry.name + " must have the first one's lanes (" +
             wanted.ToString() + "), not " + type.ToString();
    }
  }
  return "";
}

// A sentence that says what is wrong with a call of type `said`; empty if it fits.
std::string CheckWhole(const Intrinsic& entry, const std::vector<NodeRef>& args, DataType said) {
  if (std::string problem = CheckArguments(entry, args); !problem.empty()) return problem;
  const DataType type = ResultType(entry, args, said);
  if (type != said) {
    return entry.name + " returns " + type.ToString() + " here, not " + said.ToString();
  }
  return entry.check ? entry.check(args, type) : "";
}

}  // namespace

const char* CallEffectName(CallEffect effect) {
  switch (effect) {
    case CallEffect::kPure:
      return "pure";
    case CallEffect::kReads:
      return "reads memory";
    case CallEffect::kWrites:
      return "writes memory";
    case CallEffect::kOpaque:
      return "opaque";
  }
  return "";
}

const char* ArgKindName(ArgKind kind) {
  switch (kind) {
    case ArgKind::kNumber:
      return "a number";
    case ArgKind::kFloat:
      return "a float";
    case ArgKind::kInteger:
      return "an integer";
    case ArgKind::kBool:
      return "a bool";
    case ArgKind::kIndex:
      return "a scalar integer";
    case ArgKind::kHandle:
      return "a handle";
    case ArgKind::kString:
      return "a string constant";
    case ArgKind::kValue:
      return "an expression";
    case ArgKind::kBuffer:
      return "a buffer";
    case ArgKind::kLoad:
      return "a load";
    case ArgKind::kAny:
      return "an expression or a buffer";
  }
  return "";
}

void RegisterIntrinsic(Intrinsic intrinsic) {
  auto invalid = [&](const std::string& problem) {
    throw Error(Diagnostic{
        .name = "intrinsic-invalid",
        .message = "the intrinsic `" + intrinsic.name + "` contradicts itself: " + problem,
        .help = "see the fields of Intrinsic in ir/intrinsic.h"});
  };
  if (intrinsic.name.empty()) invalid("it has no name");
  if (intrinsic.elementwise && intrinsic.effect != CallEffect::kPure) {
    invalid("an elementwise intrinsic is pure");
  }
  const size_t needed = intrinsic.result_rule == ResultRule::kSecond ? 2
                        : intrinsic.result_rule == ResultRule::kFirst ||
                                intrinsic.result_rule == ResultRule::kBoolLanes
                            ? 1
                            : 0;
  if (intrinsic.args.size() < needed) invalid("its type follows from an argument it does not take");
  if (intrinsic.result_rule == ResultRule::kFixed && intrinsic.result.is_void()) {
    invalid("its fixed result type is void");
  }
  const std::string name = intrinsic.name;
  if (!TheTable().Add(std::move(intrinsic))) {
    throw Error(
        Diagnostic{.name = "intrinsic-exists",
                   .message = "there is an intrinsic `" + name + "` already",
                   .help = "choose another name, such as one that starts with the plugin's"});
  }
}

const Intrinsic* FindIntrinsic(std::string_view name) { return TheTable().Find(name); }

const Intrinsic& GetIntrinsic(std::string_view name) {
  if (const Intrinsic* found = FindIntrinsic(name)) return *found;
  const std::vector<std::string> near = NearestNames(name, IntrinsicNames());
  throw Error(
      Diagnostic{.name = "unknown-intrinsic",
                 .message = "there is no intrinsic `" + std::string(name) + "`",
                 .help = (near.empty() ? "" : "did you mean " + QuotedList(near) + "? ") +
                         "a C function is called by call_extern, a registered one by call_packed"});
}

std::vector<std::string> IntrinsicNames() { return TheTable().Names(); }

std::string SignatureOf(const Intrinsic& intrinsic) {
  std::string out = intrinsic.name + "(";
  for (size_t i = 0; i < intrinsic.args.size(); ++i) {
    out += (i == 0 ? "" : ", ") + std::string(ArgKindName(intrinsic.args[i]));
  }
  if (intrinsic.variadic) {
    out += (intrinsic.args.empty() ? "" : ", ") + std::string(ArgKindName(intrinsic.rest)) + "...";
  }
  out += ")";
  switch (intrinsic.result_rule) {
    case ResultRule::kFirst:
      return out + " -> the first argument's type";
    case ResultRule::kSecond:
      return out + " -> the second argument's type";
    case ResultRule::kBoolLanes:
      return out + " -> bool";
    case ResultRule::kFixed:
      return out + " -> " + intrinsic.result.ToString();
    case ResultRule::kCaller:
      return out + " -> the call's type";
    case ResultRule::kVoid:
      return out;
  }
  return out;
}

std::string CheckCall(const Call& call) {
  const Intrinsic* entry = FindIntrinsic(call.op);
  if (entry == nullptr) {
    const std::vector<std::string> near = NearestNames(call.op, IntrinsicNames());
    return "there is no intrinsic `" + call.op + "`" +
           (near.empty() ? "" : " (nearest: " + QuotedList(near) + ")");
  }
  return CheckWhole(*entry, call.args, call.dtype);
}

CallEffect EffectOf(const Call& call) {
  const Intrinsic* entry = FindIntrinsic(call.op);
  return entry == nullptr ? CallEffect::kOpaque : entry->effect;
}

CallEffect EffectOf(const Expr& expr) {
  CallEffect effect = CallEffect::kPure;
  PostOrder(expr, [&](const Node& node) {
    if (const Call* call = As<Call>(&node)) {
      effect = std::max(effect, EffectOf(*call));
    } else if (As<Load>(&node) != nullptr) {
      effect = std::max(effect, CallEffect::kReads);
    }
  });
  return effect;
}

bool CanEvaluateEarly(const Expr& expr) {
  if (EffectOf(expr) != CallEffect::kPure) return false;
  bool divides = false;
  PostOrder(expr, [&](const Node& node) {
    const NodeKind kind = node.node_kind();
    if (kind != NodeKind::kFloorDiv && kind != NodeKind::kFloorMod && kind != NodeKind::kDiv &&
        kind != NodeKind::kMod)
      return;
    const int64_t* divisor = AsConstInt(*BinaryOperands(static_cast<const ExprNode*>(&node)).b);
    divides = divides || divisor == nullptr || *divisor == 0;
  });
  return !divides;
}

namespace {

Expr MakeChecked(DataType said, bool type_given, std::string_view name, std::vector<NodeRef> args,
                 Dict attrs) {
  const Intrinsic& entry = GetIntrinsic(name);
  std::string problem = CheckArguments(entry, args);
  const DataType type = type_given ? said : ResultType(entry, args, said);
  if (problem.empty() && !type_given && entry.result_rule == ResultRule::kCaller) {
    problem = "the type of its result must be given";
  }
  if (problem.empty()) problem = CheckWhole(entry, args, type);
  if (!problem.empty()) {
    throw Error(Diagnostic{.name = "intrinsic-arguments",
                           .message = "cannot call `" + entry.name + "`: " + problem,
                           .expected = SignatureOf(entry),
                           .help = "insert a cast, or see " + entry.name + ": " + entry.doc});
  }
  return MakeCall(type, std::string(name), std::move(args), std::move(attrs));
}

}  // namespace

Expr CallIntrinsic(std::string_view name, std::vector<NodeRef> args, Dict attrs) {
  return MakeChecked(DataType::Void(), false, name, std::move(args), std::move(attrs));
}
Expr CallIntrinsic(DataType type, std::string_view name, std::vector<NodeRef> args, Dict attrs) {
  return MakeChecked(type, true, name, std::move(args), std::move(attrs));
}

#define LATHE_DEFINE(Function, name) \
  Expr Function(const Expr& x) { return CallIntrinsic(name, {x}); }
LATHE_UNARY_INTRINSICS(LATHE_DEFINE)
#undef LATHE_DEFINE
namespace {

// Refuses to move by a constant that is no distance within the type. The IR allows such calls: they
// may be left in code that does not run.
void CheckDistance(std::string_view name, const Expr& by, DataType type) {
  const int64_t* distance = AsConstInt(by);
  if (distance == nullptr || (*distance >= 0 && *distance < type.bits())) return;
  throw Error(Diagnostic{.name = "shift-distance",
                         .message = "`" + std::string(name) + "` moves " +
                                    type.element_of().ToString() +
                                    " by a distance that it does not have",
                         .expected = "0 to " + std::to_string(type.bits() - 1),
                         .found = std::to_string(*distance),
                         .help = "cast the operand to a wider type before it is shifted"});
}

// Two integers are brought to one type, as by operators of arithmetic: a constant takes the type of
// the other operand if it fits.
Expr CallOfTwo(const char* name, Expr a, Expr b) {
  if (a && b && a->dtype.is_integral() && b->dtype.is_integral()) {
    // Before that: a distance that does not fit must not make the operand wider.
    if (name == std::string_view(intrinsic::kShiftLeft) ||
        name == std::string_view(intrinsic::kShiftRight)) {
      CheckDistance(name, b, a->dtype);
    }
    internal::Promote(a, b, name);
  }
  return CallIntrinsic(name, {std::move(a), std::move(b)});
}

}  // namespace

#define LATHE_DEFINE(Function, name) \
  Expr Function(const Expr& a, const Expr& b) { return CallOfTwo(name, a, b); }
LATHE_BINARY_INTRINSICS(LATHE_DEFINE)
#undef LATHE_DEFINE

Expr Fma(const Expr& a, const Expr& b, const Expr& c) {
  return CallIntrinsic(intrinsic::kFma, {a, b, c});
}
Expr QMultiplyShift(const Expr& x, const Expr& y, const Expr& q, const Expr& s) {
  return CallIntrinsic(intrinsic::kQMultiplyShift, {x, y, q, s});
}
Expr Reinterpret(DataType type, const Expr& x) {
  return CallIntrinsic(type, intrinsic::kReinterpret, {x});
}

}  // namespace lathe::ir
