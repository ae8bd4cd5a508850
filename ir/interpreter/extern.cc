#include "ir/interpreter/extern.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <utility>

#include "base/error.h"
#include "base/message.h"
#include "ir/interpreter/machine.h"
#include "ir/names.h"

namespace lathe::ir::interp {
namespace {

// Maps C's name for float64 to the intrinsic. The name for float32 has an "f" at its end.
const std::map<std::string, std::string, std::less<>>& MathTable() {
  static const auto* const table = [] {
    auto* out = new std::map<std::string, std::string, std::less<>>();
    for (const char* name : {"exp",   "exp2",  "exp10",    "log",   "log2",      "log10", "log1p",
                             "expm1", "sqrt",  "sin",      "cos",   "tan",       "asin",  "acos",
                             "atan",  "sinh",  "cosh",     "tanh",  "asinh",     "acosh", "atanh",
                             "erf",   "floor", "ceil",     "round", "nearbyint", "trunc", "atan2",
                             "pow",   "fmod",  "copysign", "hypot", "nextafter", "ldexp", "fma"}) {
      (*out)[name] = name;
    }
    (*out)["fabs"] = "abs";
    return out;
  }();
  return *table;
}

}  // namespace

bool CallMathFunction(const ExternCall& call) {
  DataType type = DataType::Float(64);
  auto found = MathTable().find(call.name);
  if (found == MathTable().end() && call.name.ends_with('f')) {
    found = MathTable().find(call.name.substr(0, call.name.size() - 1));
    type = DataType::Float(32);
  }
  if (found == MathTable().end() || call.type != type) return false;
  const Intrinsic& entry = GetIntrinsic(found->second);
  if (call.args.size() != entry.args.size()) return false;
  std::vector<DataType> types;
  std::vector<std::span<const Lane>> lanes;
  for (size_t i = 0; i < call.args.size(); ++i) {
    const DataType wanted = entry.args[i] == ArgKind::kInteger ? DataType::Int(32) : type;
    if (call.args[i].type != wanted) return false;
    types.push_back(wanted);
    lanes.push_back(call.args[i].lanes);
  }
  entry.evaluate({type, call.result, types, lanes});
  return true;
}

std::vector<std::string> MathFunctionNames() {
  std::vector<std::string> names;
  for (const auto& [name, intrinsic] : MathTable()) {
    names.push_back(name);
    names.push_back(name + "f");
  }
  return names;
}

namespace {

// The arguments of one runtime_call, after the entry's name.
class RuntimeArgs {
 public:
  RuntimeArgs(Machine& machine, const Frame& frame, const CallSite& site)
      : machine_(machine), frame_(frame), site_(site) {}
  void Need(size_t n) const {
    if (site_.args.size() != n + 1) {
      Fail("interpret-malformed",
           "runtime_call(\"" + site_.args[0].text + "\") has the wrong number of arguments",
           std::to_string(n), std::to_string(site_.args.size() - 1));
    }
  }
  int64_t Int(size_t i) const {
    const Argument& arg = site_.args[i + 1];
    if (arg.kind == Argument::kText) return static_cast<int64_t>(machine_.TextHandle(arg.text));
    return Machine::Scalar(frame_, site_, i + 1).i;
  }
  Handle Pointer(size_t i) const { return static_cast<Handle>(Int(i)); }
  std::string Text(size_t i) const {
    const Argument& arg = site_.args[i + 1];
    if (arg.kind == Argument::kText) return arg.text;
    return machine_.memory().Get(Pointer(i), Region::kText, "a runtime call").text;
  }

