// Operations that several threads execute together (barriers, shuffles, masks of active lanes), and
// the errors if a thread is missing.

#include <algorithm>
#include <cstring>

#include "base/error.h"
#include "ir/interpreter/threads.h"
#include "ir/intrinsic_names.h"
#include "ir/names.h"

namespace lathe::ir::interp {

bool IsCollective(std::string_view name) {
  return name == intrinsic::kBarrier || name.starts_with(intrinsic::kWarpShuffle) ||
         name == intrinsic::kWarpActiveMask;
}

int SourceLane(std::string_view op, int lane, int64_t x, int width) {
  const int first = lane & ~(width - 1), end = first + width;
  if (op == intrinsic::kWarpShuffle) return first + static_cast<int>(((x % width) + width) % width);
  if (op == intrinsic::kWarpShuffleXor)
    return x < 0 || x >= width ? -1 : lane ^ static_cast<int>(x);
  if (x < 0 || x >= width) return lane;
  const int source =
      op == intrinsic::kWarpShuffleUp ? lane - static_cast<int>(x) : lane + static_cast<int>(x);
  return source < first || source >= end ? lane : source;
}

const CallSite* Threads::SiteOf(const Strand& strand) {
  if (strand.done || strand.ready || strand.stop != Stop::kCollective) return nullptr;
  return &strand.frame.code->calls[static_cast<size_t>(InstrOf(strand).index)];
}

bool Threads::WaitsAt(const Strand& strand, std::string_view op, std::string_view scope) {
  const CallSite* site = SiteOf(strand);
  return site != nullptr && site->call->op == op && (scope.empty() || site->args[0].text == scope);
}

std::vector<std::vector<Strand*>> Threads::Warps(const ThreadBlock& block) const {
  std::vector<std::vector<Strand*>> warps;
  for (const std::unique_ptr<Strand>& strand : block.strands) {
    if (strand->warp >= warps.size()) warps.resize(strand->warp + 1);
    warps[strand->warp].push_back(strand.get());
  }
  return warps;
}

namespace {

bool AtOnePlace(const std::vector<Strand*>& strands) {
  return std::all_of(strands.begin(), strands.end(), [&](const Strand* strand) {
    return strand->frame.pc == strands[0]->frame.pc;
  });
}

uint64_t MaskOf(const Strand& strand, const CallSite& site) {
  return static_cast<uint64_t>(Machine::Scalar(strand.frame, site, 0).i);
}

std::vector<Strand*> AllOf(const ThreadBlock& block) {
  std::vector<Strand*> out;
  for (const std::unique_ptr<Strand>& strand : block.strands) out.push_back(strand.get());
  return out;
}

}  // namespace

bool Threads::ResolveFork(ThreadBlock& block) {
  std::vector<Strand*> all = AllOf(block);
  const auto forks = [](const Strand* strand) {
    return !strand->done && !strand->ready && strand->stop == Stop::kFork;
  };
  if (!std::all_of(all.begin(), all.end(), forks) || !AtOnePlace(all)) return false;
  Fork(all);
  return true;
}

// Continues the threads if all of them are at the same barrier of the scope.
bool Threads::ResolveBarrier(const std::vector<Strand*>& of, std::string_view scope) {
  const auto waits = [&](const Strand* strand) {
    return WaitsAt(*strand, intrinsic::kBarrier, scope);
  };
  if (of.empty() || !std::all_of(of.begin(), of.end(), waits) || !AtOnePlace(of)) return false;
  for (Strand* strand : of) Go(*strand);
  return true;
}

bool Threads::ResolveShuffles(const std::vector<Strand*>& warp) {
  bool progress = false;
  for (Strand* first : warp) {
    const CallSite* site = SiteOf(*first);
    if (site == nullptr || !site->call->op.starts_with(intrinsic::kWarpShuffle)) continue;
    const uint64_t mask = MaskOf(*first, *site);
    std::vector<Strand*> lanes;
    for (Strand* other : warp) {
      if ((mask >> other->lane & 1) != 0 && SiteOf(*other) == site &&
          MaskOf(*other, *site) == mask) {
        lanes.push_back(other);
      }
    }
    if (lanes.size() != static_cast<size_t>(__builtin_popcountll(mask)) ||
        (mask >> first->lane & 1) == 0) {
      continue;
    }
    Shuffle(lanes);
    for (Strand* lane : lanes) Go(*lane);
    progress = true;
  }
  return progress;
}

// Moves the values among `lanes`, which are all at the same shuffle.
void Threads::Shuffle(const std::vector<Strand*>& lanes) {
  const CallSite& site = *SiteOf(*lanes[0]);
  const int width = static_cast<int>(Machine::Scalar(lanes[0]->frame, site, 3).i);
  if (width > machine_.options_.warp_size) {
    FailAt(*lanes[0], Diagnostic{.name = "interpret-missing-lanes",
                                 .message = "a shuffle is wider than a warp",
                                 .expected = "at most " +
                                             std::to_string(machine_.options_.warp_size) + " lanes",
                                 .found = std::to_string(width)});
  }
  for (Strand* to : lanes) {
    const int64_t x = Machine::Scalar(to->frame, site, 2).i;
    const int source = SourceLane(site.call->op, static_cast<int>(to->lane), x, width);
    const auto from = std::find_if(lanes.begin(), lanes.end(), [&](const Strand* lane) {
      return static_cast<int>(lane->lane) == source;
    });
    if (from == lanes.end()) {
      FailAt(*to, Diagnostic{.name = "interpret-missing-lanes",
                             .message = "a shuffle reads a lane that does not take part",
                             .expected = "a lane of the mask, within the segment",
                             .found = source < 0 ? "lane " + std::to_string(to->lane) + " xor " +
                                                       std::to_string(x)
                                                 : "lane " + std::to_string(source),
                             .help = "put the lane into the mask, and let it make the call"});
    }
    const Operand& value = site.args[1].operand;
    std::copy_n((*from)->frame.lanes.data() + value.at, value.lanes,
                to->frame.lanes.data() + site.result.at);
  }
}

bool Threads::Resolve(ThreadBlock& block) {
  if (ResolveFork(block)) return true;
  bool progress = false;
  for (const std::vector<Strand*>& warp : Warps(block)) {
    progress = ResolveShuffles(warp) || progress;
    if (ResolveBarrier(warp, memory_scope::kWarp)) {
      ++block.warp_epochs[warp[0]->warp];
      progress = true;
    }
  }
  if (ResolveBarrier(AllOf(block), memory_scope::kShared)) {
    ++block.epoch;
    progress = true;
  }
  return progress;
}

bool Threads::ResolveGrid(const std::vector<ThreadBlock*>& blocks) {
  std::vector<Strand*> all;
  for (const ThreadBlock* block : blocks) {
    const std::vector<Strand*> strands = AllOf(*block);
    all.insert(all.end(), strands.begin(), strands.end());
  }
  if (!ResolveBarrier(all, memory_scope::kGlobal)) return false;
  ++grid_epoch_;
  return true;
}

// Used when nothing else can continue: the lanes of a warp that wait at the same call are then the
// active lanes.
bool Threads::ResolveMasks(const std::vector<ThreadBlock*>& blocks) {
  bool progress = false;
  for (const ThreadBlock* block : blocks) {
    for (const std::vector<Strand*>& warp : Warps(*block)) {
      for (Strand* first : warp) {
        const CallSite* site = SiteOf(*first);
        if (site == nullptr || site->call->op != intrinsic::kWarpActiveMask) continue;
        uint64_t mask = 0;
        std::vector<Strand*> together;
        for (Strand* other : warp) {
          if (SiteOf(*other) != site) continue;
          mask |= uint64_t{1} << other->lane;
          together.push_back(other);
        }
        for (Strand* lane : together) {
          Machine::Result(lane->frame, *site)->i = static_cast<int64_t>(mask);
          Go(*lane);
        }
        progress = true;
      }
    }
  }
  return progress;
}

// For a nest that runs statement by statement: `group` has all threads at this call.
void Threads::CollectiveStep(ThreadBlock& block, const std::vector<Strand*>& group) {
  bool progress = false;
  const std::string& op = SiteOf(*group[0])->call->op;
  if (op == intrinsic::kBarrier && SiteOf(*group[0])->args[0].text == memory_scope::kGlobal) {
    FailAt(*group[0], Diagnostic{.name = "interpret-not-executable",
                                 .message = "a barrier of all blocks stands in a loop nest that is "
                                            "no kernel",
                                 .help = "lower the nest to a kernel first"});
  }
  if (op == intrinsic::kWarpActiveMask) {
    progress = ResolveMasks({&block});
  } else {
    progress = Resolve(block);
  }
  const bool all = std::none_of(group.begin(), group.end(),
                                [](const Strand* strand) { return SiteOf(*strand) != nullptr; });
  if (!progress || !all) Stuck({&block});
}

std::string Threads::Describe(const std::vector<Strand*>& strands) const {
  std::string out;
  for (size_t i = 0; i < strands.size() && i < 4; ++i) {
    out += (i == 0 ? "(" : ", (") + NameOf(strands[i]->id) + ")";
  }
  if (strands.size() > 4) out += " and " + std::to_string(strands.size() - 4) + " more";
  return out;
}

void Threads::FailAt(Strand& strand, Diagnostic problem) const {
  machine_.AddContext(strand.frame, problem);
  throw Error(std::move(problem));
}

// Reports that no thread can continue: the first waiting thread waits for something that will not
// happen.
void Threads::Stuck(const std::vector<ThreadBlock*>& blocks) {
  ThrowMissing();
  Strand* first = nullptr;
  for (const ThreadBlock* block : blocks) {
    for (const std::unique_ptr<Strand>& strand : block->strands) {
      if (first == nullptr && !strand->done) first = strand.get();
      // The thread that is furthest behind waits for those that took another path.
      if (!strand->done && strand->block == first->block && strand->frame.pc < first->frame.pc) {
        first = strand.get();
      }
    }
    if (first != nullptr) break;
  }
  const CallSite* site = SiteOf(*first);
  std::vector<Strand*> here, elsewhere, ended;
  const bool of_warp = site != nullptr && (site->call->op.starts_with(intrinsic::kWarpPrefix) ||
                                           site->args[0].text == memory_scope::kWarp);
  for (const ThreadBlock* block : blocks) {
    if (block != first->block && (site == nullptr || site->args[0].text != memory_scope::kGlobal))
      continue;
    for (const std::unique_ptr<Strand>& strand : block->strands) {
      if (of_warp && strand->warp != first->warp) continue;
      (strand->done                          ? ended
       : strand->frame.pc == first->frame.pc ? here
                                             : elsewhere)
          .push_back(strand.get());
    }
  }
  std::string found = Describe(here) + " came here";
  if (!elsewhere.empty()) {
    const Node* other = elsewhere[0]->frame.code->origin[elsewhere[0]->frame.pc];
    found += "; " + Describe(elsewhere) + " did not, and wait elsewhere" +
             (other != nullptr ? " (`" + ExcerptOf(*other) + "`)" : std::string());
  }
  if (!ended.empty()) found += "; " + Describe(ended) + " ended before";
  if (site != nullptr && site->call->op.starts_with(intrinsic::kWarpShuffle)) {
    FailAt(*first, Diagnostic{.name = "interpret-missing-lanes",
                              .message = "lanes of a shuffle's mask do not take part in it",
                              .expected = "all lanes of the mask, the caller among them, at this "
                                          "call with this mask",
                              .found = "mask " + std::to_string(MaskOf(*first, *site)) + ", lane " +
                                       std::to_string(first->lane) + "; " + found,
                              .help = "move the shuffle out of the condition, or make the mask "
                                      "smaller"});
  }
  FailAt(*first,
         Diagnostic{.name = "interpret-divergent-barrier",
                    .message = site == nullptr
                                   ? std::string("threads begin where others do not come")
                                   : "not all threads of the scope come to the barrier(\"" +
                                         site->args[0].text + "\")",
                    .expected = "every thread of it, as often as every other",
                    .found = std::move(found),
                    .help = "move the barrier out of conditions and loops that differ by thread"});
}

// Outside of threads there is a single lane.
void Machine::CollectiveAlone(Frame& frame, const CallSite& site) {
  if (threads_ != nullptr) {
    Fail("interpret-thread-call",
         "`" + site.call->op + "` stands in a function that a thread calls", "", "",
         "inline `" + frame.code->func->name + "` into its kernel");
  }
  const std::string& op = site.call->op;
  if (op == intrinsic::kBarrier) return;
  if (op == intrinsic::kWarpActiveMask) {
    Result(frame, site)->i = 1;
    return;
  }
  const int source =
      SourceLane(op, 0, Scalar(frame, site, 2).i, static_cast<int>(Scalar(frame, site, 3).i));
  if (Scalar(frame, site, 0).i != 1 || source != 0) {
    Fail("interpret-missing-lanes", "a shuffle outside of threads has one lane, alone",
         "mask 1, and lane 0 read", "mask " + std::to_string(Scalar(frame, site, 0).i));
  }
  const Operand& value = site.args[1].operand;
  std::copy_n(frame.lanes.data() + value.at, value.lanes, Result(frame, site));
}

}  // namespace lathe::ir::interp
