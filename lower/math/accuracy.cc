#include "lower/math/accuracy.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <unordered_map>
#include <vector>

#include "base/error.h"
#include "ir/intrinsic.h"
#include "ir/intrinsic_names.h"
#include "ir/walk.h"
#include "lower/math/expansion.h"

namespace lathe::lower {
namespace {

using ir::Expr;
using ir::NodeKind;

// The numbers processed at a time: their registers stay in the first-level cache.
constexpr size_t kBlock = 256;

union Lane {
  float f;
  int32_t i;
};

enum class Op {
  kAdd,
  kSub,
  kMul,
  kDiv,
  kFusedAdd,
  kFusedSub,
  kFusedSubFrom,
  kAddInt,
  kSubInt,
  kLess,
  kGreater,
  kEqual,
  kAndBool,
  kSelect,
  kBitAnd,
  kBitOr,
  kShiftLeft,
  kShiftRight,
  kToFloat,
};

struct Step {
  Op op;
  int to, a, b, c;
};

bool IsInt(const Expr& e) { return e->dtype.is_int(); }

}  // namespace

struct MathProgram::Code {
  std::vector<Step> steps;
  std::vector<std::pair<int, Lane>> constants;
  int registers = 1;  // register 0 is the argument
  int result = 0;
};

namespace {

// Numbers the values of an expansion and writes its steps.
class Compiler {
 public:
  Compiler(const ir::Var& argument, const Expr& body, bool contract) : contract_(contract) {
    registers_[argument.get()] = 0;
    ir::ForEach<ir::Let>(body,
                         [&](const ir::Let& let) { definitions_[let.var.get()] = let.value; });
    ir::PostOrder(body, [&](const ir::Node& node) { CountUses(node); });
    ir::PostOrder(body, [&](const ir::Node& node) { Translate(node); });
    result_ = Register(body);
  }
  std::vector<Step> steps;
  std::vector<std::pair<int, Lane>> constants;
  int count = 1;
  int result() const { return result_; }

 private:
  // The expression that a chain of names and lets stands for.
  const ir::Node* Resolve(const Expr& e) const {
    const ir::Node* node = e.get();
    for (;;) {
      if (const auto* let = ir::As<ir::Let>(node)) {
        node = let->body.get();
      } else if (auto found = definitions_.find(node); found != definitions_.end()) {
        node = found->second.get();
      } else if (const auto* call = ir::As<ir::Call>(node);
                 call != nullptr && call->op == ir::intrinsic::kReinterpret) {
        node = call->arg(0).get();  // registers hold bits
      } else {
        return node;
      }
    }
  }
  int Register(const Expr& e) const { return registers_.at(Resolve(e)); }

  void CountUses(const ir::Node& node) {
    if (node.node_kind() == NodeKind::kLet) return;
    const auto use = [&](const Expr& e) { ++uses_[Resolve(e)]; };
    if (!IsExpr(&node)) return;
    const auto& expr = static_cast<const ir::ExprNode&>(node);
    if (const ir::Operands operands = ir::BinaryOperands(&expr)) use(*operands.a), use(*operands.b);
    if (const auto* select = ir::As<ir::Select>(&node))
      use(select->condition), use(select->true_value), use(select->false_value);
    if (const auto* cast = ir::As<ir::Cast>(&node)) use(cast->value);
    if (const auto* call = ir::As<ir::Call>(&node);
        call != nullptr && call->op != ir::intrinsic::kReinterpret) {
      for (size_t i = 0; i < call->args.size(); ++i) use(call->arg(i));
    }
  }

  const ir::Mul* Fusable(const Expr& e) const {
    const auto* product = ir::As<ir::Mul>(Resolve(e));
    return contract_ && product != nullptr && product->dtype.is_float() && uses_.at(product) == 1
               ? product
               : nullptr;
  }

  void Emit(const ir::Node& node, Op op, int a, int b = 0, int c = 0) {
    registers_[&node] = count;
    steps.push_back({op, count++, a, b, c});
  }