 private:
  Machine& machine_;
  const Frame& frame_;
  const CallSite& site_;
};

std::string FormatCell(Machine& machine, const ValueCell& cell, ShownAs as) {
  switch (cell.kind) {
    case LATHE_VALUE_INT:
      return FormatShown(cell.payload, DataType::Int(64), as);
    case LATHE_VALUE_BOOL:
      return FormatLane(cell.payload, DataType::Bool());
    case LATHE_VALUE_FLOAT:
      return FormatLane(cell.payload, DataType::Float(64));
    case LATHE_VALUE_DTYPE:
      return FormatShown(cell.payload, DataType::Int(64), ShownAs::kDtype);
    case LATHE_VALUE_DEVICE:
      return FormatShown(cell.payload, DataType::Int(64), ShownAs::kDevice);
    case LATHE_VALUE_STRING:
      return machine.memory()
          .Get(static_cast<Handle>(cell.payload.i), Region::kText, "a string")
          .text;
    default:
      return ValueKindText(cell.kind);
  }
}

int64_t Raise(Machine& machine, const RuntimeArgs& args) {
  args.Need(4);
  const auto count = static_cast<size_t>(std::max<int64_t>(args.Int(3), 0));
  std::string text = FillPlaces(args.Text(1), count, [&](size_t i, ShownAs as) {
    return FormatCell(
        machine, machine.CellAt(args.Pointer(2), static_cast<int64_t>(i), runtime_entry::kRaise),
        as);
  });
  machine.pending() = Diagnostic{.name = args.Text(0), .message = std::move(text)};
  return -1;
}

int64_t TakeError(Machine& machine, const RuntimeArgs& args) {
  args.Need(1);
  Diagnostic error{.name = "interpret-failed-call",
                   .message = "an error is taken where none was raised"};
  if (machine.pending()) error = *std::exchange(machine.pending(), std::nullopt);
  ValueCell& cell = machine.CellAt(args.Pointer(0), 0, runtime_entry::kTakeError);
  cell.kind = LATHE_VALUE_OBJECT;
  cell.payload.i = static_cast<int64_t>(machine.memory().ErrorValue(std::move(error)));
  return -1;
}

// Runs the range serially, in order, in several parts, so that a body that ignores its bounds is
// noticed.
int64_t Parallel(Machine& machine, const RuntimeArgs& args, bool on_threads) {
  args.Need(on_threads ? 4 : 3);
  const FuncNode* body =
      machine.memory().Get(args.Pointer(0), Region::kFunction, runtime_entry::kParallel).func;
  const int64_t extent = args.Int(2);
  const int64_t parts = std::min<int64_t>(extent, machine.options().parallel_parts);
  const DataType types[3] = {DataType::Handle(), DataType::Int(64), DataType::Int(64)};
  int64_t begin = 0;
  for (int64_t part = 0; part < parts; ++part) {
    const int64_t end = part + 1 == parts ? extent : begin + extent / parts;
    Lane lanes[3];
    lanes[0].i = args.Int(1);
    lanes[1].i = begin;
    lanes[2].i = end;
    const Lane status = machine.CallPlain(*body, lanes, types);
    if (status.i != 0) return status.i;
    begin = end;
  }
  return 0;
}

int64_t CallPackedEntry(Machine& machine, const RuntimeArgs& args) {
  args.Need(5);
  const int64_t count = args.Int(3);
  if (const FuncNode* func = machine.FindFunction(args.Text(0));
      func != nullptr &&
      StringAttr(func->attrs, func_attr::kCallingConvention) == convention::kKernel) {
    std::vector<ValueCell> cells;
    for (int64_t i = 0; i < count; ++i)
      cells.push_back(machine.CellAt(args.Pointer(2), i, runtime_entry::kCallPacked));
    machine.CallKernel(*func, cells);
    return 0;
  }
  // Kernels access the host's memory here.
  if (args.Text(0) == runtime_function::kDeviceConstant) {
    machine.CellAt(args.Pointer(4), 0, runtime_entry::kCallPacked) =
        machine.CellAt(args.Pointer(2), 0, runtime_entry::kCallPacked);
    return 0;
  }
  std::vector<InterpValue> values;
  std::vector<Handle> touched;
  for (int64_t i = 0; i < count; ++i) {
    const ValueCell& cell = machine.CellAt(args.Pointer(2), i, runtime_entry::kCallPacked);
    values.push_back(machine.FromCell(cell));
    const Region* region = values.back().kind == LATHE_VALUE_DLTENSOR
                               ? machine.memory().Find(static_cast<Handle>(cell.payload.i))
                               : nullptr;
    if (region != nullptr && region->tensor_data != 0) touched.push_back(region->tensor_data);
  }
  try {
    const InterpValue result = machine.CallPacked(args.Text(0), values);
    // It is not known what the callee wrote. All memory that it could reach counts as written.
    for (const Handle handle : touched)
      machine.memory().Get(handle, Region::kBytes, "a call").written.clear();
    machine.CellAt(args.Pointer(4), 0, runtime_entry::kCallPacked) =
        machine.ToCell("a result", result);
    return 0;
  } catch (const Error& error) {
    // Errors of the program itself end the run. The program must handle an error that the callee
    // raises.
    if (error.name().starts_with("interpret-")) throw;
    machine.pending() = error.diagnostic();
    return -1;
  }
}

// Copies element by element. Both tensors must have the same type and shape.
int64_t Copy(Machine& machine, const RuntimeArgs& args) {
  args.Need(2);
  const Region& from = machine.memory().Get(args.Pointer(0), Region::kTensor, runtime_entry::kCopy);
  const Region& to = machine.memory().Get(args.Pointer(1), Region::kTensor, runtime_entry::kCopy);
  const InterpTensor& source = *from.tensor;
  const InterpTensor& target = *to.tensor;
  if (source.dtype != target.dtype || source.shape != target.shape) {
    machine.pending() = Diagnostic{.name = "copy-mismatch",
                                   .message = "the tensors of a copy differ in type or shape"};
    return -1;
  }
  const auto bytes = static_cast<int64_t>(source.dtype.bytes());
  const size_t rank = source.shape.size();
  std::vector<int64_t> index(rank, 0);
  if (std::find(source.shape.begin(), source.shape.end(), 0) != source.shape.end()) return 0;
  auto offset = [&](const InterpTensor& tensor) {
    int64_t at = 0, compact = 1;
    for (size_t d = rank; d-- > 0;) {
      at += index[d] * (tensor.strides.empty() ? compact : tensor.strides[d]);
      compact *= tensor.shape[d];
    }
    return static_cast<uint64_t>(at * bytes) + tensor.byte_offset;
  };
  for (;;) {
    const uint8_t* in = machine.memory().Read(from.tensor_data + offset(source),
                                              source.dtype.bytes(), runtime_entry::kCopy);
    uint8_t* out = machine.memory().Write(to.tensor_data + offset(target), source.dtype.bytes(),
                                          runtime_entry::kCopy);
    std::memmove(out, in, static_cast<size_t>(bytes));
    size_t d = rank;
    while (d > 0 && ++index[d - 1] == source.shape[d - 1]) index[--d] = 0;
    if (d == 0) return 0;
  }
}

}  // namespace

void DoRaise(Machine& machine, Frame& frame, const CallSite& site) {
  if (machine.pending()) return;  // the first error stays
  std::string text = FillPlaces(site.args[1].text, site.args.size() - 2, [&](size_t i, ShownAs as) {
    const Argument& arg = site.args[2 + i];
    if (arg.kind == Argument::kText) return arg.text;
    return FormatShown(Machine::Scalar(frame, site, 2 + i), arg.operand.type, as);
  });
  machine.pending() = Diagnostic{.name = site.args[0].text, .message = std::move(text)};
}

void DoRuntimeCall(Machine& machine, Frame& frame, const CallSite& site) {
  const std::string& name = site.args[0].text;
  const RuntimeArgs args(machine, frame, site);
  int64_t result = 0;
  if (name == runtime_entry::kParallel || name == runtime_entry::kParallelOn) {
    result = Parallel(machine, args, name == runtime_entry::kParallelOn);
  } else if (name == runtime_entry::kRaise) {
    result = Raise(machine, args);
  } else if (name == runtime_entry::kTakeError) {
    result = TakeError(machine, args);
  } else if (name == runtime_entry::kWorkspaceAlloc) {
    args.Need(4);
    result = static_cast<int64_t>(
        machine.memory().Allocate("workspace", static_cast<uint64_t>(args.Int(2))));
    machine.workspaces().push_back(result);
  } else if (name == runtime_entry::kWorkspaceFree) {
    args.Need(3);
    machine.memory().Get(args.Pointer(2), Region::kBytes, runtime_entry::kWorkspaceFree);
    // Also frees the workspaces that were allocated after it.
    std::vector<int64_t>& held = machine.workspaces();
    const auto at = std::find(held.begin(), held.end(), static_cast<int64_t>(args.Pointer(2)));
    for (auto later = at; later != held.end(); ++later) {
      machine.memory().Free(static_cast<Handle>(*later));
    }
    if (at == held.end()) machine.memory().Free(args.Pointer(2));
    held.erase(at, held.end());
  } else if (name == runtime_entry::kCallPacked) {
    result = CallPackedEntry(machine, args);
  } else if (name == runtime_entry::kSetDevice) {
    args.Need(2);
  } else if (name == runtime_entry::kPoll || name == runtime_entry::kThreadIndex) {
    args.Need(0);  // nothing cancels, and there is one thread
  } else if (name == runtime_entry::kCopy) {
    result = Copy(machine, args);
  } else {
    const std::vector<std::string> known = {
        runtime_entry::kParallel,       runtime_entry::kRaise,         runtime_entry::kTakeError,
        runtime_entry::kWorkspaceAlloc, runtime_entry::kWorkspaceFree, runtime_entry::kCallPacked,
        runtime_entry::kSetDevice,      runtime_entry::kCopy,          runtime_entry::kPoll,
        runtime_entry::kParallelOn,     runtime_entry::kThreadIndex};
    Fail("interpret-unknown-function", "the runtime's table has no entry `" + name + "`",
         QuotedList(known), name);
  }
  if (site.result.lanes > 0) {
    Lane lane;
    lane.i = result;
    *Machine::Result(frame, site) = RoundLane(lane, site.call->dtype);
  }
}

}  // namespace lathe::ir::interp
