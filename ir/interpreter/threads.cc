#include "ir/interpreter/threads.h"

#include <algorithm>
#include <numeric>

#include "base/error.h"
#include "base/poll.h"
#include "ir/names.h"

namespace lathe::ir::interp {

Threads::Threads(Machine& machine, const Frame& host, const ThreadRegion& region)
    : machine_(machine),
      host_(host),
      region_(region),
      races_(machine.memory_, [this](const AccessEvent& now, const AccessEvent& before) {
        ReportRace(now, before);
      }) {
  random_ = machine.options_.interleaving;
  launch_ = std::exchange(machine.launch_, {});
  machine.threads_ = this;
}

Threads::~Threads() {
  for (const std::unique_ptr<ThreadBlock>& block : blocks_) {
    if (block != nullptr) EndBlock(*block);
  }
  machine_.threads_ = nullptr;
  machine_.pause_at_ = machine_.options_.step_limit;
}

uint64_t Threads::Random(uint64_t below) {
  random_ = random_ * 6364136223846793005u + 1442695040888963407u;
  return (random_ >> 33) % below;
}

template <class T>
void Threads::Mix(std::vector<T>& order) {
  if (machine_.options_.interleaving == 0) return;
  for (size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[Random(i)]);
}

namespace {

// The tags of a launch: the attribute is a string like "blockIdx.x threadIdx.x" or a list of
// strings.
std::vector<std::string> LaunchTags(const FuncNode& func) {
  std::vector<std::string> tags;
  const auto found = func.attrs.find(func_attr::kLaunch);
  if (found == func.attrs.end()) return tags;
  if (const auto* list = As<Call>(found->second)) {
    for (const NodeRef& arg : list->args) {
      if (const auto* text = As<StringImm>(arg)) tags.push_back(text->value);
    }
    return tags;
  }
  std::string tag;
  for (const char c : StringAttr(func.attrs, func_attr::kLaunch) + " ") {
    if (c != ' ' && c != ',') {
      tag += c;
    } else if (!tag.empty()) {
      tags.push_back(std::exchange(tag, ""));
    }
  }
  return tags;
}

[[noreturn]] void BadLaunch(const std::string& kernel, const std::string& tag, int64_t expected,
                            int64_t found) {
  Fail("interpret-launch", "`" + kernel + "` is launched with another extent of `" + tag + "`",
       std::to_string(expected) + ", which its loops have", std::to_string(found));
}

}  // namespace

void Threads::CheckLaunch(const std::vector<int64_t>& grid) const {
  for (size_t k = 0; k < tags_.size() && k < launch_.size(); ++k) {
    const auto axis = std::find(region_.tags.begin(), region_.tags.end(), tags_[k]);
    const bool looped = axis != region_.tags.end();
    if (looped && !tags_[k].starts_with(thread_tag::kBlockPrefix))
      continue;  // compared when threads begin
    const int64_t expected = looped ? grid[static_cast<size_t>(axis - region_.tags.begin())] : 1;
    if (std::max<int64_t>(launch_[k], 1) != expected) {
      BadLaunch(host_.code->func->name, tags_[k], expected, launch_[k]);
    }
  }
}

void Threads::Run() {
  grid_.assign(region_.tags.size(), 1);
  for (const auto& [axis, extent] : region_.grid) {
    int64_t& count = grid_[static_cast<size_t>(axis)];
    count = std::max(count, host_.lanes[static_cast<size_t>(extent.at)].i);
  }
  tags_ = LaunchTags(*host_.code->func);
  CheckLaunch(grid_);
  uint64_t count = 1;
  for (const int64_t extent : grid_) {
    if (__builtin_mul_overflow(count, static_cast<uint64_t>(extent), &count) ||
        count > UINT32_MAX) {
      Fail("interpret-thread-extent", "the kernel has more blocks than the interpreter can count",
           "at most 4294967295 blocks");
    }
  }
  if (region_.global_barrier && region_.kernel) {
    std::vector<ThreadBlock*> all;
    for (uint32_t id = 0; id < count; ++id) {
      blocks_.push_back(NewBlock(id));
      all.push_back(blocks_.back().get());
    }
    Mix(all);
    return RunFreely(all);
  }
  std::vector<uint32_t> order;
  if (machine_.options_.interleaving != 0) {
    machine_.memory_.Charge(count * sizeof(uint32_t));
    order.resize(count);
    std::iota(order.begin(), order.end(), 0u);
    Mix(order);
    machine_.memory_.Discharge(count * sizeof(uint32_t));
  }
  blocks_.resize(1);
  for (uint32_t k = 0; k < count; ++k) {
    blocks_[0] = NewBlock(order.empty() ? k : order[k]);
    if (region_.kernel) {
      RunFreely({blocks_[0].get()});
    } else {
      RunSteps(*blocks_[0]);
    }
    EndBlock(*blocks_[0]);
    blocks_[0] = nullptr;
  }
}

std::unique_ptr<ThreadBlock> Threads::NewBlock(uint32_t id) {
  auto block = std::make_unique<ThreadBlock>();
  block->id = id;
  const size_t axes = grid_.size();
  block->index.assign(axes, 0);
  block->extent.assign(axes, 1);
  auto first = std::make_unique<Strand>();
  Strand& strand = *first;
  uint64_t rest = id;
  // The first axis changes fastest.
  for (size_t axis = 0; axis < axes; ++axis) {
    block->index[axis] = static_cast<int64_t>(rest % static_cast<uint64_t>(grid_[axis]));
    rest /= static_cast<uint64_t>(grid_[axis]);
    if (block->index[axis] != 0) strand.nonzero |= 1u << axis;
  }
  strand.block = block.get();
  strand.index = block->index;
  block->indices.insert(strand.index);
  machine_.memory_.Charge(host_.lanes.size() * sizeof(Lane));
  strand.frame.code = host_.code;
  strand.frame.pc = host_.pc + 1;
  strand.frame.lanes = host_.lanes;
  strand.frame.buffers = host_.buffers;
  for (LiveBuffer& buffer : strand.frame.buffers) buffer.owned = false;
  strand.frame.strand = &strand;
  strand.id = static_cast<uint32_t>(names_.size());
  names_.emplace_back();
  for (size_t k = 0; k < names_.back().size() && k < axes; ++k) {
    names_.back()[k] = static_cast<int32_t>(strand.index[k]);
  }
  block->strands.push_back(std::move(first));
  NumberLanes(*block);
  return block;
}

void Threads::EndStrand(Strand& strand) {
  if (strand.done) return;
  strand.done = true;
  strand.ready = false;
  for (LiveBuffer& buffer : strand.frame.buffers) {
    if (buffer.alive && buffer.owned) machine_.memory_.Free(buffer.data);
  }
  for (const Handle handle : strand.frame.owned) machine_.memory_.Free(handle);
  machine_.memory_.Discharge(strand.frame.lanes.size() * sizeof(Lane));
  strand.frame.buffers.clear();
}

void Threads::EndBlock(ThreadBlock& block) {
  for (const std::unique_ptr<Strand>& strand : block.strands) EndStrand(*strand);
  for (const auto& [handle, users] : block.users) {
    races_.Forget(handle);
    machine_.memory_.Free(handle);
  }
  block.users.clear();
}

void Threads::Resume(Strand& strand) {
  current_ = &strand;
  strand.ready = false;
  try {
    strand.stop = machine_.Execute(strand.frame);
  } catch (const Interruption&) {
    throw;
  } catch (const Error& error) {
    if (missing_ && error.name() != std::string("interpret-race")) ThrowMissing();
    Diagnostic diagnostic = error.diagnostic();
    machine_.AddContext(strand.frame, diagnostic);
    throw Error(std::move(diagnostic));
  }
  if (strand.stop == Stop::kPause) strand.ready = true;
  if (strand.stop == Stop::kRegionEnd || strand.stop == Stop::kReturn ||
      strand.stop == Stop::kEnd) {
    EndStrand(strand);
  }
}

void Threads::ThrowMissing() {
  if (missing_) throw Error(*std::exchange(missing_, std::nullopt));
}

// Runs statement by statement. The threads that are furthest behind are at the same statement,
// whatever path they took.
void Threads::RunSteps(ThreadBlock& block) {
  Resume(*block.strands[0]);
  std::vector<Strand*> group;
  for (;;) {
    group.clear();
    size_t behind = SIZE_MAX;
    for (const std::unique_ptr<Strand>& strand : block.strands) {
      if (strand->done || strand->frame.pc > behind) continue;
      if (strand->frame.pc < behind) group.clear();
      behind = strand->frame.pc;
      group.push_back(strand.get());
    }
    if (group.empty()) return;
    ++step_;
    ++block.epoch;
    const Instr& instr = host_.code->instrs[behind];
    switch (instr.op) {
      case OpCode::kThreadBegin:
        Fork(group);
        break;
      case OpCode::kCollective:
        CollectiveStep(block, group);
        break;
      default: {
        const SyncSite& site = host_.code->syncs[static_cast<size_t>(instr.index)];
        for (Strand* strand : group) {
          const bool active =
              site.always || ((strand->shadow & site.enclosing) == 0 &&
                              (site.per_thread || (strand->nonzero & ~site.enclosing) == 0));
          strand->frame.pc = active ? behind + 1 : static_cast<size_t>(site.next);
        }
      }
    }
    Mix(group);
    for (Strand* strand : group) Resume(*strand);
    ThrowMissing();
  }
}

// Every thread runs until it has to wait. If threads are interleaved, they take turns of random
// length.
void Threads::RunFreely(const std::vector<ThreadBlock*>& blocks) {
  const bool mixed = machine_.options_.interleaving != 0;
  std::vector<Strand*> turn;
  for (;;) {
    turn.clear();
    for (ThreadBlock* block : blocks) {
      for (const std::unique_ptr<Strand>& strand : block->strands) {
        if (strand->ready) turn.push_back(strand.get());
      }
    }
    Mix(turn);
    bool paused = false;
    for (Strand* strand : turn) {
      machine_.pause_at_ = machine_.options_.step_limit;
      if (mixed) {
        machine_.pause_at_ = std::min(machine_.pause_at_, machine_.steps_ + 1 + Random(60));
      }
      Resume(*strand);
      paused = paused || strand->ready;
    }
    if (!paused) ThrowMissing();
    bool progress = paused;
    for (ThreadBlock* block : blocks) progress = Resolve(*block) || progress;
    if (progress) continue;
    if (ResolveGrid(blocks) || ResolveMasks(blocks)) continue;
    for (ThreadBlock* block : blocks) {
      for (const std::unique_ptr<Strand>& strand : block->strands) {
        if (!strand->done) Stuck(blocks);
      }
    }
    return;
  }
}

std::string Threads::NameOf(uint32_t strand) const {
  std::string out;
  for (size_t axis = 0; axis < region_.tags.size() && axis < names_[strand].size(); ++axis) {
    out +=
        (axis == 0 ? "" : ", ") + region_.tags[axis] + " = " + std::to_string(names_[strand][axis]);
  }
  return out.empty() ? "the only thread" : out;
}

void Threads::Access(const Frame& frame, Handle region, uint64_t at, uint64_t bytes,
                     AccessKind kind, bool same) {
  const Strand& strand = *current_;
  AccessEvent event;
  event.stmt = frame.code->origin[frame.pc];
  event.strand = strand.id;
  event.block = strand.block->id;
  event.warp = strand.warp;
  event.grid_epoch = grid_epoch_;
  event.epoch = strand.block->epoch;
  event.warp_epoch = strand.block->warp_epochs[strand.warp];
  event.kind = kind;
  const auto pc = static_cast<int>(frame.pc);
  for (const auto& [begin, end] : frame.code->turns) {
    if (pc >= begin && pc < end) event.kind = AccessKind::kAtomic;
  }
  races_.Access(region, at, bytes, event, same);
}

void Threads::ReportRace(const AccessEvent& now, const AccessEvent& before) const {
  auto describe = [&](const AccessEvent& event) {
    const char* kind = event.kind == AccessKind::kRead    ? "a read"
                       : event.kind == AccessKind::kWrite ? "a write"
                                                          : "an atomic update";
    return std::string(kind) + " by the thread " + NameOf(event.strand) +
           (event.several ? " and others" : "") +
           (event.stmt != nullptr ? "\nin: " + ExcerptOf(*event.stmt) : std::string());
  };
  const bool blocks = now.block != before.block;
  throw Error(Diagnostic{
      .name = "interpret-race",
      .message = std::string("two threads touch one place in memory, one of them writes, and "
                             "nothing says which comes first") +
                 (blocks ? " (they are in different blocks)" : ""),
      .help = blocks ? "let each block write places of its own, or use atomics"
                     : "put a barrier between both, or let each thread write places of its own",
      .notes = {"first: " + describe(before), "then: " + describe(now)}});
}

void Machine::RunRegion(Frame& frame, const ThreadRegion& region) {
  if (threads_ != nullptr) {
    Fail("interpret-thread-call", "a thread begins threads of its own", "",
         "a loop over a thread axis in a function that a thread calls",
         "inline `" + frame.code->func->name + "`, or call it outside of the kernel");
  }
  Threads threads(*this, frame, region);
  threads.Run();
  frame.pc = static_cast<size_t>(region.end);
}

AsyncQueue& Machine::async() {
  return threads_ != nullptr && threads_->current() != nullptr ? threads_->current()->async
                                                               : async_;
}

}  // namespace lathe::ir::interp