  void Translate(const ir::Node& node) {
    if (registers_.count(&node) != 0) return;
    switch (node.node_kind()) {
      case NodeKind::kLet:
      case NodeKind::kVarNode:
        return;
      case NodeKind::kFloatImm:
      case NodeKind::kIntImm: {
        Lane lane;
        if (const auto* number = ir::As<ir::FloatImm>(&node))
          lane.f = static_cast<float>(number->value);
        else
          lane.i = static_cast<int32_t>(static_cast<const ir::IntImm&>(node).value);
        registers_[&node] = count;
        constants.emplace_back(count++, lane);
        return;
      }
      case NodeKind::kCast: {
        const auto& cast = static_cast<const ir::Cast&>(node);
        LATHE_CHECK(IsInt(cast.value) && cast.dtype.is_float())
            << "a cast that expansions do not make";
        return Emit(node, Op::kToFloat, Register(cast.value));
      }
      case NodeKind::kSelect: {
        const auto& select = static_cast<const ir::Select&>(node);
        return Emit(node, Op::kSelect, Register(select.condition), Register(select.true_value),
                    Register(select.false_value));
      }
      case NodeKind::kCall:
        return TranslateCall(static_cast<const ir::Call&>(node));
      default:
        return TranslateBinary(static_cast<const ir::ExprNode&>(node));
    }
  }

  void TranslateCall(const ir::Call& call) {
    if (call.op == ir::intrinsic::kReinterpret) return;
    const int a = Register(call.arg(0)), b = Register(call.arg(1));
    if (call.op == ir::intrinsic::kBitwiseAnd) return Emit(call, Op::kBitAnd, a, b);
    if (call.op == ir::intrinsic::kBitwiseOr) return Emit(call, Op::kBitOr, a, b);
    if (call.op == ir::intrinsic::kShiftLeft) return Emit(call, Op::kShiftLeft, a, b);
    if (call.op == ir::intrinsic::kShiftRight) return Emit(call, Op::kShiftRight, a, b);
    LATHE_CHECK(false) << "a call that expansions do not make: " << call.op;
  }

  void TranslateBinary(const ir::ExprNode& node) {
    const ir::Operands operands = ir::BinaryOperands(&node);
    LATHE_CHECK(static_cast<bool>(operands))
        << "a node that expansions do not make: " << ir::NodeKindName(node.node_kind());
    const Expr &x = *operands.a, &y = *operands.b;
    const int a = Register(x), b = Register(y);
    switch (node.node_kind()) {
      case NodeKind::kAdd:
        if (IsInt(x)) return Emit(node, Op::kAddInt, a, b);
        if (const ir::Mul* m = Fusable(x))
          return Emit(node, Op::kFusedAdd, Register(m->a), Register(m->b), b);
        if (const ir::Mul* m = Fusable(y))
          return Emit(node, Op::kFusedAdd, Register(m->a), Register(m->b), a);
        return Emit(node, Op::kAdd, a, b);
      case NodeKind::kSub:
        if (IsInt(x)) return Emit(node, Op::kSubInt, a, b);
        if (const ir::Mul* m = Fusable(x))
          return Emit(node, Op::kFusedSub, Register(m->a), Register(m->b), b);
        if (const ir::Mul* m = Fusable(y))
          return Emit(node, Op::kFusedSubFrom, Register(m->a), Register(m->b), a);
        return Emit(node, Op::kSub, a, b);
      case NodeKind::kMul:
        return Emit(node, Op::kMul, a, b);
      case NodeKind::kDiv:
        return Emit(node, Op::kDiv, a, b);
      case NodeKind::kLT:
        return Emit(node, Op::kLess, a, b);
      case NodeKind::kGT:
        return Emit(node, Op::kGreater, a, b);
      case NodeKind::kEQ:
        return Emit(node, Op::kEqual, a, b);
      case NodeKind::kAnd:
        return Emit(node, Op::kAndBool, a, b);
      default:
        LATHE_CHECK(false) << "a node that expansions do not make: "
                           << ir::NodeKindName(node.node_kind());
    }
  }

