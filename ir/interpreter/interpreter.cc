// Calls from outside: passes arguments to parameters and returns results.

#include "ir/interpreter/interpreter.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/message.h"
#include "ir/interpreter/machine.h"
#include "ir/names.h"

namespace lathe::ir {
namespace interp {
namespace {

struct ArgumentName {
  size_t index;
  std::string param;
  std::string func;
  std::string Text() const {
    return "argument " + std::to_string(index + 1) + " (`" + param + "`) of `" + func + "`";
  }
};

[[noreturn]] void BadArgument(const ArgumentName& name, const std::string& what,
                              std::string expected, std::string found) {
  Fail("interpret-argument", name.Text() + " " + what, std::move(expected), std::move(found));
}

bool FitsType(int64_t value, DataType type) {
  Lane lane;
  lane.i = value;
  return RoundLane(lane, type).i == value;
}

std::vector<int64_t> CompactStrides(const std::vector<int64_t>& shape) {
  std::vector<int64_t> strides(shape.size());
  int64_t step = 1;
  for (size_t d = shape.size(); d-- > 0;) {
    strides[d] = step;
    if (__builtin_mul_overflow(step, shape[d], &step)) step = 0;  // no memory holds such a tensor
  }
  return strides;
}

std::string FormatList(const std::vector<int64_t>& values) {
  std::string out = "[";
  for (size_t i = 0; i < values.size(); ++i)
    out += (i == 0 ? "" : ", ") + std::to_string(values[i]);
  return out + "]";
}

}  // namespace

InterpValue Machine::Call(std::string_view name, std::span<const InterpValue> args) {
  const FuncNode* func = FindFunction(name);
  if (func == nullptr) {
    std::vector<std::string> names;
    for (const Func& known : module_->functions) names.push_back(known->name);
    Fail("interpret-unknown-function", "the module has no function `" + std::string(name) + "`",
         QuotedList(names));
  }
  // Handles to the caller's memory must not outlive the call, even if it throws.
  struct Cleanup {
    Machine* machine;
    ~Cleanup() {
      machine->memory_.FreeAll();
      machine->functions_.clear();
      machine->texts_.clear();
      machine->constants_.clear();
      machine->pending_.reset();
      machine->spoiled_ = false;
      machine->async_ = {};
      machine->launch_.clear();
      for (auto& [func, code] : machine->codes_) {
        if (code == nullptr) continue;
        for (const CallSite& site : code->calls) site.cache = 0;
      }
    }
  } cleanup{this};
  memory_.JoinOverlapping(args);
  return StringAttr(func->attrs, func_attr::kCallingConvention) == convention::kPacked
             ? CallConvention(*func, args)
             : CallFunc(*func, args);
}

void Machine::BindArgument(Frame& frame, const Parameter& param, size_t index,
                           const InterpValue& value) {
  if (param.var != nullptr)
    BindVariable(frame, param, index, value);
  else
    BindTensor(frame, param, index, value);
}

void Machine::BindVariable(Frame& frame, const Parameter& param, size_t index,
                           const InterpValue& value) {
  const FuncNode& func = *frame.code->func;
  Lane& place = frame.lanes[static_cast<size_t>(param.place)];
  const DataType type = param.var->dtype;
  const ArgumentName name{index, param.var->name, func.name};
  if (type.is_handle()) {
    if (value.kind == LATHE_VALUE_DLTENSOR && value.tensor != nullptr &&
        StringAttr(func.attrs, func_attr::kCallingConvention) == convention::kKernel) {
      // A kernel takes the address of the memory, not the tensor.
      place.i = static_cast<int64_t>(memory_.WrapData(param.var->name, *value.tensor));
      if (place.i != 0) place.i += static_cast<int64_t>(value.tensor->byte_offset);
      return;
    }
    place.i = ToCell(param.var->name, value).payload.i;
    if (value.kind == LATHE_VALUE_POINTER || value.kind == LATHE_VALUE_NONE ||
        value.kind == LATHE_VALUE_DLTENSOR || value.kind == LATHE_VALUE_STRING) {
      return;
    }
  } else if (type.is_float() && type.is_scalar()) {
    if (value.kind == LATHE_VALUE_FLOAT || value.kind == LATHE_VALUE_INT) {
      place.d = value.kind == LATHE_VALUE_FLOAT ? value.d : static_cast<double>(value.i);
      place = RoundLane(place, type);
      return;
    }
  } else if (type.is_scalar() &&
             (value.kind == LATHE_VALUE_INT || value.kind == LATHE_VALUE_BOOL)) {
    if (!FitsType(value.i, type)) {
      BadArgument(name, "does not fit its type", "a value of " + type.ToString(),
                  std::to_string(value.i));
    }
    place.i = value.i;
    return;
  }
  BadArgument(name, "has the wrong kind", type.ToString(), ValueKindText(value.kind));
}

namespace {

// Element type, rank and memory. Returns the tensor.
const InterpTensor& CheckTensor(const ArgumentName& name, const BufferNode& node,
                                const InterpValue& value) {
  if (value.kind != LATHE_VALUE_DLTENSOR)
    BadArgument(name, "has the wrong kind", "a tensor", ValueKindText(value.kind));
  if (value.tensor == nullptr) BadArgument(name, "is null", "a tensor", "the null pointer");
  const InterpTensor& tensor = *value.tensor;
  if (tensor.dtype != node.dtype) {
    BadArgument(name, "has the wrong element type", node.dtype.ToString(), tensor.dtype.ToString());
  }
  if (tensor.shape.size() != node.shape.size()) {
    BadArgument(name, "has the wrong rank", std::to_string(node.shape.size()) + " dimensions",
                std::to_string(tensor.shape.size()) + " (shape " + FormatList(tensor.shape) + ")");
  }
  if (!tensor.strides.empty() && tensor.strides.size() != tensor.shape.size()) {
    BadArgument(name, "has as many strides as no tensor has", std::to_string(tensor.shape.size()),
                std::to_string(tensor.strides.size()));
  }
  bool empty = false;
  for (const int64_t extent : tensor.shape) {
    if (extent < 0)
      BadArgument(name, "has a negative extent", "0 or more", FormatList(tensor.shape));
    if (extent == 0) empty = true;
  }
  if (tensor.data == nullptr && !empty)
    BadArgument(name, "has no data", "memory of its elements", "null");
  return tensor;
}

}  // namespace

void Machine::BindTensor(Frame& frame, const Parameter& param, size_t index,
                         const InterpValue& value) {
  const BufferNode& node = *param.buffer;
  const ArgumentName name{index, node.name, frame.code->func->name};
  const InterpTensor& tensor = CheckTensor(name, node, value);
  const bool empty = std::find(tensor.shape.begin(), tensor.shape.end(), 0) != tensor.shape.end();
  const std::vector<int64_t> compact = CompactStrides(tensor.shape);
  LiveBuffer& buffer = frame.buffers[static_cast<size_t>(param.slot)];
  buffer.node = &node;
  buffer.shape = tensor.shape;
  buffer.strides = tensor.strides.empty() ? compact : tensor.strides;
  if (node.strides.empty()) {
    for (size_t d = 0; d < compact.size(); ++d) {
      // A dimension of extent 1 may have any stride (S31).
      if (!empty && tensor.shape[d] != 1 && buffer.strides[d] != compact[d]) {
        BadArgument(name, "is not compact", "strides " + FormatList(compact),
                    FormatList(buffer.strides));
      }
    }
    buffer.strides = compact;
  }
  buffer.element_bytes = node.dtype.bytes() * (node.dtype.is_scalable() ? options_.vscale : 1);
  buffer.data = memory_.WrapData(node.name, tensor);
  if (node.elem_offset) {
    const auto bytes = static_cast<uint64_t>(buffer.element_bytes);
    if (tensor.byte_offset % bytes != 0) {
      BadArgument(name, "does not begin at an element",
                  "a byte offset divisible by " + std::to_string(bytes),
                  std::to_string(tensor.byte_offset));
    }
    buffer.offset = static_cast<int64_t>(tensor.byte_offset / bytes);
  } else if (buffer.data != 0) {
    buffer.data += tensor.byte_offset;
  }
  buffer.alive = true;
  frame.lanes[static_cast<size_t>(param.place)].i = static_cast<int64_t>(buffer.data);
}

void Machine::BindShape(Frame& frame, const Instr& instr, bool check) {
  const Binding& binding = frame.code->bindings[static_cast<size_t>(instr.index)];
  const Parameter& param = frame.code->params[static_cast<size_t>(binding.param)];
  const LiveBuffer& buffer = frame.buffers[static_cast<size_t>(param.slot)];
  const auto dim = static_cast<size_t>(binding.dim);
  const ArgumentName name{static_cast<size_t>(binding.param), param.buffer->name,
                          frame.code->func->name};
  std::string what;
  int64_t value = 0;
  switch (binding.kind) {
    case Binding::kExtent:
      what = "extent " + std::to_string(dim);
      value = buffer.shape[dim];
      break;
    case Binding::kStride:
      what = "stride " + std::to_string(dim);
      value = buffer.strides[dim];
      break;
    case Binding::kOffset:
      what = "element offset";
      value = buffer.offset;
      break;
  }
  if (!check) {
    if (!FitsType(value, instr.type)) {
      BadArgument(name, "has an " + what + " that does not fit its variable",
                  "a value of " + instr.type.ToString(), std::to_string(value));
    }
    frame.lanes[static_cast<size_t>(instr.dst)].i = value;
    return;
  }
  const int64_t wanted = frame.lanes[static_cast<size_t>(instr.a)].i;
  // The stride of a dimension of extent 1, or of a tensor without elements, is never used (S31).
  const bool empty = std::find(buffer.shape.begin(), buffer.shape.end(), 0) != buffer.shape.end();
  if (binding.kind == Binding::kStride && (empty || buffer.shape[dim] <= 1)) return;
  if (wanted != value) {
    BadArgument(name, "has another " + what, std::to_string(wanted), std::to_string(value));
  }
}

InterpValue Machine::CallFunc(const FuncNode& func, std::span<const InterpValue> args) {
  const Code& code = CodeOf(func);
  if (args.size() != code.params.size()) {
    Fail("interpret-argument", "`" + func.name + "` is called with the wrong number of arguments",
         std::to_string(code.params.size()), std::to_string(args.size()));
  }
  Frame frame;
  StartFrame(frame, code);
  try {
    for (size_t i = 0; i < args.size(); ++i) BindArgument(frame, code.params[i], i, args[i]);
  } catch (...) {
    EndFrame(frame);
    throw;
  }
  Run(frame);
  EndFrame(frame);
  const DataType type = frame.result_type;
  if (type.is_void()) return InterpValue();
  if (type.is_float()) return InterpValue::Float(frame.result.d);
  if (type.is_bool()) return InterpValue::Bool(frame.result.i != 0);
  if (type.is_handle()) return FromCell({LATHE_VALUE_POINTER, frame.result});
  return InterpValue::Int(frame.result.i);
}

// Calls through tagged values, as compiled code is called.
InterpValue Machine::CallConvention(const FuncNode& func, std::span<const InterpValue> args) {
  const Handle values = memory_.AllocateValues("arguments", args.size());
  const Handle ret = memory_.AllocateValues("the result", 1);
  for (size_t i = 0; i < args.size(); ++i) {
    CellAt(values, static_cast<int64_t>(i), "an argument") =
        ToCell("argument " + std::to_string(i + 1), args[i]);
  }
  Lane lanes[4];
  lanes[1].i = static_cast<int64_t>(values);
  lanes[2].i = static_cast<int64_t>(args.size());
  lanes[3].i = static_cast<int64_t>(ret);
  const DataType types[4] = {DataType::Handle(), DataType::Handle(), DataType::Int(32),
                             DataType::Handle()};
  const Lane status = CallPlain(func, lanes, types);
  const ValueCell result = CellAt(ret, 0, "the result");
  memory_.Free(values);
  memory_.Free(ret);
  if (status.i == 0) return FromCell(result);
  if (result.kind == LATHE_VALUE_OBJECT) {
    throw Error(
        *memory_.Get(static_cast<Handle>(result.payload.i), Region::kError, "the raised error")
             .error);
  }
  if (pending_) {
    Diagnostic diagnostic = *std::exchange(pending_, std::nullopt);
    throw Error(std::move(diagnostic));
  }
  Fail("interpret-failed-call", "`" + func.name + "` failed without raising an error", "0",
       std::to_string(status.i));
}

InterpValue Machine::CallPacked(std::string_view name, std::span<const InterpValue> args) {
  if (const FuncNode* func = FindFunction(name);
      func != nullptr &&
      StringAttr(func->attrs, func_attr::kCallingConvention) == convention::kPacked) {
    return CallConvention(*func, args);
  }
  if (!options_.call_packed) {
    Fail("interpret-unknown-function", "there is no packed function `" + std::string(name) + "`",
         "a packed function of the module, or one that InterpretOptions::call_packed knows");
  }
  return options_.call_packed(name, args);
}

Handle Machine::NewTensor(const std::string& name, InterpTensor tensor) {
  return memory_.WrapTensor(name, std::make_shared<const InterpTensor>(std::move(tensor)));
}

ValueCell& Machine::CellAt(Handle handle, int64_t index, const char* use) {
  Region& region = memory_.Get(handle, Region::kValues, use);
  const auto first = static_cast<int64_t>(Memory::OffsetOf(handle) / sizeof(lathe_value));
  const auto count = static_cast<int64_t>(region.values.size());
  if (index < 0 || first > count || index >= count - first) {
    Fail("interpret-out-of-bounds", std::string(use) + " outside of " + region.name,
         "one of " + std::to_string(count) + " values", "value " + std::to_string(index));
  }
  return region.values[static_cast<size_t>(first + index)];
}

ValueCell Machine::ToCell(const std::string& name, const InterpValue& value) {
  ValueCell cell;
  cell.kind = value.kind;
  switch (value.kind) {
    case LATHE_VALUE_FLOAT:
      cell.payload.d = value.d;
      break;
    case LATHE_VALUE_STRING:
      cell.payload.i = static_cast<int64_t>(TextHandle(value.s));
      break;
    case LATHE_VALUE_DLTENSOR:
      if (value.tensor != nullptr)
        cell.payload.i = static_cast<int64_t>(memory_.WrapTensor(name, value.tensor));
      break;
    case LATHE_VALUE_POINTER:
      break;  // an address from outside has no meaning here
    default:
      cell.payload.i = value.i;
  }
  return cell;
}

InterpValue Machine::FromCell(const ValueCell& cell) {
  InterpValue value;
  value.kind = cell.kind;
  switch (cell.kind) {
    case LATHE_VALUE_FLOAT:
      value.d = cell.payload.d;
      break;
    case LATHE_VALUE_INT:
    case LATHE_VALUE_BOOL:
      value.i = cell.payload.i;
      break;
    default: {
      const auto handle = static_cast<Handle>(cell.payload.i);
      const Region* region = memory_.Find(handle);
      if (region == nullptr) break;
      if (region->kind == Region::kTensor) {
        value.kind = LATHE_VALUE_DLTENSOR;
        value.tensor = region->tensor;
      } else if (region->kind == Region::kText) {
        value.kind = LATHE_VALUE_STRING;
        value.s = region->text;
      } else if (region->kind == Region::kBytes) {
        value.kind = LATHE_VALUE_POINTER;
        value.i = reinterpret_cast<int64_t>(region->data + Memory::OffsetOf(handle));
      }
    }
  }
  return value;
}

}  // namespace interp

InterpTensor InterpTensor::Of(void* data, DataType dtype, std::vector<int64_t> shape) {
  InterpTensor tensor;
  tensor.data = data;
  tensor.dtype = dtype;
  tensor.shape = std::move(shape);
  return tensor;
}

InterpValue::InterpValue(InterpTensor view)
    : kind(LATHE_VALUE_DLTENSOR), tensor(std::make_shared<const InterpTensor>(std::move(view))) {}

InterpValue InterpValue::Int(int64_t value) {
  InterpValue out;
  out.kind = LATHE_VALUE_INT;
  out.i = value;
  return out;
}
InterpValue InterpValue::Float(double value) {
  InterpValue out;
  out.kind = LATHE_VALUE_FLOAT;
  out.d = value;
  return out;
}
InterpValue InterpValue::Bool(bool value) {
  InterpValue out;
  out.kind = LATHE_VALUE_BOOL;
  out.i = value ? 1 : 0;
  return out;
}
InterpValue InterpValue::String(std::string value) {
  InterpValue out;
  out.kind = LATHE_VALUE_STRING;
  out.s = std::move(value);
  return out;
}

struct Interpreter::Impl {
  interp::Machine machine;
};

Interpreter::Interpreter(Module module, InterpretOptions options)
    : impl_(std::make_unique<Impl>(interp::Machine(std::move(module), std::move(options)))) {}
Interpreter::~Interpreter() = default;

InterpValue Interpreter::Call(std::string_view name, std::span<const InterpValue> args) {
  return impl_->machine.Call(name, args);
}
uint64_t Interpreter::steps() const { return impl_->machine.steps(); }

InterpValue Interpret(const Func& func, std::span<const InterpValue> args,
                      InterpretOptions options) {
  return Interpret(MakeModule({func}), func->name, args, std::move(options));
}
InterpValue Interpret(const Module& module, std::string_view name,
                      std::span<const InterpValue> args, InterpretOptions options) {
  return Interpreter(module, std::move(options)).Call(name, args);
}

}  // namespace lathe::ir
