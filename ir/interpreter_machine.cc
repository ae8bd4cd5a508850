#include "ir/interpreter_machine.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "ir/printer.h"

namespace lathe::ir::interp {
namespace {

// A statement as a note of a diagnostic: its own line, not the body below it.
std::string Excerpt(const Node& node) {
  std::string text;
  try {
    text = ToText(node, {.max_bytes = 1 << 20});
  } catch (const Error&) {
    return std::string("a ") + NodeKindName(node.node_kind()) + " too large to print";
  }
  const bool has_body =
      As<Store>(&node) == nullptr && As<Evaluate>(&node) == nullptr && As<Assert>(&node) == nullptr;
  if (has_body) text = text.substr(0, text.find('\n'));
  if (text.size() > 2000) text = text.substr(0, 2000) + " ...";
  return text;
}

}  // namespace

Machine::Machine(Module module, InterpretOptions options)
    : module_(std::move(module)),
      options_(std::move(options)),
      memory_(options_.memory_limit, options_.check_initialized) {
  options_.vscale = std::clamp(options_.vscale, 1, 16);
  options_.parallel_parts = std::max(options_.parallel_parts, 1);
}

const Code& Machine::CodeOf(const FuncNode& func) {
  std::unique_ptr<Code>& code = codes_[&func];
  if (code == nullptr) code = Compile(func, options_);
  return *code;
}

const FuncNode* Machine::FindFunction(std::string_view name) const {
  return FindFunc(module_, name).get();
}

void Machine::StartFrame(Frame& frame, const Code& code) {
  if (depth_ >= options_.call_depth_limit) {
    Fail("interpret-call-depth", "calls are nested too deeply",
         "at most " + std::to_string(options_.call_depth_limit) + " calls at once", "",
         "end the recursion, or raise InterpretOptions::call_depth_limit");
  }
  memory_.Charge(code.initial.size() * sizeof(Lane));
  ++depth_;
  frame.code = &code;
  frame.lanes = code.initial;
  frame.buffers.resize(static_cast<size_t>(code.num_slots));
}

void Machine::EndFrame(Frame& frame) {
  --depth_;
  memory_.Discharge(frame.code->initial.size() * sizeof(Lane));
  for (LiveBuffer& buffer : frame.buffers) {
    if (buffer.alive && buffer.owned) memory_.Free(buffer.data);
  }
  for (Handle handle : frame.owned) memory_.Free(handle);
}

void Machine::AddContext(Frame& frame, Diagnostic& diagnostic) const {
  const Code& code = *frame.code;
  if (frame.pc >= code.instrs.size()) return;
  std::string note = "in `" + code.func->name + "`";
  if (const Node* origin = code.origin[frame.pc]; origin != nullptr)
    note += ": " + Excerpt(*origin);
  std::string loops;
  for (int at = code.scope[frame.pc]; at >= 0; at = code.scopes[static_cast<size_t>(at)].parent) {
    const Scope& scope = code.scopes[static_cast<size_t>(at)];
    const Lane value = frame.lanes[static_cast<size_t>(scope.operand.at)];
    loops = scope.name + " = " + FormatLane(value, scope.operand.type) +
            (loops.empty() ? "" : ", ") + loops;
  }
  if (!loops.empty()) note += "\nwhere " + loops;
  diagnostic.notes.push_back(std::move(note));
}

void Machine::Run(Frame& frame) {
  try {
    Execute(frame);
  } catch (const Error& error) {
    Diagnostic diagnostic = error.diagnostic();
    AddContext(frame, diagnostic);
    EndFrame(frame);
    throw Error(std::move(diagnostic));
  } catch (...) {
    EndFrame(frame);
    throw;
  }
}

// Does lane `lane` of `lanes` reach the result, or does a Select drop it?
bool Machine::Counts(const Frame& frame, int lane, int lanes) const {
  for (const Guard& guard : frame.guards) {
    bool counts = false;
    if (guard.lanes == 1 || guard.lanes == lanes) {
      counts = (guard.condition[guard.lanes == 1 ? 0 : lane].i != 0) == guard.wanted;
    } else {
      // A part of the arm with other lanes (under a broadcast or a shuffle): any lane may use it.
      for (int k = 0; k < guard.lanes && !counts; ++k) {
        counts = (guard.condition[k].i != 0) == guard.wanted;
      }
    }
    if (!counts) return false;
  }
  return true;
}

void Machine::Divide(Frame& frame, const Instr& instr) {
  const Lane* a = frame.lanes.data() + instr.a;
  const Lane* b = frame.lanes.data() + instr.b;
  for (int k = 0; k < instr.lanes; ++k) {
    if (b[k].i == 0 && !spoiled_ && Counts(frame, k, instr.lanes)) {
      Fail("interpret-division-by-zero", "an integer is divided by zero", "a divisor other than 0",
           FormatLane(a[k], instr.type) + " divided by 0",
           "guard the division by if_then_else, or by a select on the divisor");
    }
  }
  instr.kernel(frame.lanes.data() + instr.dst, a, b, instr.lanes, instr.type);
}

void Machine::OutOfBounds(const Frame& frame, const Access& access, int lane,
                          const char* what) const {
  const LiveBuffer& buffer = frame.buffers[static_cast<size_t>(access.buffer)];
  std::string found, expected;
  for (size_t d = 0; d < access.indices.size(); ++d) {
    const Operand& index = access.indices[d];
    const Lane value = frame.lanes[static_cast<size_t>(index.at + (index.lanes == 1 ? 0 : lane))];
    const int64_t min = buffer.mins.empty() ? 0 : buffer.mins[d];
    int64_t end = 0;
    if (__builtin_add_overflow(min, buffer.shape[d], &end)) end = INT64_MAX;
    found += (d == 0 ? "" : ", ") + FormatLane(value, index.type);
    expected += (d == 0 ? "[" : " x [") + std::to_string(min) + ", " + std::to_string(end) + ")";
  }
  Fail("interpret-out-of-bounds",
       std::string(what) + " `" + access.node->name + "` outside of its bounds",
       expected.empty() ? "an element of its memory" : "indices within " + expected,
       "`" + access.node->name + "[" + found + "]`" +
           (access.index_lanes > 1 ? " in lane " + std::to_string(lane) : ""),
       "guard the access by a condition, or make the buffer larger");
}

namespace {

// The element's distance from the buffer's data in bytes; false where an index is out of bounds or
// nothing could hold it.
bool ElementOffset(const Frame& frame, const Access& access, const LiveBuffer& buffer, int lane,
                   int64_t* out) {
  int64_t offset = buffer.offset;
  for (size_t d = 0; d < access.indices.size(); ++d) {
    const Operand& index = access.indices[d];
    int64_t i = frame.lanes[static_cast<size_t>(index.at + (index.lanes == 1 ? 0 : lane))].i;
    if (!buffer.mins.empty() && __builtin_sub_overflow(i, buffer.mins[d], &i)) return false;
    if (i < 0 || i >= buffer.shape[d]) return false;
    int64_t step = 0;
    if (__builtin_mul_overflow(i, buffer.strides[d], &step) ||
        __builtin_add_overflow(offset, step, &offset)) {
      return false;
    }
  }
  return !__builtin_mul_overflow(offset, static_cast<int64_t>(buffer.element_bytes), out);
}

}  // namespace

Handle Machine::Locate(const Frame& frame, const Access& access, int lane) {
  const LiveBuffer& buffer = frame.buffers[static_cast<size_t>(access.buffer)];
  int64_t offset = 0;
  if (!ElementOffset(frame, access, buffer, lane, &offset)) {
    OutOfBounds(frame, access, lane, "an address in");
  }
  return buffer.data == 0 ? 0 : memory_.Advance(buffer.data, offset, "an address");
}

void Machine::DoLoad(Frame& frame, const Instr& instr) {
  const Access& access = frame.code->accesses[static_cast<size_t>(instr.index)];
  const LiveBuffer& buffer = frame.buffers[static_cast<size_t>(access.buffer)];
  Lane* out = frame.lanes.data() + instr.dst;
  const Lane* mask = access.mask.lanes > 0 ? frame.lanes.data() + access.mask.at : nullptr;
  const Region* region = nullptr;
  const int total = access.index_lanes * access.element_lanes;
  for (int j = 0; j < access.index_lanes; ++j) {
    Lane* lanes = out + j * access.element_lanes;
    const Lane* mask_of = mask != nullptr ? mask + j * access.element_lanes : nullptr;
    std::fill_n(lanes, access.element_lanes, Lane());
    if (mask_of != nullptr &&
        std::none_of(mask_of, mask_of + access.element_lanes, [](Lane m) { return m.i != 0; })) {
      continue;
    }
    int64_t offset = 0;
    const bool inside = ElementOffset(frame, access, buffer, j, &offset);
    const int64_t at = inside ? static_cast<int64_t>(Memory::OffsetOf(buffer.data)) + offset : -1;
    if (inside && region == nullptr) region = &memory_.Get(buffer.data, Region::kBytes, "a load");
    if (at < 0 || at > static_cast<int64_t>(region->size) ||
        static_cast<int64_t>(region->size) - at < buffer.element_bytes) {
      if (options_.tolerate_dropped_loads && !Counts(frame, j, access.index_lanes)) continue;
      if (options_.spoil_missing_loads) {
        spoiled_ = true;
        continue;
      }
      OutOfBounds(frame, access, j, "a load of");
    }
    if (!region->written.empty()) {
      const auto from = region->written.begin() + at;
      if (std::find(from, from + buffer.element_bytes, 0) != from + buffer.element_bytes &&
          Counts(frame, j * access.element_lanes, total)) {
        if (options_.spoil_missing_loads) {
          spoiled_ = true;
          continue;
        }
        std::string indices;
        for (const Operand& index : access.indices) {
          const Lane value =
              frame.lanes[static_cast<size_t>(index.at + (index.lanes == 1 ? 0 : j))];
          indices += (indices.empty() ? "" : ", ") + FormatLane(value, index.type);
        }
        Fail("interpret-uninitialized",
             "a load of `" + access.node->name + "[" + indices + "]`, which nothing was written to",
             "a store before the load", "",
             "store the element first, or use InterpretOptions::check_initialized");
      }
    }
    for (int e = 0; e < access.element_lanes; ++e) {
      if (mask_of == nullptr || mask_of[e].i != 0)
        lanes[e] = ReadLane(region->data + at, e, access.element);
    }
  }
}

void Machine::DoStore(Frame& frame, const Instr& instr) {
  const Access& access = frame.code->accesses[static_cast<size_t>(instr.index)];
  const LiveBuffer& buffer = frame.buffers[static_cast<size_t>(access.buffer)];
  const Lane* value = frame.lanes.data() + instr.a;
  const Lane* mask = access.mask.lanes > 0 ? frame.lanes.data() + access.mask.at : nullptr;
  for (int j = 0; j < access.index_lanes; ++j) {
    const Lane* lanes = value + j * access.element_lanes;
    const Lane* mask_of = mask != nullptr ? mask + j * access.element_lanes : nullptr;
    if (mask_of != nullptr &&
        std::none_of(mask_of, mask_of + access.element_lanes, [](Lane m) { return m.i != 0; })) {
      continue;
    }
    int64_t offset = 0;
    if (!ElementOffset(frame, access, buffer, j, &offset))
      OutOfBounds(frame, access, j, "a store to");
    Region& region = memory_.Get(buffer.data, Region::kBytes, "a store");
    const int64_t at = static_cast<int64_t>(Memory::OffsetOf(buffer.data)) + offset;
    if (at < 0 || at > static_cast<int64_t>(region.size) ||
        static_cast<int64_t>(region.size) - at < buffer.element_bytes) {
      OutOfBounds(frame, access, j, "a store to");
    }
    if (region.read_only) {
      Fail("interpret-read-only", "a store to `" + access.node->name + "`, which is read-only", "",
           "", "store to an output or to memory that the program allocates");
    }
    if (!region.written.empty()) {
      std::fill_n(region.written.begin() + at, buffer.element_bytes,
                  static_cast<uint8_t>(spoiled_ ? 0 : 1));
    }
    if (spoiled_) continue;
    for (int e = 0; e < access.element_lanes; ++e) {
      if (mask_of == nullptr || mask_of[e].i != 0)
        WriteLane(region.data + at, e, access.element, lanes[e]);
    }
  }
  spoiled_ = false;
}

void Machine::DoIntrinsic(Frame& frame, const Instr& instr) {
  const CallSite& site = frame.code->calls[static_cast<size_t>(instr.index)];
  std::vector<std::span<const Lane>> args;
  std::vector<DataType> types;
  for (const Argument& arg : site.args) {
    const Operand& operand = arg.operand;
    args.emplace_back(frame.lanes.data() + operand.at, static_cast<size_t>(operand.lanes));
    types.push_back(arg.kind == Argument::kOperand ? operand.type
                                                   : DataType::Handle());  // a string: no lanes
  }
  const std::span<Lane> result(frame.lanes.data() + site.result.at,
                               static_cast<size_t>(site.result.lanes));
  site.intrinsic->evaluate({site.call->dtype, result, types, args});
  RoundLanes(result.data(), site.result.lanes, site.result.type.element_of());
}

void Machine::Enter(Frame& frame, const BufferEntry& entry) {
  const BufferNode& node = *entry.node;
  LiveBuffer& buffer = frame.buffers[static_cast<size_t>(entry.slot)];
  if (buffer.alive && buffer.owned) memory_.Free(buffer.data);
  buffer = LiveBuffer();
  auto values = [&](const std::vector<Operand>& operands) {
    std::vector<int64_t> out;
    for (const Operand& operand : operands)
      out.push_back(frame.lanes[static_cast<size_t>(operand.at)].i);
    return out;
  };
  buffer.node = &node;
  buffer.mins = values(entry.mins);
  buffer.shape = values(entry.shape);
  buffer.strides = values(entry.strides);
  if (entry.offset.lanes > 0) buffer.offset = frame.lanes[static_cast<size_t>(entry.offset.at)].i;
  buffer.element_bytes = node.dtype.bytes() * (node.dtype.is_scalable() ? options_.vscale : 1);
  // The number of elements that memory of its own needs; huge where it overflows, so that the limit
  // says so.
  constexpr __int128 kHuge = __int128{1} << 62;
  __int128 compact = 1, reach = 1;
  const bool given = !buffer.strides.empty();
  if (!given) buffer.strides.resize(buffer.shape.size());
  for (size_t d = buffer.shape.size(); d-- > 0;) {
    const int64_t extent = std::max<int64_t>(buffer.shape[d], 0);
    if (!given) buffer.strides[d] = static_cast<int64_t>(std::min(compact, kHuge));
    if (given)
      reach = std::min(kHuge,
                       reach + std::max<__int128>(0, (__int128{extent} - 1) * buffer.strides[d]));
    compact = std::min(kHuge, compact * extent);
  }
  const __int128 elements = std::min(
      kHuge, (given && compact > 0 ? reach : compact) + std::max<int64_t>(buffer.offset, 0));
  Lane& data = frame.lanes[static_cast<size_t>(entry.data)];
  switch (entry.kind) {
    case BufferEntry::kRealize:
    case BufferEntry::kAllocate: {
      const __int128 bytes = std::min(kHuge, elements * buffer.element_bytes);
      buffer.data = memory_.Allocate(node.name, static_cast<uint64_t>(bytes));
      buffer.owned = true;
      data.i = static_cast<int64_t>(buffer.data);
      break;
    }
    case BufferEntry::kConstant: {
      const auto count = static_cast<int64_t>(options_.constants.size());
      if (entry.constant < 0 || entry.constant >= count) {
        Fail("interpret-no-constant", "the constant `" + node.name + "` is not there",
             "constant number " + std::to_string(entry.constant),
             std::to_string(count) + " constants",
             "pass the module's constants in InterpretOptions::constants");
      }
      Handle& handle = constants_[entry.constant];
      if (handle == 0) {
        InterpTensor tensor = options_.constants[static_cast<size_t>(entry.constant)];
        tensor.read_only = true;
        handle = memory_.WrapData(node.name, tensor);
        if (handle != 0) handle += tensor.byte_offset;
      }
      buffer.data = handle;
      data.i = static_cast<int64_t>(handle);
      break;
    }
    case BufferEntry::kView:
      buffer.data = static_cast<Handle>(data.i);
      break;
  }
  buffer.alive = true;
}

void Machine::AssertFail(const Frame& frame, const AssertSite& site) {
  // Without a name of its own it passes on what is pending.
  if (site.node->name.empty() && pending_) throw Error(*pending_);
  std::string text;
  const std::string& message = site.node->message;
  for (size_t i = 0; i < message.size(); ++i) {
    const size_t k = i + 2 < message.size() && message[i] == '{' && message[i + 2] == '}'
                         ? static_cast<size_t>(message[i + 1] - '0')
                         : SIZE_MAX;
    if (k < site.values.size()) {
      const Operand& value = site.values[k];
      text += FormatLane(frame.lanes[static_cast<size_t>(value.at)], value.type.element_of());
      i += 2;
    } else {
      text += message[i];
    }
  }
  throw Error(Diagnostic{.name = site.node->name, .message = std::move(text)});
}

void Machine::Execute(Frame& frame) {
  const std::vector<Instr>& instrs = frame.code->instrs;
  Lane* const lanes = frame.lanes.data();  // a frame never grows
  for (frame.pc = 0; frame.pc < instrs.size(); ++frame.pc) {
    const Instr& instr = instrs[frame.pc];
    if (++steps_ > options_.step_limit) {
      Fail("interpret-step-limit", "the program runs for too long",
           "at most " + std::to_string(options_.step_limit) + " steps", "",
           "check its loops, or raise InterpretOptions::step_limit");
    }
    Lane* const dst = lanes + instr.dst;
    const Lane* const a = lanes + instr.a;
    switch (instr.op) {
      case OpCode::kBinary:
        instr.kernel(dst, a, lanes + instr.b, instr.lanes, instr.type);
        break;
      case OpCode::kDivide:
        Divide(frame, instr);
        break;
      case OpCode::kNot:
        for (int k = 0; k < instr.lanes; ++k) dst[k].i = a[k].i == 0 ? 1 : 0;
        break;
      case OpCode::kCast:
        for (int k = 0; k < instr.lanes; ++k) dst[k] = CastLane(a[k], instr.from, instr.type);
        break;
      case OpCode::kCopy:
        std::copy_n(a, instr.lanes, dst);
        break;
      case OpCode::kSelect:
        for (int k = 0; k < instr.lanes; ++k) {
          dst[k] = a[instr.index == 1 ? 0 : k].i != 0 ? lanes[instr.b + k] : lanes[instr.c + k];
        }
        break;
      case OpCode::kGuardTrue:
        frame.guards.push_back({a, instr.lanes, true});
        break;
      case OpCode::kGuardFalse:
        frame.guards.push_back({a, instr.lanes, false});
        break;
      case OpCode::kGuardEnd:
        frame.guards.pop_back();
        break;
      case OpCode::kRamp:
        for (int k = 0; k < instr.lanes; ++k) {
          dst[k].i = static_cast<int64_t>(static_cast<uint64_t>(a->i) +
                                          static_cast<uint64_t>(k) *
                                              static_cast<uint64_t>(lanes[instr.b].i));
        }
        RoundLanes(dst, instr.lanes, instr.type);
        break;
      case OpCode::kBroadcast:
        std::fill_n(dst, instr.lanes, *a);
        break;
      case OpCode::kShuffle: {
        const std::vector<int>& list = frame.code->lists[static_cast<size_t>(instr.index)];
        for (int k = 0; k < instr.lanes; ++k) dst[k] = lanes[list[static_cast<size_t>(k)]];
        break;
      }
      case OpCode::kLoad:
        DoLoad(frame, instr);
        break;
      case OpCode::kStore:
        DoStore(frame, instr);
        break;
      case OpCode::kIntrinsic:
        DoIntrinsic(frame, instr);
        break;
      case OpCode::kBuiltin: {
        const CallSite& site = frame.code->calls[static_cast<size_t>(instr.index)];
        site.builtin(*this, frame, site);
        break;
      }
      case OpCode::kJump:
        frame.pc = static_cast<size_t>(instr.index) - 1;
        break;
      case OpCode::kJumpIfFalse:
        if (a->i == 0) frame.pc = static_cast<size_t>(instr.index) - 1;
        break;
      case OpCode::kForBegin: {
        const int64_t extent = lanes[instr.b].i;
        // An unsigned extent of 2^63 and more never ends within any step limit; it counts down as
        // it is.
        const bool empty = instr.type.is_uint() ? extent == 0 : extent <= 0;
        dst->i = a->i;
        lanes[instr.c].i = extent;
        if (empty) frame.pc = static_cast<size_t>(instr.index) - 1;
        break;
      }
      case OpCode::kForNext: {
        const uint64_t left = static_cast<uint64_t>(lanes[instr.c].i) - 1;
        lanes[instr.c].i = static_cast<int64_t>(left);
        if (left == 0) break;
        dst->i = static_cast<int64_t>(static_cast<uint64_t>(dst->i) + 1);
        *dst = RoundLane(*dst, instr.type);
        frame.pc = static_cast<size_t>(instr.index) - 1;
        break;
      }
      case OpCode::kEnter:
        Enter(frame, frame.code->buffers[static_cast<size_t>(instr.index)]);
        break;
      case OpCode::kLeave: {
        LiveBuffer& buffer = frame.buffers[static_cast<size_t>(instr.index)];
        if (buffer.owned) memory_.Free(buffer.data);
        buffer = LiveBuffer();
        break;
      }
      case OpCode::kAssertFail:
        AssertFail(frame, frame.code->asserts[static_cast<size_t>(instr.index)]);
        break;
      case OpCode::kBindShape:
        BindShape(frame, instr, false);
        break;
      case OpCode::kCheckShape:
        BindShape(frame, instr, true);
        break;
      case OpCode::kReturn:
        frame.result_type = instr.from;
        if (instr.lanes > 0) frame.result = *a;
        return;
    }
  }
}

Lane Machine::CallPlain(const FuncNode& func, std::span<const Lane> args,
                        std::span<const DataType> types) {
  const Code& code = CodeOf(func);
  if (args.size() != code.params.size()) {
    Fail("interpret-argument", "`" + func.name + "` is called with too few or too many arguments",
         std::to_string(code.params.size()), std::to_string(args.size()));
  }
  Frame frame;
  StartFrame(frame, code);
  for (size_t i = 0; i < args.size(); ++i) {
    const Parameter& param = code.params[i];
    if (param.var == nullptr || param.var->dtype != types[i]) {
      EndFrame(frame);
      Fail("interpret-argument",
           "argument " + std::to_string(i + 1) + " of `" + func.name + "` does not fit",
           param.var == nullptr ? "a tensor" : param.var->dtype.ToString(), types[i].ToString());
    }
    frame.lanes[static_cast<size_t>(param.place)] = args[i];
  }
  Run(frame);
  EndFrame(frame);
  return frame.result;
}

Handle Machine::FunctionHandle(const FuncNode* func) {
  Handle& handle = functions_[func];
  if (handle == 0) handle = memory_.Function(func);
  return handle;
}

Handle Machine::TextHandle(const std::string& text) {
  Handle& handle = texts_[text];
  if (handle == 0) handle = memory_.Text(text);
  return handle;
}

uint64_t Machine::NewCacheWord() {
  const Handle handle = memory_.Allocate("a call site's cache", 8);
  std::fill_n(memory_.Write(handle, 8, "the start"), 8, uint8_t{0});
  return handle;
}

InterpTensor Machine::TensorOf(const LiveBuffer& buffer) {
  InterpTensor tensor;
  tensor.dtype = buffer.node->dtype;
  tensor.shape = buffer.shape;
  tensor.strides = buffer.strides;
  if (buffer.data != 0) {
    Region& region = memory_.Get(buffer.data, Region::kBytes, "a call");
    tensor.data = region.data;
    tensor.byte_offset =
        Memory::OffsetOf(buffer.data) +
        static_cast<uint64_t>(buffer.offset) * static_cast<uint64_t>(buffer.element_bytes);
    tensor.read_only = region.read_only;
  }
  return tensor;
}

}  // namespace lathe::ir::interp
