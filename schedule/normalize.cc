#include "schedule/normalize.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "base/error.h"
#include "base/planted.h"
#include "ir/rewrite.h"
#include "ir/structural.h"
#include "ir/walk.h"
#include "schedule/kept_whole.h"
#include "te/operation.h"

namespace lathe::schedule {

using ir::ComputeOp;
using ir::Load;

namespace {

// The most places at which one operation may read inlined stages.
constexpr size_t kMaxPlaces = 1 << 16;

// An inlined stage, found by the operation that its readers refer to.
struct InlinedStage {
  const Stage* stage = nullptr;
  Ref<const ComputeOp> op;  // reads the replacements of its inputs, inlined ones included
};
using InlinedStages = std::unordered_map<const ir::Node*, InlinedStage>;

// The reads of inlined stages by one operation. A stage is substituted once for each place at which
// it is read, for any number of loads: in a chain of stages of which each reads the previous one
// three times at one place, the result is a graph as large as the chain, not 3^n copies.
class Places {
 public:
  Places(const InlinedStages& inlined, const std::string& reader)
      : inlined_(inlined), reader_(reader) {}

  // `value` in terms of stages that are not inlined.
  Expr Filled(const Expr& value) {
    Ask(value, &pending_);
    while (!pending_.empty()) {
      const size_t at = pending_.back();
      if (places_[at].filled) {
        pending_.pop_back();
      } else if (!places_[at].asked) {
        // Its own reads come first.
        places_[at].asked = true;
        Ask(Expr(places_[at].body), &pending_);
      } else {
        places_[at].filled = Filler(*this).Run(places_[at].body);
        pending_.pop_back();
      }
    }
    return Filler(*this).Run(value);
  }

 private:
  struct Place {
    const InlinedStage* of;
    std::vector<Expr> indices;
    Expr body;    // the body at that place; may read inlined stages
    Expr filled;  // without inlined stages; null at first
    bool asked = false;
  };

  class Filler final : public ir::Mutator {
   public:
    explicit Filler(const Places& places) : Mutator(Memo::kOn), places_(places) {}

   protected:
    NodeRef Enter(const NodeRef& node) override {
      const auto at = places_.of_load_.find(node.get());
      return at == places_.of_load_.end() ? NodeRef() : NodeRef(places_.places_[at->second].filled);
    }

   private:
    const Places& places_;
  };

  // The places that `value` reads. `value` must live as long as this object.
  void Ask(const Expr& value, std::vector<size_t>* out) {
    ir::ForEach<Load>(value, [&](const Load& load) {
      const auto* tensor = ir::As<ir::TensorNode>(load.source);
      const auto of = tensor == nullptr ? inlined_.end() : inlined_.find(tensor->op.get());
      if (of == inlined_.end()) return;
      const auto [at, is_new] = of_load_.try_emplace(&load, 0);
      if (is_new) at->second = PlaceOf(of->second, load);
      out->push_back(at->second);
    });
  }

  size_t PlaceOf(const InlinedStage& of, const Load& load) {
    uint64_t hash = std::hash<const void*>()(&of);
    for (const Expr& index : load.indices) hash = hash * 31 + ir::StructuralHash(index);
    std::vector<size_t>& alike = by_hash_[hash];
    for (const size_t at : alike) {
      bool same = places_[at].of == &of;
      for (size_t d = 0; same && d < load.indices.size(); ++d)
        same = ir::StructuralEqual(places_[at].indices[d], load.indices[d]);
      if (same) return at;
    }
    if (places_.size() >= kMaxPlaces) TooMany(of);
    ir::VarMap map;
    for (size_t d = 0; d < load.indices.size(); ++d) {
      const ir::Var& var = of.op->axis[d]->var;
      map[var] = ir::MakeCast(var->dtype, load.indices[d]);
    }
    places_.push_back({&of, load.indices, ir::Substitute(of.op->body[0], map), {}, false});
    alike.push_back(places_.size() - 1);
    return alike.back();
  }

