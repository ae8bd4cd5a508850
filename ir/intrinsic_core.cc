// Intrinsics of control, calls, vectors, memory and the calling convention. The interpreter itself
// computes most of them (ir/interpreter/builtins.cc), because only it knows memory and functions.

#include <cmath>
#include <limits>
#include <utility>

#include "base/message.h"
#include "ir/buffer.h"
#include "ir/intrinsic_names.h"
#include "ir/intrinsic_table.h"

namespace lathe::ir {
namespace {

using K = ArgKind;

struct Entry {
  Intrinsic it;
  Entry(const char* name, CallEffect effect, std::vector<ArgKind> args, ResultRule rule,
        const char* doc) {
    it.name = name;
    it.effect = effect;
    it.args = std::move(args);
    it.result_rule = rule;
    it.doc = doc;
  }
  Entry& Returns(DataType type) {
    it.result_rule = ResultRule::kFixed;
    it.result = type;
    return *this;
  }
  Entry& More(ArgKind kind) {
    it.variadic = true;
    it.rest = kind;
    return *this;
  }
  Entry& Check(std::function<std::string(const std::vector<NodeRef>&, DataType)> check) {
    it.check = std::move(check);
    return *this;
  }
  Entry& Evaluate(IntrinsicFunction evaluate) {
    it.evaluate = std::move(evaluate);
    return *this;
  }
};

DataType ArgType(const std::vector<NodeRef>& args, size_t i) { return RefExpr(args[i])->dtype; }

std::string CheckArms(const std::vector<NodeRef>& args, DataType) {
  if (!ArgType(args, 0).is_scalar()) {
    return "the condition must be a scalar, not " + ArgType(args, 0).ToString() +
           " (select takes one condition per lane)";
  }
  if (ArgType(args, 1) != ArgType(args, 2)) {
    return "the arms must have one type, not " + ArgType(args, 1).ToString() + " and " +
           ArgType(args, 2).ToString();
  }
  return "";
}

std::string CheckReinterpret(const std::vector<NodeRef>& args, DataType type) {
  const DataType from = ArgType(args, 0);
  if (from.bits() * from.lanes() == type.bits() * type.lanes() &&
      from.is_scalable() == type.is_scalable()) {
    return "";
  }
  return "both types must have the same size, not " + from.ToString() + " and " + type.ToString();
}

std::string CheckHalf(const std::vector<NodeRef>& args, DataType type) {
  const DataType from = ArgType(args, 0);
  if (from.element_of() == type.element_of() && from.lanes() == 2 * type.lanes() &&
      from.is_scalable() == type.is_scalable()) {
    return "";
  }
  return "half of " + from.ToString() + " is not " + type.ToString();
}

std::string CheckConcat(const std::vector<NodeRef>& args, DataType type) {
  int lanes = 0;
  for (size_t i = 0; i < args.size(); ++i) {
    const DataType part = ArgType(args, i);
    if (part.element_of() != type.element_of() || part.is_scalable() != type.is_scalable()) {
      return "part " + std::to_string(i + 1) + " is " + part.ToString() + ", the result " +
             type.ToString();
    }
    lanes += part.lanes();
  }
  if (lanes == type.lanes()) return "";
  return "the parts have " + std::to_string(lanes) + " lanes together, the result " +
         type.ToString();
}

std::string CheckScalarResult(const std::vector<NodeRef>&, DataType type) {
  if (type.is_scalar()) return "";
  return "it gives a scalar, not " + type.ToString();
}

std::string CheckScalarArgs(const std::vector<NodeRef>& args, DataType) {
  const DataType last = ArgType(args, args.size() - 1);
  if (last.is_scalar()) return "";
  return "the value must be a scalar, not " + last.ToString();
}

std::string CheckRaise(const std::vector<NodeRef>& args, DataType) {
  if (As<StringImm>(args[0])->value.empty()) return "an error has a name";
  if (args.size() > 2 + kMostShown)
    return "at most " + std::to_string(kMostShown) + " values can be shown";
  for (size_t i = 2; i < args.size(); ++i) {
    if (!ArgType(args, i).is_scalar())
      return "a value that is shown must be a scalar, not " + ArgType(args, i).ToString();
  }
  return "";
}

// The value is unspecified by contract. These values are noticed if they leak: NaN, or bits
// 0101....
void EvaluateUndef(const IntrinsicCall& call) {
  for (Lane& lane : call.result) {
    if (call.type.is_float()) {
      lane.d = std::numeric_limits<double>::quiet_NaN();
    } else {
      lane.i = 0x5555555555555555;
    }
  }
}

void EvaluateHalf(const IntrinsicCall& call, bool high) {
  const size_t half = call.result.size();
  for (size_t k = 0; k < half; ++k) call.result[k] = call.args[0][high ? half + k : k];
}

void EvaluateConcat(const IntrinsicCall& call) {
  size_t at = 0;
  for (std::span<const Lane> part : call.args) {
    for (Lane lane : part) call.result[at++] = lane;
  }
}

void AddControl(std::vector<Entry>& out) {
  out.push_back(Entry(intrinsic::kIfThenElse, CallEffect::kPure, {K::kBool, K::kValue, K::kValue},
                      ResultRule::kSecond, "evaluates only the arm that the condition takes")
                    .Check(CheckArms));
  out.push_back(Entry(intrinsic::kLikely, CallEffect::kPure, {K::kBool}, ResultRule::kFirst,
                      "the argument; expected to be true (marks bound guards)")
                    .Evaluate([](const IntrinsicCall& call) {
                      for (size_t k = 0; k < call.result.size(); ++k) {
                        call.result[k] = call.args[0][k];
                      }
                    }));
  out.push_back(Entry(intrinsic::kReturn, CallEffect::kOpaque, {K::kValue}, ResultRule::kVoid,
                      "ends the function with this value")
                    .Check(CheckScalarArgs));
}

void AddCalls(std::vector<Entry>& out) {
  out.push_back(
      Entry(
          intrinsic::kCallExtern, CallEffect::kOpaque, {K::kString}, ResultRule::kCaller,
          "calls a C function by its symbol; buffers are passed as pointers to their first element")
          .More(K::kAny));
  out.push_back(Entry(intrinsic::kCallPureExtern, CallEffect::kPure, {K::kString},
                      ResultRule::kCaller, "calls a C function without side effects by its symbol")
                    .More(K::kAny));
  out.push_back(
      Entry(
          intrinsic::kCallPacked, CallEffect::kOpaque, {K::kString}, ResultRule::kCaller,
          "calls a registered function by name; buffers are passed as tensors; lowered before flat")
          .More(K::kAny));
  out.push_back(Entry(intrinsic::kCallPlain, CallEffect::kOpaque, {K::kString}, ResultRule::kCaller,
                      "calls a function of this module directly")
                    .More(K::kValue));
  out.push_back(Entry(intrinsic::kLlvmIntrinsic, CallEffect::kPure, {K::kString},
                      ResultRule::kCaller,
                      "LLVM's intrinsic of that name; only ones without side effects")
                    .More(K::kValue));
  out.push_back(Entry(intrinsic::kLlvmIntrinsicWithEffects, CallEffect::kOpaque, {K::kString},
                      ResultRule::kCaller,
                      "LLVM's intrinsic of that name; it may change memory and registers")
                    .More(K::kValue));
}

void AddVectors(std::vector<Entry>& out) {
  out.push_back(Entry(intrinsic::kReinterpret, CallEffect::kPure, {K::kValue}, ResultRule::kCaller,
                      "the same bits as another type of the same size; lane 0 lies lowest")
                    .Check(CheckReinterpret));
  out.push_back(Entry(intrinsic::kVectorLow, CallEffect::kPure, {K::kNumber}, ResultRule::kCaller,
                      "the first half of the lanes")
                    .Check(CheckHalf)
                    .Evaluate([](const IntrinsicCall& call) { EvaluateHalf(call, false); }));
  out.push_back(Entry(intrinsic::kVectorHigh, CallEffect::kPure, {K::kNumber}, ResultRule::kCaller,
                      "the second half of the lanes")
                    .Check(CheckHalf)
                    .Evaluate([](const IntrinsicCall& call) { EvaluateHalf(call, true); }));
  out.push_back(Entry(intrinsic::kVectorConcat, CallEffect::kPure, {K::kNumber},
                      ResultRule::kCaller, "the lanes of all arguments, one after the other")
                    .More(K::kNumber)
                    .Check(CheckConcat)
                    .Evaluate(EvaluateConcat));
  out.push_back(Entry(intrinsic::kUndef, CallEffect::kPure, {}, ResultRule::kCaller,
                      "an unspecified value, for lanes and arms that are not used")
                    .Evaluate(EvaluateUndef));
}

void AddMemory(std::vector<Entry>& out) {
  out.push_back(Entry(intrinsic::kAddressOf, CallEffect::kPure, {K::kLoad}, ResultRule::kCaller,
                      "the address of the element that the load names; nothing is read")
                    .Returns(DataType::Handle()));
  out.push_back(Entry(intrinsic::kAccessPtr, CallEffect::kPure,
                      {K::kBuffer, K::kIndex, K::kIndex, K::kIndex}, ResultRule::kCaller,
                      "the address of element `offset`, of which `extent` are accessed; mask bit 0 "
                      "reads, bit 1 writes")
                    .Returns(DataType::Handle()));
  out.push_back(Entry(intrinsic::kPointerIsNull, CallEffect::kPure, {K::kHandle},
                      ResultRule::kCaller, "whether the handle is null")
                    .Returns(DataType::Bool()));
}

void AddCallingConvention(std::vector<Entry>& out) {
  const auto reads = CallEffect::kReads, writes = CallEffect::kWrites, pure = CallEffect::kPure;
  out.push_back(Entry(intrinsic::kArgKind, reads, {K::kHandle, K::kIndex}, ResultRule::kCaller,
                      "the kind (lathe_value_kind) of packed argument i")
                    .Returns(DataType::Int(32)));
  out.push_back(
      Entry(intrinsic::kArgValue, reads, {K::kHandle, K::kIndex}, ResultRule::kCaller,
            "the payload of packed argument i, as the call's type: int64, float64, bool or handle")
          .Check(CheckScalarResult));
  out.push_back(Entry(intrinsic::kTensorField, reads, {K::kHandle, K::kString}, ResultRule::kCaller,
                      "a field of a DLTensor: data, ndim, shape, strides, byte_offset, dtype and "
                      "device in one word, dtype_code, dtype_bits, dtype_lanes, device_type or "
                      "device_id"));
  out.push_back(Entry(intrinsic::kShapeAt, reads, {K::kHandle, K::kIndex}, ResultRule::kCaller,
                      "element i of a DLTensor's shape or strides")
                    .Returns(DataType::Int(64)));
  out.push_back(Entry(intrinsic::kSlotLoad, reads, {K::kHandle, K::kIndex}, ResultRule::kCaller,
                      "the 8-byte slot i as the call's type")
                    .Check(CheckScalarResult));
  out.push_back(Entry(intrinsic::kSlotStore, writes, {K::kHandle, K::kIndex, K::kValue},
                      ResultRule::kVoid, "stores a scalar into the 8-byte slot i")
                    .Check(CheckScalarArgs));
  out.push_back(Entry(intrinsic::kPointerAt, reads, {K::kHandle, K::kIndex}, ResultRule::kCaller,
                      "element i of a C array of pointers")
                    .Returns(DataType::Handle()));
  out.push_back(Entry(intrinsic::kWorkspaceAt, pure, {K::kHandle, K::kIndex}, ResultRule::kCaller,
                      "the memory that begins so many bytes behind the handle; nothing else shows "
                      "what is accessed through it")
                    .Returns(DataType::Handle()));
  out.push_back(Entry(intrinsic::kStackSlots, CallEffect::kOpaque, {K::kIndex}, ResultRule::kCaller,
                      "n 8-byte slots that live until the function returns")
                    .Returns(DataType::Handle()));
  out.push_back(Entry(intrinsic::kStackValues, CallEffect::kOpaque, {K::kIndex},
                      ResultRule::kCaller,
                      "n tagged values that live until the function returns, all none at first")
                    .Returns(DataType::Handle()));
  out.push_back(
      Entry(intrinsic::kStackTensor, CallEffect::kOpaque,
            {K::kHandle, K::kIndex, K::kHandle, K::kHandle, K::kIndex, K::kIndex, K::kIndex,
             K::kIndex, K::kIndex, K::kIndex},
            ResultRule::kCaller,
            "a DLTensor of data, ndim, shape, strides, byte_offset, dtype code, bits and lanes, "
            "device type and id, that lives until the function returns")
          .Returns(DataType::Handle()));
  out.push_back(Entry(intrinsic::kValueSet, writes, {K::kHandle, K::kIndex, K::kIndex, K::kValue},
                      ResultRule::kVoid,
                      "sets value i to a kind (lathe_value_kind) and its payload")
                    .Check(CheckScalarArgs));
  out.push_back(Entry(intrinsic::kValueGet, reads, {K::kHandle, K::kIndex}, ResultRule::kCaller,
                      "the payload of value i as the call's type")
                    .Check(CheckScalarResult));
  out.push_back(Entry(intrinsic::kValueKind, reads, {K::kHandle, K::kIndex}, ResultRule::kCaller,
                      "the kind (lathe_value_kind) of value i")
                    .Returns(DataType::Int(32)));
  out.push_back(Entry(intrinsic::kRuntimeCall, CallEffect::kOpaque, {K::kString},
                      ResultRule::kCaller, "calls the entry of that name in the runtime's table")
                    .More(K::kValue));
  out.push_back(Entry(intrinsic::kRaise, CallEffect::kOpaque, {K::kString, K::kString},
                      ResultRule::kVoid,
                      "stores an error for whoever called: its name, its message, and values for "
                      "the message's places; control goes on behind it")
                    .More(K::kValue)
                    .Check(CheckRaise));
  out.push_back(Entry(intrinsic::kFunctionAddress, pure, {K::kString}, ResultRule::kCaller,
                      "the address of a function of this module")
                    .Returns(DataType::Handle()));
  out.push_back(Entry(intrinsic::kCallSiteCache, CallEffect::kOpaque, {}, ResultRule::kCaller,
                      "the address of a word, zero at first, that this call site keeps")
                    .Returns(DataType::Handle()));
}

}  // namespace

std::vector<Intrinsic> CoreIntrinsics() {
  std::vector<Entry> entries;
  AddControl(entries);
  AddCalls(entries);
  AddVectors(entries);
  AddMemory(entries);
  AddCallingConvention(entries);
  std::vector<Intrinsic> out;
  out.reserve(entries.size());
  for (Entry& entry : entries) out.push_back(std::move(entry.it));
  return out;
}

}  // namespace lathe::ir