  bool contract_;
  int result_ = 0;
  std::unordered_map<const ir::Node*, Expr> definitions_;
  std::unordered_map<const ir::Node*, int> uses_;
  std::unordered_map<const ir::Node*, int> registers_;
};

// An exact product and one rounding, except for ties in double precision (one in 2^29).
float Fused(float a, float b, double c) {
  return static_cast<float>(static_cast<double>(a) * b + c);
}

template <class F>
void ForBlock(F f) {
  for (size_t i = 0; i < kBlock; ++i) f(i);
}

void RunStep(const Step& step, Lane (*r)[kBlock]) {
  Lane *to = r[step.to], *a = r[step.a], *b = r[step.b], *c = r[step.c];
  const auto shift = static_cast<uint32_t>(b[0].i);
  switch (step.op) {
    case Op::kAdd:
      return ForBlock([=](size_t i) { to[i].f = a[i].f + b[i].f; });
    case Op::kSub:
      return ForBlock([=](size_t i) { to[i].f = a[i].f - b[i].f; });
    case Op::kMul:
      return ForBlock([=](size_t i) { to[i].f = a[i].f * b[i].f; });
    case Op::kDiv:
      return ForBlock([=](size_t i) { to[i].f = a[i].f / b[i].f; });
    case Op::kFusedAdd:
      return ForBlock([=](size_t i) { to[i].f = Fused(a[i].f, b[i].f, c[i].f); });
    case Op::kFusedSub:
      return ForBlock(
          [=](size_t i) { to[i].f = Fused(a[i].f, b[i].f, -static_cast<double>(c[i].f)); });
    case Op::kFusedSubFrom:
      return ForBlock([=](size_t i) { to[i].f = Fused(-a[i].f, b[i].f, c[i].f); });
    case Op::kAddInt:
      return ForBlock([=](size_t i) {
        to[i].i =
            static_cast<int32_t>(static_cast<uint32_t>(a[i].i) + static_cast<uint32_t>(b[i].i));
      });
    case Op::kSubInt:
      return ForBlock([=](size_t i) {
        to[i].i =
            static_cast<int32_t>(static_cast<uint32_t>(a[i].i) - static_cast<uint32_t>(b[i].i));
      });
    case Op::kLess:
      return ForBlock([=](size_t i) { to[i].i = a[i].f < b[i].f ? 1 : 0; });
    case Op::kGreater:
      return ForBlock([=](size_t i) { to[i].i = a[i].f > b[i].f ? 1 : 0; });
    case Op::kEqual:
      return ForBlock([=](size_t i) { to[i].i = a[i].f == b[i].f ? 1 : 0; });
    case Op::kAndBool:
      return ForBlock([=](size_t i) { to[i].i = a[i].i & b[i].i; });
    case Op::kSelect:
      return ForBlock([=](size_t i) { to[i].i = a[i].i != 0 ? b[i].i : c[i].i; });
    case Op::kBitAnd:
      return ForBlock([=](size_t i) { to[i].i = a[i].i & b[i].i; });
    case Op::kBitOr:
      return ForBlock([=](size_t i) { to[i].i = a[i].i | b[i].i; });
    case Op::kShiftLeft:
      return ForBlock([=](size_t i) {
        to[i].i = static_cast<int32_t>(static_cast<uint32_t>(a[i].i) << shift);
      });
    case Op::kShiftRight:
      return ForBlock([=](size_t i) { to[i].i = a[i].i >> shift; });
    case Op::kToFloat:
      return ForBlock([=](size_t i) { to[i].f = static_cast<float>(a[i].i); });
  }
}

}  // namespace

MathProgram::MathProgram(const std::string& function, bool contract)
    : code_(std::make_unique<Code>()) {
  const ir::Var x = ir::MakeVar("x", DataType::Float(32));
  const Expr call = ir::CallIntrinsic(function, {x});
  const Expr body = ExpandMathCall(*ir::As<ir::Call>(call));
  LATHE_CHECK(static_cast<bool>(body)) << function << " has no expansion";
  Compiler compiler(x, body, contract);
  code_->steps = std::move(compiler.steps);
  code_->constants = std::move(compiler.constants);
  code_->registers = compiler.count;
  code_->result = compiler.result();
}

MathProgram::~MathProgram() = default;

void MathProgram::Run(std::span<const float> x, std::span<float> y) const {
  struct Block {
    Lane lanes[kBlock];
  };
  std::vector<Block> blocks(static_cast<size_t>(code_->registers));
  auto* r = reinterpret_cast<Lane(*)[kBlock]>(blocks.data());
  for (const auto& [to, value] : code_->constants) std::fill_n(r[to], kBlock, value);
  for (size_t at = 0; at < x.size(); at += kBlock) {
    const size_t n = std::min(kBlock, x.size() - at);
    for (size_t i = 0; i < n; ++i) r[0][i].f = x[at + i];
    for (const Step& step : code_->steps) RunStep(step, r);
    for (size_t i = 0; i < n; ++i) y[at + i] = r[code_->result][i].f;
  }
}

double ExactMath(const std::string& function, double x) {
  if (function == ir::intrinsic::kExp) return std::exp(x);
  if (function == ir::intrinsic::kExp2) return std::exp2(x);
  if (function == ir::intrinsic::kLog) return std::log(x);
  if (function == ir::intrinsic::kLog2) return std::log2(x);
  if (function == ir::intrinsic::kLog10) return std::log10(x);
  if (function == ir::intrinsic::kTanh) return std::tanh(x);
  if (function == ir::intrinsic::kSigmoid)
    return x < 0 ? std::exp(x) / (1 + std::exp(x)) : 1 / (1 + std::exp(-x));
  if (function == ir::intrinsic::kErf) return std::erf(x);
  LATHE_CHECK(false) << "no exact form of " << function;
  return 0;
}

double UlpError(float got, double exact) {
  constexpr double kInfinite = std::numeric_limits<double>::infinity(), kTop = 0x1p128;
  if (std::isnan(exact) || std::isnan(got))
    return std::isnan(exact) && std::isnan(got) ? 0 : kInfinite;
  // The correctly rounded result counts as exact, also for infinities.
  if (static_cast<float>(exact) == got) {
    if (exact == 0) return 0;
    if (std::isinf(got)) return 0;
  }
  const double limited = std::clamp(exact, -kTop, kTop);
  const double value = std::isinf(got) ? std::copysign(kTop, got) : got;
  // The exponent from the bits: fast, and right for every normal double.
  const int exponent = static_cast<int>((std::bit_cast<uint64_t>(limited) >> 52) & 0x7ff) - 1023;
  const int ulp_exponent = std::max(std::min(exponent, 127) - 23, -149);
  const double inverse_ulp =
      std::bit_cast<double>(static_cast<uint64_t>(1023 - ulp_exponent) << 52);
  return std::fabs(value - limited) * inverse_ulp;
}

WorstError MeasureRange(const MathProgram& program, const std::string& function, uint64_t begin,
                        uint64_t end) {
  WorstError worst;
  std::vector<float> x(1 << 14), y(1 << 14);
  for (uint64_t at = begin; at < end; at += x.size()) {
    const size_t n = std::min<uint64_t>(x.size(), end - at);
    for (size_t i = 0; i < n; ++i) x[i] = std::bit_cast<float>(static_cast<uint32_t>(at + i));
    program.Run({x.data(), n}, {y.data(), n});
    for (size_t i = 0; i < n; ++i) {
      const double ulps = UlpError(y[i], ExactMath(function, x[i]));
      if (ulps > worst.ulps) worst = {ulps, x[i]};
    }
  }
  return worst;
}

}  // namespace lathe::lower