  [[noreturn]] void TooMany(const InlinedStage& of) const {
    throw Error(Diagnostic{
        .name = "schedule-inline-too-large",
        .message = "compute_inline: what `" + reader_ +
                   "` computes for one element becomes too large with stage `" + of.stage->name +
                   "` and others put in",
        .expected = "inlined stages that are read at no more than " + std::to_string(kMaxPlaces) +
                    " places together",
        .found = "more",
        .help = "compute some of the stages on the way (compute_root or compute_at): each is then "
                "computed once for all its readers"});
  }

  const InlinedStages& inlined_;
  const std::string& reader_;
  std::vector<Place> places_;
  std::vector<size_t> pending_;
  std::unordered_map<const ir::Node*, size_t> of_load_;
  std::unordered_map<uint64_t, std::vector<size_t>> by_hash_;
};

// Every stage's operation in terms of the remaining stages, in topological order.
class Inlining {
 public:
  explicit Inlining(ScheduleNode& schedule) : schedule_(schedule) {}

  void Run() {
    for (const Ref<Stage>& stage : schedule_.stages) {
      const Op before = stage->op;
      if (stage->attach == AttachKind::kInline) {
        const Op over = OverReplaced(before);
        inlined_[before.get()] = {stage.get(), ir::RefAs<ComputeOp>(over)};
        continue;
      }
      const Op after = Rewritten(before);
      if (after.same_as(before)) continue;
      stage->op = after;
      schedule_.Map(after, stage.get());
      for (Op& output : schedule_.outputs) {
        if (output.same_as(before)) output = after;
      }
      for (int64_t k = 0; k < ir::NumOutputs(*after); ++k)
        replaced_[ir::OutputOf(before, k)] = ir::OutputOf(after, k);
    }
    DropPrefetchesOfInlined();
    std::erase_if(schedule_.stages,
                  [](const Ref<Stage>& stage) { return stage->attach == AttachKind::kInline; });
  }

 private:
  // An inlined tensor has no memory to prefetch, and its stage is removed.
  void DropPrefetchesOfInlined() {
    for (const Ref<Stage>& stage : schedule_.stages) {
      for (auto& [axis, attr] : stage->leaf_attrs) {
        std::erase_if(attr.prefetches, [this](const auto& prefetch) {
          return schedule_.Require(prefetch.first->op).attach == AttachKind::kInline;
        });
      }
    }
  }

  Op OverReplaced(const Op& op) const {
    te::TensorMap replacements;
    for (const Tensor& input : ir::InputsOf(*op)) {
      if (auto at = replaced_.find(input); at != replaced_.end())
        replacements.emplace_back(input, at->second);
    }
    return replacements.empty() ? op : te::ReplaceInputs(op, replacements);
  }

  Op Rewritten(const Op& op) const {
    const Stage* read = nullptr;  // some inlined stage
    for (const Tensor& input : ir::InputsOf(*op)) {
      if (auto it = inlined_.find(input->op.get()); it != inlined_.end()) read = it->second.stage;
    }
    const Op over = OverReplaced(op);
    return read == nullptr ? over : WithBodies(over, *read);
  }

  // Loads of inlined tensors become their bodies. Extern operations read whole buffers, so that is
  // not possible for them.
  Op WithBodies(const Op& op, const Stage& read) const {
    const auto* compute = ir::As<ComputeOp>(op);
    if (compute == nullptr) {
      throw Error(Diagnostic{
          .name = "schedule-inline-refused",
          .message = "compute_inline: stage `" + read.name + "` is read by `" + op->name + "`",
          .expected = "readers that are computes",
          .found = std::string("a ") + ir::NodeKindName(op->node_kind()),
          .help = "use compute_root or compute_at for this stage"});
    }
    Ref<ir::Node> copy = ir::CloneNode(*compute);
    Places places(inlined_, op->name);
    // The original's values must stay alive while they are rewritten.
    for (size_t k = 0; k < compute->body.size(); ++k)
      static_cast<ComputeOp&>(*copy).body[k] = places.Filled(compute->body[k]);
    return Op(static_cast<const ir::OpNode*>(copy.get()));
  }

