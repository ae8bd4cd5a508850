// Calls: mathematics, bits, threads, and intrinsics of the language.
#include <algorithm>
#include <limits>

#include "base/error.h"
#include "ir/intrinsic.h"
#include "ir/intrinsic_names.h"
#include "plugins/sdk/c_emitter.h"

namespace lathe::sdk::internal {

using ir::As;

namespace {

bool IsOneOf(std::string_view op, std::initializer_list<std::string_view> names) {
  return std::find(names.begin(), names.end(), op) != names.end();
}

std::string StringArg(const ir::Call& call, size_t i) {
  const auto* text = i < call.args.size() ? As<ir::StringImm>(call.args[i]) : nullptr;
  return text == nullptr ? "" : text->value;
}

}  // namespace

std::string CEmitter::Math(const std::string& op, DataType part,
                           const std::vector<std::string>& args) {
  std::string text = d_.Math(op, part, args);
  if (text.empty()) CDialect::Unsupported("function " + op + " on " + part.ToString());
  return text;
}

void CEmitter::EmitArms(const ir::Call& call) {
  CLines::Captured second = std::move(arms_.back());
  arms_.pop_back();
  CLines::Captured first = std::move(arms_.back());
  arms_.pop_back();
  CValue b = Pop(), a = Pop(), condition = Pop();
  const DataType type = call.dtype;
  Materialise(&a);
  Materialise(&b);
  if (first.empty() && second.empty() && type.is_scalar()) {
    // C's operator ?: evaluates one arm.
    const int depth = std::max({a.depth, b.depth, condition.depth}) + 1;
    return PushText(
        type, "(" + Scalar(std::move(condition)) + " ? " + a.parts[0] + " : " + b.parts[0] + ")",
        depth);
  }
  CValue out{.type = type};
  for (size_t i = 0; i < a.parts.size(); ++i) {
    out.parts.push_back(NewName("t"));
    out_.Add(d_.Type(PartOf(type)) + " " + out.parts.back() + ";");
  }
  out_.Open("if (" + Bare(Scalar(std::move(condition))) + ") {");
  out_.Add(std::move(first));
  for (size_t i = 0; i < a.parts.size(); ++i) out_.Add(out.parts[i] + " = " + a.parts[i] + ";");
  out_.Close("} else {");
  out_.Reopen();
  out_.Add(std::move(second));
  for (size_t i = 0; i < b.parts.size(); ++i) out_.Add(out.parts[i] + " = " + b.parts[i] + ";");
  out_.Close();
  Push(std::move(out));
}

void CEmitter::EmitCall(const ir::Call& call) {
  if (call.op == ir::intrinsic::kIfThenElse) return EmitArms(call);
  std::vector<CValue> args(call.args.size());
  for (size_t i = args.size(); i-- > 0;) {
    if (ir::IsExpr(call.args[i].get())) args[i] = Pop();
  }
  if (EmitMath(call, args) || EmitBits(call, args) || EmitThreads(call, args) ||
      EmitExtern(call, args) || EmitHost(call, args) || EmitIntrinsic(call, args))
    return;
  CDialect::Unsupported("intrinsic " + call.op);
}

// A power of ldexp, as int32.
std::string CEmitter::LdexpPower(DataType power, const std::string& text) {
  const DataType i32 = DataType::Int(32, power.lanes());
  if (power == i32) return text;
  // For powers beyond +-5000 the result is 0 or infinite in every format.
  const std::string n = Named(power, text);
  const auto bound = [&](int64_t value) {
    const std::string literal = IntLiteral(power.element_of(), value);
    return power.lanes() == 1 ? literal : d_.Splat(power, literal);
  };
  std::string clamped = n;
  if (power.bits() >= 16) {
    clamped = Named(power, d_.MinMax(false, power, n, Named(power, bound(5000))));
    if (power.is_int())
      clamped = Named(power, d_.MinMax(true, power, clamped, Named(power, bound(-5000))));
  }
  return d_.Convert(i32, power, clamped);
}

bool CEmitter::EmitMath(const ir::Call& call, std::vector<CValue>& args) {
  const ir::Intrinsic* intrinsic = ir::FindIntrinsic(call.op);
  if (intrinsic == nullptr || !intrinsic->elementwise || args.empty()) return false;
  const std::string& op = call.op;
  const DataType type = call.arg(0)->dtype;
  if (!type.is_float()) {
    if (op == ir::intrinsic::kAbs) {
      if (type.is_uint()) return Push(std::move(args[0])), true;
      Materialise(&args[0]);
      Name(&args[0]);
      Push(PerPart(type, {&args[0]}, [&](DataType part, const std::vector<std::string>& x) {
        return d_.Select(part, d_.Compare("<", part, x[0], Zero(part)),
                         Wrapping("-", part, Zero(part), x[0], false), x[0]);
      }));
      return true;
    }
    return false;
  }
  if (op == ir::intrinsic::kNextafter && type.bits() < 32)
    CDialect::Unsupported("function nextafter on " + type.ToString());
  const bool narrow = type.bits() < 32;
  const bool test =
      IsOneOf(op, {ir::intrinsic::kIsnan, ir::intrinsic::kIsinf, ir::intrinsic::kIsfinite});
  std::vector<CValue*> pointers;
  for (CValue& arg : args) {
    Materialise(&arg);
    if (test || narrow) Name(&arg);
    pointers.push_back(&arg);
  }
  CValue out = PerPart(call.dtype, pointers, [&](DataType part, std::vector<std::string> x) {
    const int lanes = part.lanes();
    const DataType given = type.with_lanes(lanes);
    const DataType wide = narrow ? DataType::Float(32, lanes) : given;
    for (size_t i = 0; i < x.size(); ++i) {
      const DataType own = call.arg(i)->dtype.with_lanes(lanes);
      if (narrow && own.is_float()) x[i] = Named(wide, d_.Convert(wide, own, x[i]));
    }
    if (op == ir::intrinsic::kIsnan) return d_.Compare("!=", wide, x[0], x[0]);
    if (test) {
      const std::string infinity =
          Literal(wide.element_of(), std::numeric_limits<double>::infinity());
      return d_.Compare(op == ir::intrinsic::kIsinf ? "==" : "<", wide,
                        Math(ir::intrinsic::kAbs, wide, {x[0]}),
                        lanes == 1 ? infinity : d_.Splat(wide, infinity));
    }
    const auto one = [&] {
      const std::string text = Literal(wide.element_of(), 1);
      return lanes == 1 ? text : d_.Splat(wide, text);
    };
    std::string result;
    if (op == ir::intrinsic::kSigmoid) {
      result = "(" + one() + " / (" + one() + " + " +
               Math(ir::intrinsic::kExp, wide, {"(-" + x[0] + ")"}) + "))";
    } else if (op == ir::intrinsic::kRsqrt) {
      result = d_.Math(ir::intrinsic::kRsqrt, wide, x);
      if (result.empty()) result = "(" + one() + " / " + Math(ir::intrinsic::kSqrt, wide, x) + ")";
    } else if (op == ir::intrinsic::kLdexp) {
      x[1] = LdexpPower(call.arg(1)->dtype.with_lanes(lanes), x[1]);
      result = Math(ir::intrinsic::kLdexp, wide, x);
    } else {
      result = Math(op, wide, x);
    }
    return narrow ? d_.Convert(given, wide, result) : result;
  });
  Push(std::move(out));
  return true;
}

void CEmitter::EmitReinterpret(const ir::Call& call, std::vector<CValue>& args) {
  const DataType from = call.arg(0)->dtype;
  Materialise(&args[0]);
  if (from.lanes() == call.dtype.lanes()) {
    return Push(
        PerPart(call.dtype, {&args[0]}, [&](DataType part, const std::vector<std::string>& x) {
          return d_.Reinterpret(part, from.with_lanes(part.lanes()), x[0]);
        }));
  }
  // Concatenates whole parts if the values are kept in parts.
  const int depth = args[0].depth + 1;
  std::string text = args[0].parts[0];
  if (PartsOf(from) != 1) {
    Name(&args[0]);
    text = d_.Compose(from, Lanes(std::move(args[0])));
  }
  text = d_.Reinterpret(call.dtype, from, text);
  if (PartsOf(call.dtype) == 1) return PushText(call.dtype, text, depth);
  const std::string whole = Named(call.dtype, text);
  std::vector<std::string> lanes;
  for (int i = 0; i < call.dtype.lanes(); ++i) lanes.push_back(d_.Lane(call.dtype, whole, i));
  Push(FromLanes(call.dtype, lanes));
}

void CEmitter::EmitQMultiplyShift(const ir::Call& call, std::vector<CValue>& args) {
  std::vector<std::vector<std::string>> lanes;
  for (CValue& arg : args) {
    Name(&arg);
    lanes.push_back(Lanes(std::move(arg)));
  }
  const std::string function = helpers_.QMultiplyShift();
  std::vector<std::string> out;
  for (size_t i = 0; i < lanes[0].size(); ++i)
    out.push_back(function + "(" + lanes[0][i] + ", " + lanes[1][i] + ", " + lanes[2][i] + ", " +
                  lanes[3][i] + ")");
  Push(FromLanes(call.dtype, out));
}

bool CEmitter::EmitBits(const ir::Call& call, std::vector<CValue>& args) {
  const std::string& op = call.op;
  if (op == ir::intrinsic::kLikely) return Push(std::move(args[0])), true;
  if (op == ir::intrinsic::kUndef) {
    Push(PerPart(call.dtype, {},
                 [&](DataType part, const std::vector<std::string>&) { return Zero(part); }));
    return true;
  }
  if (op == ir::intrinsic::kVectorLow || op == ir::intrinsic::kVectorHigh) {
    Name(&args[0]);
    std::vector<std::string> lanes = Lanes(std::move(args[0]));
    const auto half = static_cast<std::ptrdiff_t>(lanes.size() / 2);
    lanes = op == ir::intrinsic::kVectorLow
                ? std::vector<std::string>(lanes.begin(), lanes.begin() + half)
                : std::vector<std::string>(lanes.begin() + half, lanes.end());
    if (call.dtype.is_scalar()) return PushText(call.dtype, lanes[0], 1), true;
    return Push(FromLanes(call.dtype, lanes)), true;
  }
  if (op == ir::intrinsic::kVectorConcat) {
    std::vector<std::string> lanes;
    for (CValue& arg : args) {
      Name(&arg);
      for (std::string& lane : Lanes(std::move(arg))) lanes.push_back(std::move(lane));
    }
    return Push(FromLanes(call.dtype, lanes)), true;
  }
  if (op == ir::intrinsic::kReinterpret) return EmitReinterpret(call, args), true;
  if (op == ir::intrinsic::kQMultiplyShift) return EmitQMultiplyShift(call, args), true;
  return EmitBitwise(call, args);
}

bool CEmitter::EmitBitwise(const ir::Call& call, std::vector<CValue>& args) {
  const std::string& op = call.op;
  const char* symbol = op == ir::intrinsic::kBitwiseAnd   ? "&"
                       : op == ir::intrinsic::kBitwiseOr  ? "|"
                       : op == ir::intrinsic::kBitwiseXor ? "^"
                       : op == ir::intrinsic::kShiftLeft  ? "<<"
                       : op == ir::intrinsic::kShiftRight ? ">>"
                                                          : nullptr;
  if (symbol != nullptr) {
    Push(PerPart(
        call.dtype, {&args[0], &args[1]}, [&](DataType part, const std::vector<std::string>& x) {
          const DataType u = DataType::UInt(std::max(part.bits(), 32), part.lanes());
          // In a function of a host, the optimizer must not take such a shift for one that cannot
          // be.
          const std::string count =
              host_ && ir::AsConstInt(call.arg(1)) == nullptr
                  ? "(" + x[1] + " & " + IntLiteral(call.arg(1)->dtype, part.bits() - 1) + ")"
                  : x[1];
          // The shifted value is made unsigned: shifting bits out of a signed number is undefined
          // in C.
          if (op == ir::intrinsic::kShiftLeft && part.is_int() && part.is_scalar())
            return "((" + d_.Type(part) + ")((" + d_.Type(u) + ")" + x[0] + " << " + count + "))";
          const bool shift = symbol[0] == '<' || symbol[0] == '>';
          const std::string text = "(" + x[0] + " " + symbol + " " + (shift ? count : x[1]) + ")";
          return part.is_scalar() && part.bits() < 32 ? "((" + d_.Type(part) + ")" + text + ")"
                                                      : text;
        }));
    return true;
  }
  if (op == ir::intrinsic::kBitwiseNot) {
    Push(PerPart(call.dtype, {&args[0]}, [&](DataType part, const std::vector<std::string>& x) {
      return part.is_scalar() && part.bits() < 32 ? "((" + d_.Type(part) + ")~" + x[0] + ")"
                                                  : "(~" + x[0] + ")";
    }));
    return true;
  }
  if (op == ir::intrinsic::kPopcount || op == ir::intrinsic::kClz) {
    Push(PerPart(call.dtype, {&args[0]}, [&](DataType part, const std::vector<std::string>& x) {
      return Math(op, part, x);
    }));
    return true;
  }
  return false;
}

bool CEmitter::EmitThreads(const ir::Call& call, std::vector<CValue>& args) {
  const std::string& op = call.op;
  if (op == ir::intrinsic::kBarrier) {
    out_.Add(d_.Barrier(StringArg(call, 0)) + ";");
    return true;
  }
  const auto text_of = [&](size_t i) {
    Materialise(&args[i]);
    Name(&args[i]);
    return Scalar(args[i]);
  };
  if (op.starts_with(ir::intrinsic::kAtomicPrefix)) {
    std::vector<std::string> operands;
    for (size_t i = 1; i < args.size(); ++i) operands.push_back(text_of(i));
    const std::string pointer = args[0].parts.at(0);
    return PushText(call.dtype,
                    Named(call.dtype, d_.Atomic(op, call.dtype, args[0].scope, pointer, operands)),
                    0),
           true;
  }
  if (op.starts_with(ir::intrinsic::kWarpShuffle)) {
    // Lane by lane: the languages have shuffles of scalars only.
    const DataType scalar = call.dtype.element_of();
    Name(&args[1]);
    std::vector<std::string> lanes;
    const std::string mask = text_of(0), x = text_of(2), width = text_of(3);
    for (const std::string& lane : Lanes(args[1]))
      lanes.push_back(Named(scalar, d_.Shuffle(op, scalar, {mask, lane, x, width})));
    if (scalar == call.dtype) return PushText(scalar, lanes[0], 0), true;
    return Push(FromLanes(call.dtype, lanes)), true;
  }
  if (op == ir::intrinsic::kWarpActiveMask)
    return PushText(call.dtype, Named(call.dtype, d_.ActiveMask(call.dtype)), 0), true;
  if (op == ir::intrinsic::kAsyncCopy) {
    const auto* to = As<ir::Load>(call.arg(0));
    const DataType element = to->dtype;
    const int64_t* count = ir::AsConstInt(call.arg(2));
    const std::string target = args[0].parts.at(0), source = args[1].parts.at(0);
    if (count != nullptr) {
      const std::string text = d_.AsyncCopy(element, args[0].scope, target, args[1].scope, source,
                                            *count, std::min(args[0].alignment, args[1].alignment));
      if (!text.empty()) return out_.Add(text + ";"), true;
    }
    const std::string n = text_of(2), i = NewName("i");
    out_.Open("for (" + d_.Type(DataType::Int(32)) + " " + i + " = 0; " + i + " < " + n + "; ++" +
              i + ") {");
    out_.Add(target + "[" + i + "] = " + source + "[" + i + "];");
    out_.Close();
    return true;
  }
  if (op == ir::intrinsic::kAsyncCommit || op == ir::intrinsic::kAsyncWait) {
    const std::string text = op == ir::intrinsic::kAsyncCommit
                                 ? d_.AsyncCommit()
                                 : d_.AsyncWait(*ir::AsConstInt(call.arg(0)));
    if (!text.empty()) out_.Add(text + ";");
    return true;
  }
  return false;
}

bool CEmitter::EmitExtern(const ir::Call& call, std::vector<CValue>& args) {
  const std::string& op = call.op;
  if (op == ir::intrinsic::kAddressOf) return Push(std::move(args[0])), true;
  if (op == ir::intrinsic::kAccessPtr) {
    const auto* buffer = As<ir::BufferNode>(call.args[0]);
    const Memory& memory = MemoryOf(*buffer);
    Materialise(&args[1]);
    CValue out{.type = DataType::Handle(),
               .parts = {"(" + memory.name + " + " + Scalar(args[1]) + ")"},
               .depth = args[1].depth + 1};
    out.is_place = true;
    out.scope = memory.scope;
    out.alignment = buffer->dtype.element_of().bytes();
    return Push(std::move(out)), true;
  }
  if (op != ir::intrinsic::kCallExtern && op != ir::intrinsic::kCallPureExtern) return false;
  std::vector<COperand> operands = HostOperands(call, args, 1);
  for (const COperand& operand : operands)
    if (operand.string != nullptr && !host_) CDialect::Unsupported("text to pass to " + call.op);
  return PushResult(call, d_.ExternCall(StringArg(call, 0), call.dtype, operands)), true;
}

bool CEmitter::EmitIntrinsic(const ir::Call& call, std::vector<CValue>& args) {
  if (host_) return false;  // a manifest's intrinsics are for kernels
  const std::string text = d_.Intrinsic(call.op, call.dtype, Operands(call, args, 0));
  if (text.empty()) return false;
  return PushResult(call, text), true;
}

std::vector<std::string> CEmitter::Operands(const ir::Call& call, std::vector<CValue>& args,
                                            size_t from) {
  std::vector<std::string> out;
  for (size_t i = from; i < args.size(); ++i) {
    if (const auto* buffer = As<ir::BufferNode>(call.args[i])) {
      out.push_back(MemoryOf(*buffer).name);
      continue;
    }
    if (As<ir::StringImm>(call.args[i]) != nullptr)
      CDialect::Unsupported("text to pass to " + call.op);
    Materialise(&args[i]);
    if (args[i].parts.size() != 1)
      CDialect::Unsupported("vector of " + args[i].type.ToString() + " to pass to a function");
    out.push_back(args[i].parts[0]);
  }
  return out;
}

void CEmitter::PushResult(const ir::Call& call, const std::string& text) {
  if (call.dtype.is_void()) return out_.Add(text + ";");
  if (PartsOf(call.dtype) != 1)
    CDialect::Unsupported("vector of " + call.dtype.ToString() + " for a function's result");
  PushText(call.dtype, Named(call.dtype, text), 0);
}

}  // namespace lathe::sdk::internal
