// The intrinsics for memory, functions and the calling convention.

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/error.h"
#include "base/message.h"
#include "ir/interpreter/extern.h"
#include "ir/interpreter/machine.h"
#include "ir/intrinsic_names.h"
#include "ir/names.h"

namespace lathe::ir::interp {
namespace {

Handle HandleArg(const Frame& frame, const CallSite& site, size_t i) {
  return static_cast<Handle>(Machine::Scalar(frame, site, i).i);
}
int64_t IntArg(const Frame& frame, const CallSite& site, size_t i) {
  return Machine::Scalar(frame, site, i).i;
}

// -- Vectors.

void DoReinterpret(Machine&, Frame& frame, const CallSite& site) {
  const Operand& from = site.args[0].operand;
  const DataType in = from.type.element_of(), out = site.result.type.element_of();
  std::vector<uint8_t> bytes(static_cast<size_t>(in.bits()) * static_cast<size_t>(from.lanes) / 8 +
                             1);
  const Lane* lanes = frame.lanes.data() + from.at;
  for (int k = 0; k < from.lanes; ++k) WriteLane(bytes.data(), k, in, lanes[k]);
  Lane* result = Machine::Result(frame, site);
  for (int k = 0; k < site.result.lanes; ++k) result[k] = ReadLane(bytes.data(), k, out);
}

// -- Memory.

void DoAddressOf(Machine& machine, Frame& frame, const CallSite& site) {
  const Access& access = frame.code->accesses[static_cast<size_t>(site.args[0].index)];
  Machine::Result(frame, site)->i = static_cast<int64_t>(machine.Locate(frame, access, 0));
}

void DoAccessPtr(Machine& machine, Frame& frame, const CallSite& site) {
  const LiveBuffer& buffer = frame.buffers[static_cast<size_t>(site.args[0].index)];
  const int64_t offset = IntArg(frame, site, 1), extent = IntArg(frame, site, 2);
  const auto bytes = static_cast<int64_t>(buffer.element_bytes);
  int64_t begin = 0, length = 0;
  if (offset < 0 || extent < 0 || __builtin_add_overflow(buffer.offset, offset, &begin) ||
      __builtin_mul_overflow(begin, bytes, &begin) ||
      __builtin_mul_overflow(extent, bytes, &length)) {
    Fail("interpret-out-of-bounds", "an access pointer leaves `" + buffer.node->name + "`",
         "elements within its memory",
         std::to_string(extent) + " elements from element " + std::to_string(offset));
  }
  Handle at = 0;
  if (buffer.data != 0) {
    at = machine.memory().Advance(buffer.data, begin, intrinsic::kAccessPtr);
    machine.memory().Advance(at, length, intrinsic::kAccessPtr);
  }
  Machine::Result(frame, site)->i = static_cast<int64_t>(at);
}

void DoPointerIsNull(Machine&, Frame& frame, const CallSite& site) {
  Machine::Result(frame, site)->i = HandleArg(frame, site, 0) == 0 ? 1 : 0;
}

// -- Tagged values.

// The payload of a value, converted to the call's type.
Lane Payload(const ValueCell& cell, DataType type, const char* use) {
  bool fits = false;
  switch (cell.kind) {
    case LATHE_VALUE_INT:
    case LATHE_VALUE_BOOL:
      fits = type.is_integral() || type.is_bool();
      break;
    case LATHE_VALUE_FLOAT:
      fits = type.is_float();
      break;
    case LATHE_VALUE_DTYPE:
    case LATHE_VALUE_DEVICE:
      // Their eight bytes as a number.
      fits = type.is_integral() && type.bits() == 64;
      break;
    default:
      fits = type.is_handle();
  }
  if (!fits) {
    Fail("interpret-value-kind", std::string(use) + " reads a value as another kind than it holds",
         ValueKindText(cell.kind), type.ToString(), "check arg_kind or value_kind before");
  }
  return RoundLane(cell.payload, type);
}

void DoValueKind(Machine& machine, Frame& frame, const CallSite& site) {
  Machine::Result(frame, site)->i =
      machine.CellAt(HandleArg(frame, site, 0), IntArg(frame, site, 1), site.call->op.c_str()).kind;
}

void DoValueGet(Machine& machine, Frame& frame, const CallSite& site) {
  const char* use = site.call->op.c_str();
  const ValueCell& cell = machine.CellAt(HandleArg(frame, site, 0), IntArg(frame, site, 1), use);
  *Machine::Result(frame, site) = Payload(cell, site.call->dtype, use);
}

// A number or string argument as a payload.
Lane PayloadArg(Machine& machine, const Frame& frame, const CallSite& site, size_t i) {
  Lane lane;
  if (site.args[i].kind == Argument::kText) {
    lane.i = static_cast<int64_t>(machine.TextHandle(site.args[i].text));
  } else {
    lane = Machine::Scalar(frame, site, i);
  }
  return lane;
}

void DoValueSet(Machine& machine, Frame& frame, const CallSite& site) {
  ValueCell& cell =
      machine.CellAt(HandleArg(frame, site, 0), IntArg(frame, site, 1), intrinsic::kValueSet);
  const auto kind = static_cast<int32_t>(IntArg(frame, site, 2));
  const DataType type =
      site.args[3].kind == Argument::kText ? DataType::Handle() : site.args[3].operand.type;
  const ValueCell next{kind, PayloadArg(machine, frame, site, 3)};
  if (kind != LATHE_VALUE_NONE) Payload(next, type, intrinsic::kValueSet);
  cell = next;
}

void DoStackValues(Machine& machine, Frame& frame, const CallSite& site) {
  const int64_t count = IntArg(frame, site, 0);
  const Handle handle = machine.memory().AllocateValues(
      "stack values", count < 0 ? ~uint64_t{0} : static_cast<uint64_t>(count));
  frame.owned.push_back(handle);
  Machine::Result(frame, site)->i = static_cast<int64_t>(handle);
}

// -- Slots.

void DoStackSlots(Machine& machine, Frame& frame, const CallSite& site) {
  const auto count = static_cast<uint64_t>(IntArg(frame, site, 0));
  const Handle handle = machine.memory().Allocate(
      "stack slots", count > kOffsetMask / 8 ? kOffsetMask + 1 : count * 8);
  frame.owned.push_back(handle);
  Machine::Result(frame, site)->i = static_cast<int64_t>(handle);
}

Handle SlotAt(Machine& machine, const Frame& frame, const CallSite& site) {
  const char* use = site.call->op.c_str();
  const int64_t index = IntArg(frame, site, 1);
  int64_t bytes = 0;
  if (index < 0 || __builtin_mul_overflow(index, int64_t{8}, &bytes)) {
    Fail("interpret-out-of-bounds", std::string(use) + " outside of its memory",
         "a slot that is there", "slot " + std::to_string(index));
  }
  return machine.memory().Advance(HandleArg(frame, site, 0), bytes, use);
}

void DoSlotLoad(Machine& machine, Frame& frame, const CallSite& site) {
  const Handle at = SlotAt(machine, frame, site);
  *Machine::Result(frame, site) =
      ReadLane(machine.memory().Read(at, 8, intrinsic::kSlotLoad), 0, site.call->dtype);
}

void DoSlotStore(Machine& machine, Frame& frame, const CallSite& site) {
  const Handle at = SlotAt(machine, frame, site);
  uint8_t* bytes = machine.memory().Write(at, 8, intrinsic::kSlotStore);
  const DataType type =
      site.args[2].kind == Argument::kText ? DataType::Handle() : site.args[2].operand.type;
  std::memset(bytes, 0, 8);
  WriteLane(bytes, 0, type.element_of(), PayloadArg(machine, frame, site, 2));
}

// A pointer has 8 bytes in the interpreter.
void DoPointerAt(Machine& machine, Frame& frame, const CallSite& site) {
  const Handle at = SlotAt(machine, frame, site);
  *Machine::Result(frame, site) =
      ReadLane(machine.memory().Read(at, 8, intrinsic::kPointerAt), 0, DataType::Handle());
}

void DoWorkspaceAt(Machine& machine, Frame& frame, const CallSite& site) {
  Machine::Result(frame, site)->i = static_cast<int64_t>(machine.memory().Advance(
      HandleArg(frame, site, 0), IntArg(frame, site, 1), intrinsic::kWorkspaceAt));
}

void DoShapeAt(Machine& machine, Frame& frame, const CallSite& site) {
  const Handle at = SlotAt(machine, frame, site);
  *Machine::Result(frame, site) =
      ReadLane(machine.memory().Read(at, 8, intrinsic::kShapeAt), 0, DataType::Int(64));
}

// -- Tensors.

void DoTensorField(Machine& machine, Frame& frame, const CallSite& site) {
  const Region& region =
      machine.memory().Get(HandleArg(frame, site, 0), Region::kTensor, intrinsic::kTensorField);
  const InterpTensor& tensor = *region.tensor;
  const std::string& field = site.args[1].text;
  int64_t value = 0;
  bool handle = false;
  if (field == tensor_field::kData) {
    value = static_cast<int64_t>(region.tensor_data), handle = true;
  } else if (field == tensor_field::kShape) {
    value = static_cast<int64_t>(region.tensor_shape), handle = true;
  } else if (field == tensor_field::kStrides) {
    value = static_cast<int64_t>(region.tensor_strides), handle = true;
  } else if (field == tensor_field::kNdim) {
    value = static_cast<int64_t>(tensor.shape.size());
  } else if (field == tensor_field::kByteOffset) {
    value = static_cast<int64_t>(tensor.byte_offset);
  } else if (field == tensor_field::kDtypeCode) {
    value = tensor.dtype.dl().code;
  } else if (field == tensor_field::kDtypeBits) {
    value = tensor.dtype.dl().bits;
  } else if (field == tensor_field::kDtypeLanes) {
    value = tensor.dtype.dl().lanes;
  } else if (field == tensor_field::kDtype) {
    value = tensor.dtype.dl().code | tensor.dtype.dl().bits << 8 | tensor.dtype.dl().lanes << 16;
  } else if (field == tensor_field::kDevice) {
    value = tensor.device.device_type | static_cast<int64_t>(tensor.device.device_id) << 32;
  } else if (field == tensor_field::kDeviceType) {
    value = tensor.device.device_type;
  } else if (field == tensor_field::kDeviceId) {
    value = tensor.device.device_id;
  } else {
    Fail("interpret-malformed", "a tensor has no field `" + field + "`",
         "data, ndim, shape, strides, byte_offset, dtype, dtype_code, dtype_bits, dtype_lanes, "
         "device, device_type or device_id",
         field);
  }
  const DataType type = site.call->dtype;
  if (!type.is_scalar() || (handle ? !type.is_handle() : !type.is_integral())) {
    Fail("interpret-malformed", "the field `" + field + "` is read as another type than it has",
         handle ? "handle" : "an integer type", type.ToString());
  }
  Lane lane;
  lane.i = value;
  *Machine::Result(frame, site) = RoundLane(lane, type);
}

void DoStackTensor(Machine& machine, Frame& frame, const CallSite& site) {
  const auto rank = IntArg(frame, site, 1);
  const Handle data = HandleArg(frame, site, 0), shape = HandleArg(frame, site, 2),
               strides = HandleArg(frame, site, 3);
  InterpTensor tensor;
  auto list = [&](Handle from) {
    std::vector<int64_t> values;
    for (int64_t d = 0; d < rank; ++d) {
      const Handle at = machine.memory().Advance(from, d * 8, intrinsic::kStackTensor);
      values.push_back(
          ReadLane(machine.memory().Read(at, 8, intrinsic::kStackTensor), 0, DataType::Int(64)).i);
    }
    return values;
  };
  tensor.shape = list(shape);
  if (strides != 0) tensor.strides = list(strides);
  tensor.byte_offset = static_cast<uint64_t>(IntArg(frame, site, 4));
  auto small = [&](size_t i) { return static_cast<int>(IntArg(frame, site, i)); };
  tensor.dtype = DataType(DLDataType{static_cast<uint8_t>(small(5)), static_cast<uint8_t>(small(6)),
                                     static_cast<uint16_t>(small(7))});
  tensor.device = {small(8), small(9)};
  if (data != 0) {
    const Region& region = machine.memory().Get(data, Region::kBytes, intrinsic::kStackTensor);
    tensor.data = region.data + Memory::OffsetOf(data);
    tensor.read_only = region.read_only;
  }
  const Handle handle =
      machine.memory().AddTensor("stack tensor", std::move(tensor), data, shape, strides);
  frame.owned.push_back(handle);
  Machine::Result(frame, site)->i = static_cast<int64_t>(handle);
}

// -- Functions.

const FuncNode* NeedFunction(const Machine& machine, const std::string& name) {
  const FuncNode* func = machine.FindFunction(name);
  if (func == nullptr) {
    Fail("interpret-unknown-function", "the module has no function `" + name + "`");
  }
  return func;
}

void DoFunctionAddress(Machine& machine, Frame& frame, const CallSite& site) {
  const FuncNode* func = NeedFunction(machine, site.args[0].text);
  Machine::Result(frame, site)->i = static_cast<int64_t>(machine.FunctionHandle(func));
}

void DoCallPlain(Machine& machine, Frame& frame, const CallSite& site) {
  const FuncNode* func = NeedFunction(machine, site.args[0].text);
  std::vector<Lane> args;
  std::vector<DataType> types;
  for (size_t i = 1; i < site.args.size(); ++i) {
    args.push_back(PayloadArg(machine, frame, site, i));
    types.push_back(site.args[i].kind == Argument::kText ? DataType::Handle()
                                                         : site.args[i].operand.type);
  }
  const Lane result = machine.CallPlain(*func, args, types);
  if (site.result.lanes > 0) {
    if (func->return_type != site.call->dtype) {
      Fail("interpret-malformed",
           "the call of `" + func->name + "` has another type than the function returns",
           func->return_type.ToString(), site.call->dtype.ToString());
    }
    *Machine::Result(frame, site) = result;
  }
}

void DoCallPacked(Machine& machine, Frame& frame, const CallSite& site) {
  if (const FuncNode* func = machine.FindFunction(site.args[0].text);
      func != nullptr &&
      StringAttr(func->attrs, func_attr::kCallingConvention) == convention::kKernel) {
    return machine.CallKernel(*func, frame, site);
  }
  // Kernels access the host's memory here.
  if (site.args[0].text == runtime_function::kDeviceConstant) {
    *Machine::Result(frame, site) = Machine::Scalar(frame, site, 1);
    return;
  }
  std::vector<InterpValue> args;
  std::vector<Handle> touched;
  for (size_t i = 1; i < site.args.size(); ++i) {
    const Argument& arg = site.args[i];
    if (arg.kind == Argument::kText) {
      args.push_back(InterpValue::String(arg.text));
    } else if (arg.kind == Argument::kBuffer) {
      const LiveBuffer& buffer = frame.buffers[static_cast<size_t>(arg.index)];
      args.emplace_back(machine.TensorOf(buffer));
      touched.push_back(buffer.data);
    } else {
      const DataType type = arg.operand.type;
      const Lane lane = Machine::Scalar(frame, site, i);
      if (type.is_float()) {
        args.push_back(InterpValue::Float(lane.d));
      } else if (type.is_bool()) {
        args.push_back(InterpValue::Bool(lane.i != 0));
      } else if (type.is_handle()) {
        args.push_back(machine.FromCell({LATHE_VALUE_POINTER, lane}));
      } else {
        args.push_back(InterpValue::Int(lane.i));
      }
    }
  }
  const InterpValue value = machine.CallPacked(site.args[0].text, args);
  // It is not known what the callee wrote. All memory that it could reach counts as written.
  for (const Handle handle : touched) {
    if (handle != 0) machine.memory().Get(handle, Region::kBytes, "a call").written.clear();
  }
  if (site.result.lanes > 0) {
    *Machine::Result(frame, site) =
        Payload(machine.ToCell("a result", value), site.call->dtype, intrinsic::kCallPacked);
  }
}

void DoCallSiteCache(Machine& machine, Frame& frame, const CallSite& site) {
  if (site.cache == 0) site.cache = machine.NewCacheWord();
  Machine::Result(frame, site)->i = static_cast<int64_t>(site.cache);
}

// -- C functions, LLVM functions, and intrinsics that only the interpreter's user can compute.

void DoExtern(Machine& machine, Frame& frame, const CallSite& site) {
  const std::string& op = site.call->op;
  const bool of_llvm =
                 op == intrinsic::kLlvmIntrinsic || op == intrinsic::kLlvmIntrinsicWithEffects,
             of_c = op == intrinsic::kCallExtern || op == intrinsic::kCallPureExtern;
  const bool named = of_llvm || of_c;
  const std::string& name = named ? site.args[0].text : op;
  std::vector<ExternCall::Argument> args;
  std::vector<Region*> touched;
  for (size_t i = named ? 1 : 0; i < site.args.size(); ++i) {
    const Argument& arg = site.args[i];
    ExternCall::Argument out;
    out.type = arg.kind == Argument::kOperand ? arg.operand.type : DataType::Handle();
    Handle handle = 0;
    if (arg.kind == Argument::kText) {
      out.text = &arg.text;
    } else if (arg.kind == Argument::kBuffer) {
      const LiveBuffer& buffer = frame.buffers[static_cast<size_t>(arg.index)];
      handle = buffer.data;
      if (handle != 0) {
        handle = machine.memory().Advance(handle, buffer.offset * buffer.element_bytes, "a call");
      }
    } else if (out.type.is_handle()) {
      handle = HandleArg(frame, site, i);
    } else {
      out.lanes = {frame.lanes.data() + arg.operand.at, static_cast<size_t>(arg.operand.lanes)};
    }
    if (const Region* found = machine.memory().Find(handle);
        found != nullptr && found->kind == Region::kText) {
      out.text = &found->text;
    } else if (handle != 0) {
      Region& region = machine.memory().Get(handle, Region::kBytes, name.c_str());
      const uint64_t offset = std::min<uint64_t>(Memory::OffsetOf(handle), region.size);
      out.data = region.data + offset;
      out.bytes = region.size - offset;
      touched.push_back(&region);
    }
    args.push_back(out);
  }
  const std::span<Lane> result(Machine::Result(frame, site),
                               static_cast<size_t>(site.result.lanes));
  const ExternCall call{name, site.call->dtype, args, result};
  const bool done = (machine.options().call_extern && machine.options().call_extern(call)) ||
                    (of_c && CallMathFunction(call));
  if (!done) {
    if (of_c) {
      Fail("interpret-unknown-function",
           "the C function `" + name + "` cannot be called as it is here",
           "one of C's math functions with arguments of its types, or one that "
           "InterpretOptions::call_extern knows",
           "", "nearest math functions: " + QuotedList(NearestNames(name, MathFunctionNames())));
    }
    Fail("interpret-not-executable", "`" + name + "` has no function for the interpreter", "", "",
         "compute it in InterpretOptions::call_extern, or register it with an `evaluate` of its "
         "own");
  }
  if (site.call->op != intrinsic::kCallPureExtern) {
    for (Region* region : touched) region->written.clear();
  }
  if (site.call->dtype.is_handle()) result[0].i = 0;
  RoundLanes(result.data(), site.result.lanes, site.result.type.element_of());
}

struct NamedBuiltin {
  std::string_view name;
  Builtin builtin;
};

constexpr NamedBuiltin kBuiltins[] = {
    {intrinsic::kReinterpret, DoReinterpret},
    {intrinsic::kAddressOf, DoAddressOf},
    {intrinsic::kAccessPtr, DoAccessPtr},
    {intrinsic::kPointerIsNull, DoPointerIsNull},
    {intrinsic::kArgKind, DoValueKind},
    {intrinsic::kArgValue, DoValueGet},
    {intrinsic::kValueKind, DoValueKind},
    {intrinsic::kValueGet, DoValueGet},
    {intrinsic::kValueSet, DoValueSet},
    {intrinsic::kStackValues, DoStackValues},
    {intrinsic::kStackSlots, DoStackSlots},
    {intrinsic::kStackTensor, DoStackTensor},
    {intrinsic::kSlotLoad, DoSlotLoad},
    {intrinsic::kSlotStore, DoSlotStore},
    {intrinsic::kPointerAt, DoPointerAt},
    {intrinsic::kWorkspaceAt, DoWorkspaceAt},
    {intrinsic::kShapeAt, DoShapeAt},
    {intrinsic::kTensorField, DoTensorField},
    {intrinsic::kFunctionAddress, DoFunctionAddress},
    {intrinsic::kCallPlain, DoCallPlain},
    {intrinsic::kCallPacked, DoCallPacked},
    {intrinsic::kCallSiteCache, DoCallSiteCache},
    {intrinsic::kRuntimeCall, DoRuntimeCall},
    {intrinsic::kRaise, DoRaise},
};

}  // namespace

Builtin FindBuiltin(std::string_view name) {
  for (const NamedBuiltin& entry : kBuiltins) {
    if (entry.name == name) return entry.builtin;
  }
  if (const Builtin builtin = FindThreadBuiltin(name)) return builtin;
  return DoExtern;
}

}  // namespace lathe::ir::interp