  ScheduleNode& schedule_;
  InlinedStages inlined_;
  std::unordered_map<Tensor, Tensor, ir::TensorHash, ir::TensorEqual> replaced_;
};

// The stages at the root of a group are computed where the group is attached, or else the next
// attached group around it.
void AttachGroups(ScheduleNode& schedule) {
  for (const Ref<Stage>& stage : schedule.stages) {
    if (stage->attach != AttachKind::kRoot) continue;
    for (const Group* group = stage->group; group != nullptr; group = group->parent) {
      if (group->attach_stage == nullptr) continue;
      stage->attach = AttachKind::kScope;
      stage->attach_stage = group->attach_stage;
      stage->attach_axis = group->attach_axis;
      break;
    }
  }
}

[[noreturn]] void ScanPartRead(const Stage& part, std::string found) {
  throw Error(Diagnostic{.name = "schedule-scan-part-read",
                         .message = "stage `" + part.name +
                                    "` exists only within the steps of scan `" + part.scan->name +
                                    "`",
                         .expected = "readers that are part of the scan",
                         .found = std::move(found),
                         .help = "read the scan's output, or compute the value again from it"});
}

// A scan's init and update are computed directly into the scan's memory (S49). If that is not
// possible, because they are not computes or others read them, too, copies of them are made.
class ScanCopies {
 public:
  explicit ScanCopies(ScheduleNode& schedule) : schedule_(schedule) {}

  void Insert() {
    for (size_t i = 0; i < schedule_.stages.size(); ++i) {
      Stage& stage = *schedule_.stages[i];
      if (ir::As<ir::ScanOp>(stage.op) == nullptr) continue;
      for (bool init : {true, false}) {
        for (size_t k = 0; k < static_cast<const ir::ScanOp&>(*stage.op).state.size(); ++k)
          CopyIfShared(stage, init, k);
      }
      i = schedule_.PositionOf(stage);
    }
  }

 private:
  void CopyIfShared(Stage& scan_stage, bool init, size_t k) {
    const auto& scan = static_cast<const ir::ScanOp&>(*scan_stage.op);
    const Tensor part = (init ? scan.init : scan.update)[k];
    Stage& source = schedule_.Require(part->op);
    bool shared = ir::As<ComputeOp>(source.op) == nullptr || source.scan != &scan_stage;
    // If two rows of one scan come from one tensor, all but the last are copied.
    auto again = [&](const std::vector<Tensor>& others, bool same_list) {
      for (size_t j = 0; j < others.size(); ++j) {
        if (same_list && j <= k) continue;
        shared = shared ||
                 (same_list ? ir::SameTensor(others[j], part) : others[j]->op.same_as(part->op));
      }
    };
    again(init ? scan.init : scan.update, true);
    if (init) {
      again(scan.update, false);
      shared = shared || source.is_output;
      for (const Stage* reader : ReadersOf(schedule_, source.op))
        shared = shared || (reader != &scan_stage && reader->scan != &scan_stage);
    }
    if (!shared) return;
    const Tensor copy = te::Compute(
        part->shape(), [&](const te::Indices& i) { return te::At(part, {i.begin(), i.end()}); },
        scan_stage.name + (init ? ".init" : ".update"));
    Stage& made = schedule_.Insert(schedule_.PositionOf(scan_stage), copy->op);
    made.scan = &scan_stage;
    made.attach = AttachKind::kScan;
    made.attach_stage = &scan_stage;
    made.attach_axis = scan.scan_axis;
    Ref<ir::Node> changed = ir::CloneNode(scan);
    auto& changed_scan = static_cast<ir::ScanOp&>(*changed);
    (init ? changed_scan.init : changed_scan.update)[k] = copy;
    schedule_.ReplaceOp(scan_stage, Op(static_cast<const ir::OpNode*>(changed.get())));
    // An init that no longer belongs to the scan is computed before it, like any other stage.
    if (init && source.attach == AttachKind::kScan && source.scan == &scan_stage &&
        !IsScanInit(source) && !IsScanUpdate(source)) {
      source.scan = nullptr;
      source.attach = AttachKind::kRoot;
      source.attach_stage = nullptr;
      source.attach_axis = nullptr;
    }
  }

