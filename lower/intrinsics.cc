#include "lower/intrinsics.h"

#include <map>
#include <memory>
#include <mutex>
#include <tuple>
#include <utility>

#include "base/error.h"
#include "ir/intrinsic.h"
#include "ir/rewrite.h"
#include "lower/math/expansion.h"

namespace lathe::lower {
namespace {

using namespace ir;  // NOLINT: the nodes' names, in this file only

// By intrinsic and key; the rules of each by level, the highest first. Lathe's own rules use the
// target, too.
using Rule = std::function<Expr(const Call& call, const PassContext& context)>;
using Levels = std::map<int, Rule, std::greater<>>;
using Rules = std::map<std::pair<std::string, std::string>, Levels>;

// float16, bfloat16 and float8 are computed in float32 and rounded once (ir/expr.h).
Expr ExpandForCpu(const Call& call, const PassContext& context) {
  const Expr x = call.arg(0);
  if (!x || !x->dtype.is_float() || x->dtype.bits() > 32) return nullptr;
  // Written out for vectors. A target without them calls the functions of its library.
  if (context.supports && !context.supports("vector", DataType::Float(32))) return nullptr;
  // AVX-512 scales whole registers by one instruction. (A scalar may still become a vector.)
  const MathOptions options{.scalb = context.features.count("avx512f") != 0 &&
                                     !x->dtype.is_scalable() && x->dtype.lanes() == 16};
  if (x->dtype.bits() == 32) return ExpandMathCall(call, options);
  const DataType wide(DLDataType{kDLFloat, 32, x->dtype.dl().lanes});
  const Expr in_float32 = CallIntrinsic(call.op, {MakeCast(wide, x)});
  const Expr value = ExpandMathCall(static_cast<const Call&>(*in_float32), options);
  return value ? MakeCast(x->dtype, value) : nullptr;
}

// Readers hold a snapshot, so that a rule may register rules, and passes never wait.
class Registry {
 public:
  static Registry& Get() {
    static auto* registry = new Registry();
    return *registry;
  }

  std::shared_ptr<const Rules> Snapshot() {
    std::lock_guard<std::mutex> lock(mutex_);
    return rules_;
  }

  bool Add(const std::string& intrinsic, const std::string& key, int level, IntrinsicRule rule) {
    std::lock_guard<std::mutex> lock(mutex_);
    auto changed = std::make_shared<Rules>(*rules_);
    const auto plain = [rule = std::move(rule)](const Call& call, const PassContext&) {
      return rule(call);
    };
    if (!(*changed)[{intrinsic, key}].emplace(level, plain).second) return false;
    rules_ = std::move(changed);
    foreign_ = true;
    return true;
  }

  bool foreign() {
    std::lock_guard<std::mutex> lock(mutex_);
    return foreign_;
  }

 private:
  Registry() {
    auto rules = std::make_shared<Rules>();
    for (const std::string& name : ExpandedFunctions()) (*rules)[{name, "cpu"}][0] = ExpandForCpu;
    rules_ = std::move(rules);
  }

  std::mutex mutex_;
  std::shared_ptr<const Rules> rules_;
  bool foreign_ = false;
};

// A rule's result defines names, so two uses need two results.
class Lowerer final : public Mutator {
 public:
  Lowerer(const PassContext& context, const Func& func)
      : Mutator(Memo::kPerRoot),
        rules_(Registry::Get().Snapshot()),
        context_(context),
        func_(func),
        keys_(context.target_keys) {
    keys_.push_back("default");
  }

 protected:
  NodeRef Enter(const NodeRef&) override {
    if (++nodes_ > kMaxTree) ThrowTreeTooLarge("intrinsics: function `" + func_->name + "`");
    return nullptr;
  }

  NodeRef Leave(const NodeRef&, NodeRef after) override {
    const auto* call = As<Call>(after);
    if (call == nullptr) return after;
    for (const std::string& key : keys_) {
      const auto found = rules_->find({call->op, key});
      if (found == rules_->end()) continue;
      for (const auto& [level, rule] : found->second) {
        Expr value = rule(*call, context_);
        if (!value) continue;
        if (value->dtype != call->dtype) RefuseType(*call, key, level, value->dtype);
        KeepApart();
        return value;
      }
    }
    return after;
  }

 private:
  [[noreturn]] static void RefuseType(const Call& call, const std::string& key, int level,
                                      DataType found) {
    throw Error(Diagnostic{
        .name = "intrinsic-rule-type",
        .message = "the rule for `" + call.op + "` on `" + key + "`, level " +
                   std::to_string(level) + ", returns a value of another type than the call",
        .expected = call.dtype.ToString(),
        .found = found.ToString(),
        .help = "cast the value, or return null for types that the rule does not serve"});
  }

  std::shared_ptr<const Rules> rules_;
  const PassContext& context_;
  const Func& func_;
  std::vector<std::string> keys_;
  size_t nodes_ = 0;
};

}  // namespace

void RegisterIntrinsicRule(const std::string& intrinsic, const std::string& target_key, int level,
                           IntrinsicRule rule) {
  GetIntrinsic(intrinsic);
  LATHE_CHECK(rule != nullptr) << "a rule for " << intrinsic << " is null";
  if (!Registry::Get().Add(intrinsic, target_key, level, std::move(rule))) {
    throw Error(Diagnostic{
        .name = "intrinsic-rule-exists",
        .message = "`" + intrinsic + "` has a rule on `" + target_key + "` of this level already",
        .expected = "a level that is free",
        .found = "level " + std::to_string(level),
        .help = "register with a higher level to come before that rule"});
  }
}

bool HasForeignRules() { return Registry::Get().foreign(); }

Module LowerIntrinsics(const Module& module, const PassContext& context) {
  return MapFunctions(module, [&](const Func& func) {
    return WithBody(func, Lowerer(context, func).Run(func->body));
  });
}

}  // namespace lathe::lower
