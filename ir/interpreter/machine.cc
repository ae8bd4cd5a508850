#include "ir/interpreter/machine.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/poll.h"
#include "ir/interpreter/threads.h"
#include "ir/text/printer.h"

namespace lathe::ir::interp {
std::string ExcerptOf(const Node& node) {
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

Machine::Machine(Module module, InterpretOptions options)
    : module_(std::move(module)),
      options_(std::move(options)),
      memory_(options_.memory_limit, options_.check_initialized) {
  options_.vscale = std::clamp(options_.vscale, 1, 16);
  options_.parallel_parts = std::max(options_.parallel_parts, 1);
  options_.warp_size = std::clamp(options_.warp_size, 1, 64);
  pause_at_ = options_.step_limit;
  if (options_.constants.empty()) TakeConstants();
}

void Machine::TakeConstants() {
  std::vector<ConstantRef> table = ConstantsIn(module_->attrs);
  for (const Func& func : module_->functions) {
    std::vector<ConstantRef> own = ConstantsIn(func->attrs);
    if (own.empty()) continue;
    if (!table.empty()) {
      Fail("interpret-no-constant",
           "several functions have tables of constants, so an index means nothing", "one table",
           "another one at `" + func->name + "`", "gather them (lower/constants.h)");
    }
    table = std::move(own);
  }
  for (const ConstantRef& constant : table)
    // The cast is safe: AllocConst makes the memory read-only.
    options_.constants.push_back(InterpTensor::Of(const_cast<char*>(constant->data->data()),
                                                  constant->dtype, ShapeOf(*constant)));
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

void Machine::AddContext(const Frame& frame, Diagnostic& diagnostic) const {
  const Code& code = *frame.code;
  if (frame.pc >= code.instrs.size()) return;
  std::string note = "in `" + code.func->name + "`";
  if (const Node* origin = code.origin[frame.pc]; origin != nullptr)
    note += ": " + ExcerptOf(*origin);
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
    frame.pc = 0;
    Execute(frame);
  } catch (const Interruption&) {
    EndFrame(frame);
    throw;
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

// True if lane `lane` of `lanes` reaches the result; false if a Select does not choose it.
bool Machine::Counts(const Frame& frame, int lane, int lanes) const {
  for (const Guard& guard : frame.guards) {
    bool counts = false;
    if (guard.lanes == 1 || guard.lanes == lanes) {
      counts = (guard.condition[guard.lanes == 1 ? 0 : lane].i != 0) == guard.wanted;
    } else {
      // A part of the arm with another number of lanes (under a broadcast or a shuffle): any lane
      // may use it.
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

void Machine::AssertFail(const Frame& frame, const AssertSite& site) {
  // An Assert without a name passes on the pending error.
  if (site.node->name.empty() && pending_) throw Error(*pending_);
  std::string text = FillPlaces(site.node->message, site.values.size(), [&](size_t i, ShownAs as) {
    const Operand& value = site.values[i];
    return FormatShown(frame.lanes[static_cast<size_t>(value.at)], value.type.element_of(), as);
  });
  throw Error(Diagnostic{.name = site.node->name, .message = std::move(text)});
}

Stop Machine::Execute(Frame& frame) {
  const std::vector<Instr>& instrs = frame.code->instrs;
  Lane* const lanes = frame.lanes.data();  // a frame never grows
  for (; frame.pc < instrs.size(); ++frame.pc) {
    const Instr& instr = instrs[frame.pc];
    if (++steps_ > pause_at_ && Pause(frame)) return Stop::kPause;
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
        Poll();
        frame.pc = static_cast<size_t>(instr.index) - 1;
        break;
      case OpCode::kJumpIfFalse:
        if (a->i == 0) frame.pc = static_cast<size_t>(instr.index) - 1;
        break;
      case OpCode::kForBegin: {
        const int64_t extent = lanes[instr.b].i;
        // The counter works for unsigned extents of 2^63 and more too. Such a loop always reaches
        // the step limit.
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
      case OpCode::kLeave:
        Leave(frame, frame.buffers[static_cast<size_t>(instr.index)]);
        break;
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
        return Stop::kReturn;
      case OpCode::kRegion:
        RunRegion(frame, frame.code->regions[static_cast<size_t>(instr.index)]);
        break;
      case OpCode::kRegionEnd:
        return Stop::kRegionEnd;
      case OpCode::kThreadBegin:
        if (!threads_->ThreadBegin(*frame.strand, instr)) return Stop::kFork;
        break;
      case OpCode::kThreadEnd:
        threads_->ThreadEnd(*frame.strand);
        break;
      case OpCode::kSync:
        return Stop::kSync;
      case OpCode::kCollective:
        if (frame.strand != nullptr) return Stop::kCollective;
        CollectiveAlone(frame, frame.code->calls[static_cast<size_t>(instr.index)]);
        break;
    }
  }
  return Stop::kEnd;
}

// Called when the allowed steps are used up: all steps, or those of a thread's turn.
bool Machine::Pause(const Frame& frame) {
  if (steps_ > options_.step_limit) {
    Fail("interpret-step-limit", "the program runs for too long",
         "at most " + std::to_string(options_.step_limit) + " steps", "",
         "check its loops, or raise InterpretOptions::step_limit");
  }
  pause_at_ = options_.step_limit;
  if (frame.strand == nullptr) return false;  // a function that a thread calls runs to its end
  --steps_;
  return true;
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

}  // namespace lathe::ir::interp