  ScheduleNode& schedule_;
};

void CheckNoCycle(const ScheduleNode& schedule, const Stage& stage) {
  // The path to the root is shorter than the number of stages.
  size_t steps = 0;
  for (const Stage* at = &stage; at->attach_stage != nullptr; at = at->attach_stage) {
    if (++steps > schedule.stages.size()) {
      throw Error(
          Diagnostic{.name = "schedule-attach-cycle",
                     .message = "stage `" + stage.name + "` is attached, over others, to itself",
                     .expected = "attachments that end at a root stage",
                     .found = "a cycle",
                     .help = "attach one of the stages elsewhere, or use compute_root"});
    }
  }
}

// Every reader must be within the stage's loop, or come after the loop nest of which it is a part.
void CheckAttachment(const ScheduleNode& schedule, const Stage& stage, const Readers& readers) {
  if (stage.attach == AttachKind::kRoot) return;
  auto comes_later = [&](const Stage& reader) {
    return stage.attach == AttachKind::kScope && stage.scan == nullptr &&
           schedule.PositionOf(RootOf(reader)) > schedule.PositionOf(RootOf(stage));
  };
  if (stage.scan != nullptr && stage.is_output)
    ScanPartRead(stage, "the schedule has it as an output");
  for (const Stage* reader : readers.Of(stage.op)) {
    if (IsScanInit(stage) || IsWithinLoopOf(stage, *reader)) continue;
    if (stage.scan != nullptr && stage.attach == AttachKind::kScan)
      ScanPartRead(stage, "stage `" + reader->name + "` reads it outside of the scan");
    if (comes_later(*reader) || Planted(PlantedBug::kAttachUnchecked)) continue;
    std::vector<std::string> legal;
    const std::vector<Stage*> all = readers.Of(stage.op);
    if (all.size() == 1) {
      for (const std::string& leaf : LeafNames(*all[0])) legal.push_back(all[0]->name + "." + leaf);
    }
    throw Error(Diagnostic{
        .name = "schedule-illegal-attach",
        .message = "stage `" + stage.name + "` is computed at loop `" +
                   stage.attach_axis->var->name + "` of stage `" + stage.attach_stage->name +
                   "`, but stage `" + reader->name + "` reads it outside that loop",
        .expected = legal.empty() ? "a loop that lies around all of its readers"
                                  : "one of the loops " + QuotedList(legal),
        .found = "`" + stage.attach_stage->name + "." + stage.attach_axis->var->name + "`",
        .help = "attach it to a loop of its reader, or use compute_root"});
  }
}

}  // namespace

Schedule Normalize(const Schedule& schedule) {
  Schedule out = CopySchedule(schedule);
  AttachGroups(*out);
  // Before the inlined stages are removed.
  for (const Ref<Stage>& stage : out->stages) {
    if (stage->attach_stage != nullptr && stage->attach_stage->attach == AttachKind::kInline) {
      throw Error(
          Diagnostic{.name = "schedule-illegal-attach",
                     .message = "stage `" + stage->name + "` is computed at a loop of stage `" +
                                stage->attach_stage->name + "`, which is inlined and has no loops",
                     .expected = "a stage that is not inlined",
                     .found = "`" + stage->attach_stage->name + "`",
                     .help = "attach it to the stage that the inlined one is read by"});
    }
  }
  Inlining(*out).Run();
  ScanCopies(*out).Insert();
  for (const Ref<Stage>& stage : out->stages) {
    if (stage->attach_stage != nullptr)
      stage->attach_axis = ResolveLeaf(*stage->attach_stage, stage->attach_axis);
  }
  const Readers readers(*out);
  for (const Ref<Stage>& stage : out->stages) CheckNoCycle(*out, *stage);
  for (const Ref<Stage>& stage : out->stages) CheckAttachment(*out, *stage, readers);
  MarkKeptWhole(*out, readers);
  return out;
}

const Stage& RootOf(const Stage& stage) {
  const Stage* at = &stage;
  while (at->attach_stage != nullptr) at = at->attach_stage;
  return *at;
}

namespace {

// Does the reader's reduction begin with elements of `stage`?
bool ReadsInInit(const Stage& reader, const Stage& stage) {
  const auto* compute = ir::As<ir::ComputeOp>(reader.op);
  const auto* reduce = compute == nullptr ? nullptr : ir::As<ir::Reduce>(compute->body[0]);
  if (reduce == nullptr) return false;
  bool reads = false;
  for (const Expr& init : reduce->init) {
    ir::ForEach<ir::Load>(init, [&](const ir::Load& load) {
      const auto* tensor = ir::As<ir::TensorNode>(load.source);
      reads = reads || (tensor != nullptr && tensor->op.same_as(stage.op));
    });
  }
  return reads;
}

}  // namespace

bool IsWithinLoopOf(const Stage& stage, const Stage& reader) {
  if (&reader == stage.attach_stage) {
    // The initialisation is in front of the first loop over a reduction axis (S12).
    const auto& leaves = reader.leaf_axes;
    const auto first = std::find_if(leaves.begin(), leaves.end(), [](const IterVar& leaf) {
      return leaf->iter_kind == ir::IterKind::kReduce;
    });
    return reader.LeafIndex(stage.attach_axis) < first - leaves.begin() ||
           !ReadsInInit(reader, stage);
  }
  for (const Stage* at = &reader; at->attach_stage != nullptr; at = at->attach_stage) {
    if (at->attach_stage != stage.attach_stage) continue;
    // The first rows of a scan are computed before its loop.
    return !IsScanInit(*at) && at->attach_stage->LeafIndex(at->attach_axis) >=
                                   at->attach_stage->LeafIndex(stage.attach_axis);
  }
  return false;
}

std::vector<LoopRef> AttachPath(const Stage& stage) {
  std::vector<LoopRef> path;
  for (const Stage* at = &stage; at->attach_stage != nullptr; at = at->attach_stage) {
    const Stage& parent = *at->attach_stage;
    for (int i = parent.LeafIndex(at->attach_axis); i >= 0; --i) {
      path.push_back({&parent, parent.leaf_axes[static_cast<size_t>(i)]});
    }
  }
  return path;
}

Readers::Readers(const ScheduleNode& schedule) {
  for (const Ref<Stage>& stage : schedule.stages) {
    for (const Tensor& input : ir::InputsOf(*stage->op))
      readers_[input->op.get()].emplace_back(stage.get(), input->value_index);
  }
}

std::vector<Stage*> Readers::Of(const Op& op, int64_t index) const {
  std::vector<Stage*> out;
  const auto it = readers_.find(op.get());
  if (it == readers_.end()) return out;
  for (const auto& [stage, read] : it->second) {
    if (index >= 0 && read != index) continue;
    if (out.empty() || out.back() != stage) out.push_back(stage);
  }
  return out;
}

std::vector<Stage*> ReadersOf(const ScheduleNode& schedule, const Op& op, int64_t index) {
  return Readers(schedule).Of(op, index);
}

const ir::ScanOp* ScanOfPart(const Stage& stage) {
  return stage.attach == AttachKind::kScan ? ir::As<ir::ScanOp>(stage.attach_stage->op) : nullptr;
}

}  // namespace lathe::schedule
