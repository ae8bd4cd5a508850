// Atomic updates, asynchronous copies, and launches of kernels.

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/message.h"
#include "ir/interpreter/lanes.h"
#include "ir/interpreter/threads.h"
#include "ir/intrinsic_names.h"

namespace lathe::ir::interp {
namespace {

// Records an access that is neither a load nor a store for race detection.
void Record(Machine& machine, const Frame& frame, Handle at, uint64_t bytes, AccessKind kind) {
  if (machine.threads() == nullptr) return;
  if (!machine.memory().Get(at, Region::kBytes, "an access").tracked) return;
  machine.threads()->Access(frame, at, Memory::OffsetOf(at), bytes, kind, false);
}

const Access& AccessArg(const Frame& frame, const CallSite& site, size_t i) {
  return frame.code->accesses[static_cast<size_t>(site.args[i].index)];
}

void DoAtomic(Machine& machine, Frame& frame, const CallSite& site) {
  const std::string& op = site.call->op;
  const DataType type = site.call->dtype;
  const auto bytes = static_cast<uint64_t>(type.bytes());
  const Handle at = machine.Locate(frame, AccessArg(frame, site, 0), 0);
  const Lane old = ReadLane(machine.ReadShared(frame, at, bytes, op.c_str()), 0, type);
  Record(machine, frame, at, bytes, AccessKind::kAtomic);
  const Lane value = Machine::Scalar(frame, site, 1);
  Lane next = value;
  bool store = true;
  if (op == intrinsic::kAtomicCompareExchange) {
    Lane equal;
    KernelFor(NodeKind::kEQ, type)(&equal, &old, &value, 1, type);
    store = equal.i != 0;
    next = Machine::Scalar(frame, site, 2);
  } else if (op != intrinsic::kAtomicExchange) {
    const NodeKind kind = op == intrinsic::kAtomicAdd   ? NodeKind::kAdd
                          : op == intrinsic::kAtomicMin ? NodeKind::kMin
                                                        : NodeKind::kMax;
    KernelFor(kind, type)(&next, &old, &value, 1, type);
  }
  if (store) WriteLane(machine.memory().Write(at, bytes, op.c_str()), 0, type, next);
  *Machine::Result(frame, site) = old;
}

// Reads the values at once and writes them at async_wait. Until then the destination counts as
// unwritten.
void DoAsyncCopy(Machine& machine, Frame& frame, const CallSite& site) {
  const int64_t count = Machine::Scalar(frame, site, 2).i;
  if (count <= 0) return;
  const Access& to = AccessArg(frame, site, 0);
  const auto element = static_cast<uint64_t>(to.element.bytes());
  const uint64_t bytes = static_cast<uint64_t>(count) > kOffsetMask / element
                             ? kOffsetMask
                             : static_cast<uint64_t>(count) * element;
  const Handle target = machine.Locate(frame, to, 0);
  const Handle source = machine.Locate(frame, AccessArg(frame, site, 1), 0);
  const uint8_t* from = machine.ReadShared(frame, source, bytes, intrinsic::kAsyncCopy);
  AsyncQueue::Copy copy{target, std::vector<uint8_t>(from, from + bytes)};
  Record(machine, frame, source, bytes, AccessKind::kRead);
  Record(machine, frame, target, bytes, AccessKind::kWrite);
  machine.memory().Write(target, bytes, intrinsic::kAsyncCopy);
  if (machine.options().check_initialized) {
    Region& region = machine.memory().Get(target, Region::kBytes, intrinsic::kAsyncCopy);
    if (region.written.empty()) region.written.assign(region.size, 1);
    std::fill_n(region.written.begin() + static_cast<ptrdiff_t>(Memory::OffsetOf(target)), bytes,
                uint8_t{0});
  }
  machine.async().open.push_back(std::move(copy));
}

void DoAsyncCommit(Machine& machine, Frame&, const CallSite&) {
  AsyncQueue& queue = machine.async();
  queue.groups.push_back(std::exchange(queue.open, {}));
}

void DoAsyncWait(Machine& machine, Frame& frame, const CallSite& site) {
  AsyncQueue& queue = machine.async();
  const auto left = static_cast<uint64_t>(Machine::Scalar(frame, site, 0).i);
  for (; queue.groups.size() > left; queue.groups.pop_front()) {
    for (const AsyncQueue::Copy& copy : queue.groups.front()) {
      Record(machine, frame, copy.to, copy.bytes.size(), AccessKind::kWrite);
      std::copy(copy.bytes.begin(), copy.bytes.end(),
                machine.memory().Write(copy.to, copy.bytes.size(), intrinsic::kAsyncWait));
    }
  }
}

struct NamedBuiltin {
  std::string_view name;
  Builtin builtin;
};

constexpr NamedBuiltin kBuiltins[] = {
    {intrinsic::kAtomicAdd, DoAtomic},        {intrinsic::kAtomicMin, DoAtomic},
    {intrinsic::kAtomicMax, DoAtomic},        {intrinsic::kAtomicExchange, DoAtomic},
    {intrinsic::kAsyncCopy, DoAsyncCopy},     {intrinsic::kAtomicCompareExchange, DoAtomic},
    {intrinsic::kAsyncCommit, DoAsyncCommit}, {intrinsic::kAsyncWait, DoAsyncWait},
};

}  // namespace

Builtin FindThreadBuiltin(std::string_view name) {
  for (const NamedBuiltin& entry : kBuiltins) {
    if (entry.name == name) return entry.builtin;
  }
  return nullptr;
}

const uint8_t* Machine::ReadShared(const Frame& frame, Handle at, uint64_t bytes, const char* use) {
  try {
    return memory_.Read(at, bytes, use);
  } catch (const Error& error) {
    if (threads_ == nullptr || error.name() != std::string("interpret-uninitialized")) throw;
    const Region& region = memory_.Get(at, Region::kBytes, use);
    if (!region.tracked) throw;
    Diagnostic problem = error.diagnostic();
    AddContext(frame, problem);
    threads_->Missing(std::move(problem));
    return region.data + Memory::OffsetOf(at);
  }
}

// The call has the kernel's arguments, then one extent per thread axis, then the bytes of dynamic
// shared memory. A handle parameter gets the address of a buffer's first element.
void Machine::CallKernel(const FuncNode& func, const Frame& frame, const CallSite& site) {
  const size_t params = func.params.size();
  if (site.args.size() < 1 + params) {
    Fail("interpret-argument", "the kernel `" + func.name + "` is launched with too few arguments",
         std::to_string(params) + ", then an extent per thread axis, then bytes of shared memory",
         std::to_string(site.args.size() - 1));
  }
  std::vector<int64_t> launch;
  for (size_t i = 1 + params; i + 1 < site.args.size(); ++i) {
    launch.push_back(Scalar(frame, site, i).i);
  }
  const Code& code = CodeOf(func);
  Frame callee;
  StartFrame(callee, code);
  try {
    for (size_t i = 0; i < params; ++i) {
      const Argument& arg = site.args[i + 1];
      const Parameter& param = code.params[i];
      if (param.var == nullptr) {
        if (arg.kind != Argument::kBuffer) {
          Fail("interpret-argument",
               "argument " + std::to_string(i + 1) + " of `" + func.name + "` does not fit",
               "a buffer", arg.operand.type.ToString());
        }
        const LiveBuffer& buffer = frame.buffers[static_cast<size_t>(arg.index)];
        BindArgument(callee, param, i, TensorOf(buffer));
        // Bind the same memory, so that its written flags are kept.
        LiveBuffer& bound = callee.buffers[static_cast<size_t>(param.slot)];
        bound.data = buffer.data;
        bound.offset = buffer.offset;
        callee.lanes[static_cast<size_t>(param.place)].i = static_cast<int64_t>(bound.data);
        continue;
      }
      Lane& place = callee.lanes[static_cast<size_t>(param.place)];
      if (arg.kind == Argument::kBuffer && param.var->dtype.is_handle()) {
        const LiveBuffer& buffer = frame.buffers[static_cast<size_t>(arg.index)];
        place.i = buffer.data == 0
                      ? 0
                      : static_cast<int64_t>(memory_.Advance(
                            buffer.data, buffer.offset * buffer.element_bytes, "a launch"));
      } else if (arg.kind == Argument::kOperand && arg.operand.type == param.var->dtype) {
        place = Scalar(frame, site, i + 1);
      } else {
        Fail("interpret-argument",
             "argument " + std::to_string(i + 1) + " of `" + func.name + "` does not fit",
             param.var->dtype.ToString(),
             arg.kind == Argument::kOperand ? arg.operand.type.ToString() : "a buffer or a string");
      }
    }
    launch_ = std::move(launch);
  } catch (...) {
    EndFrame(callee);
    throw;
  }
  Run(callee);
  EndFrame(callee);
}

void Machine::CallKernel(const FuncNode& func, std::span<const ValueCell> args) {
  const size_t params = func.params.size();
  if (args.size() < params) {
    Fail("interpret-argument", "the kernel `" + func.name + "` is launched with too few arguments",
         std::to_string(params) + ", then an extent per thread axis, then bytes of shared memory",
         std::to_string(args.size()));
  }
  std::vector<int64_t> launch;
  for (size_t i = params; i + 1 < args.size(); ++i) launch.push_back(args[i].payload.i);
  const Code& code = CodeOf(func);
  Frame callee;
  StartFrame(callee, code);
  try {
    for (size_t i = 0; i < params; ++i) {
      const Parameter& param = code.params[i];
      ValueCell arg = args[i];
      const DataType type = param.var == nullptr ? DataType::Void() : param.var->dtype;
      const Region* region = arg.kind == LATHE_VALUE_DLTENSOR
                                 ? memory_.Find(static_cast<Handle>(arg.payload.i))
                                 : nullptr;
      if (region != nullptr && region->kind == Region::kTensor && region->tensor_data != 0) {
        // The address of a tensor's first element.
        arg.kind = LATHE_VALUE_POINTER;
        arg.payload.i = static_cast<int64_t>(memory_.Advance(
            region->tensor_data, static_cast<int64_t>(region->tensor->byte_offset), "a launch"));
      }
      const int kind = arg.kind;
      const bool fits = type.is_handle()  ? kind == LATHE_VALUE_POINTER || kind == LATHE_VALUE_NONE
                        : type.is_float() ? kind == LATHE_VALUE_FLOAT
                                          : kind == LATHE_VALUE_INT || kind == LATHE_VALUE_BOOL;
      if (type.is_void() || !fits) {
        Fail(
            "interpret-argument",
            "argument " + std::to_string(i + 1) + " of `" + func.name + "` does not fit",
            type.is_void() ? "a kernel whose parameters are pointers and scalars" : type.ToString(),
            ValueKindText(kind));
      }
      callee.lanes[static_cast<size_t>(param.place)] = RoundLane(arg.payload, type);
    }
    launch_ = std::move(launch);
  } catch (...) {
    EndFrame(callee);
    throw;
  }
  Run(callee);
  EndFrame(callee);
}

}  // namespace lathe::ir::interp
