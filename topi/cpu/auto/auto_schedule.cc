#include "topi/cpu/auto/auto_schedule.h"

#include <algorithm>
#include <map>
#include <utility>

#include "schedule/primitives/primitives.h"
#include "topi/anchor.h"
#include "topi/cpu/auto/inlining.h"
#include "topi/cpu/auto/operators.h"
#include "topi/cpu/auto/pixels.h"
#include "topi/cpu/auto/reads.h"
#include "topi/cpu/auto/stages.h"
#include "topi/cpu/auto/windows.h"
#include "topi/cpu/loops.h"

namespace lathe::topi::cpu {
namespace {

using ir::IterVar;
using ir::Op;
using ir::Tensor;
using schedule::Schedule;
using schedule::Stage;

class Planner {
 public:
  Planner(Schedule s, const target::Machine& machine, Config& config)
      : s_(std::move(s)),
        machine_(machine),
        config_(config),
        reads_(s_, machine),
        inlining_(s_, reads_),
        order_(reads_.order()) {}

  // Gives operators to their templates. Call it before Run.
  std::vector<TemplateChoice> UseTemplates() {
    std::vector<TemplateChoice> choices;
    // Backwards: if an operator's result is not its anchor, the result must be met first.
    for (size_t i = order_.size(); i-- > 0;) {
      const Op& op = order_[i];
      if (IsTaken(op) || OperatorKind(*op).empty()) continue;
      TemplateChoice choice = {AnchorName(op), "", {}};
      for (const Template& each : Templates()) {
        if (each.anchor != OperatorKind(*op)) continue;
        const std::string why = WhyNot(each, op);
        if (!why.empty()) {
          choice.not_by.push_back(std::string(each.name) + ": " + why);
          continue;
        }
        choice.by = each.name;
        Take(each, op);
        break;
      }
      choices.push_back(std::move(choice));
    }
    std::reverse(choices.begin(), choices.end());
    return choices;
  }

  void Run() {
    FindChains(IsInterleaving, IsPlanes, Always, SchedulePixels);
    // Readers first: whether a reader is inlined decides what can be done with the stages that it
    // reads.
    for (size_t i = order_.size(); i-- > 0;) {
      if (!IsTaken(order_[i])) inlining_.TryInline(order_[i]);
    }
    FindChains(IsPlane, IsWindowOf, WorthWindows, ScheduleWindows);
    for (size_t i = order_.size(); i-- > 0;) {
      if (!IsTaken(order_[i]) && !inlining_.IsInlined(order_[i])) TryJoin(order_[i]);
    }
    FindSinks();
    for (const Op& op : order_) ScheduleStage(op);
  }

 private:
  // Stages that are computed within the first `rows` loops of their root.
  struct RowGroup {
    size_t rows = 0;
    bool reduces = false;
    std::vector<Op> members;
  };

  // Stages that are computed within the loops of their root by a pattern of their own. Each member
  // comes before its readers.
  struct Chain {
    std::vector<Op> members;
    void (*schedule)(const StageWork& root, const std::vector<StageWork>& members);
  };

  // Why the template cannot schedule the operator whose result is `result` in this program; "" if
  // it can.
  std::string WhyNot(const Template& each, const Op& result) const {
    const std::vector<Op> members = OperatorOf(result);
    const std::string sizes = WhyNotConstant(members);
    if (!sizes.empty()) return sizes;
    for (const Op& member : members) {
      if (IsTaken(member) || reads_.IsReadOtherwise(member))
        return "`" + member->name + "` is needed otherwise";
      if (member.same_as(result)) continue;
      if (s_[member].is_output) return "`" + member->name + "` is an output as well";
      for (const Reader& reader : ReadersOf(member)) {
        if (!Contains(members, reader.op))
          return "`" + member->name + "` is read by `" + reader.op->name + "`, too";
      }
    }
    if (each.takes == Takes::kSums) {
      if (FactsOfOp(result).pattern != Pattern::kContraction) return "nothing is worth registers";
    } else if (each.takes != Takes::kOperatorInReader &&
               (!s_[result].is_output || !ReadersOf(result).empty())) {
      return "its result is read by other stages";
    }
    if (each.takes == Takes::kOperatorOfArguments) {
      for (const Op& member : members) {
        for (const Tensor& input : ir::InputsOf(*member)) {
          if (!Contains(members, input->op) && !ir::As<ir::PlaceholderOp>(input->op))
            return "it reads `" + input->op->name + "`, which is computed";
        }
      }
    }
    return each.why_not(result, machine_);
  }

  void Take(const Template& each, const Op& result) {
    templates_[result.get()] = &each;
    for (const Op& member : OperatorOf(result)) {
      if (each.takes != Takes::kSums || !member.same_as(result)) chain_of_[member.get()] = result;
    }
  }

  const Facts& FactsOfOp(const Op& op) const { return reads_.FactsOfOp(op); }
  const std::vector<Reader>& ReadersOf(const Op& op) const { return reads_.ReadersOf(op); }
  bool IsTaken(const Op& op) const { return chain_of_.count(op.get()) != 0; }
  static bool Always(const StageWork&, const std::vector<StageWork>&) { return true; }

  // Finds chains. A chain starts at a stage that `begins` accepts. It takes in the stages that only
  // members of the chain read, if `joins` accepts each read; its arguments are the stage that would
  // join, the reader and the access.
  void FindChains(bool (*begins)(const Facts&, const target::Machine&),
                  bool (*joins)(const Facts&, const Facts&, const Access&),
                  bool (*worth)(const StageWork&, const std::vector<StageWork>&),
                  decltype(Chain::schedule) schedule) {
    for (size_t i = order_.size(); i-- > 0;) {
      const Op& op = order_[i];
      if (IsTaken(op) || inlining_.IsInlined(op) || reads_.IsReadOtherwise(op) ||
          !begins(FactsOfOp(op), machine_))
        continue;
      std::vector<Op> chain = {op};
      const auto belongs = [&](const Reader& reader) {
        return std::any_of(chain.begin(), chain.end(),
                           [&](const Op& member) { return member.same_as(reader.op); });
      };
      for (size_t k = i; k-- > 0;) {
        const Op& other = order_[k];
        const auto& readers = ReadersOf(other);
        bool all = !IsTaken(other) && !readers.empty() && !s_[other].is_output &&
                   !reads_.IsReadOtherwise(other);
        for (const Reader& reader : readers)
          all = all && belongs(reader) &&
                joins(FactsOfOp(other), FactsOfOp(reader.op), *reader.access);
        if (all) chain.push_back(other);
      }
      if (chain.size() == 1) continue;
      const std::vector<Op> members(chain.rbegin(), chain.rend() - 1);
      if (!worth(WorkOf(op), WorksOf(members))) continue;
      for (const Op& member : chain) chain_of_[member.get()] = op;
      chains_[op.get()] = {members, schedule};
    }
  }

  StageWork WorkOf(const Op& op) const {
    return {s_, ir::OutputOf(op, 0), FactsOfOp(op), machine_, config_, {}, 0};
  }
  std::vector<StageWork> WorksOf(const std::vector<Op>& ops) const {
    std::vector<StageWork> works;
    for (const Op& op : ops) works.push_back(WorkOf(op));
    return works;
  }

  // Computes `op` row by row within its readers, if all readers work on the same rows.
  void TryJoin(const Op& op) {
    const Facts& facts = FactsOfOp(op);
    const Stage& stage = s_[op];
    if (facts.compute == nullptr || IsInTiles(facts) || stage.is_output ||
        reads_.IsReadOtherwise(op))
      return;
    const std::vector<std::pair<Op, size_t>> readers =
        inlining_.EffectiveReaders(op, facts.compute->axis.size());
    if (readers.empty()) return;
    Op root;
    size_t rows = facts.compute->axis.size();
    for (const auto& [reader, prefix] : readers) {
      if (IsTaken(reader)) return;
      const auto joined = root_of_.find(reader.get());
      const Op its_root = joined == root_of_.end() ? reader : joined->second;
      if (root && !root.same_as(its_root)) return;
      root = its_root;
      rows = std::min(rows, prefix);
    }
    const Facts& root_facts = FactsOfOp(root);
    if (root_facts.pattern != Pattern::kMap && root_facts.pattern != Pattern::kRowReduction) return;
    rows = std::min(rows, root_facts.compute->axis.size());
    // Axes that select are to be unrolled, inside the others.
    for (const Facts* each : {&facts, &root_facts}) {
      if (!each->selecting.empty()) rows = std::min(rows, each->selecting.front());
    }
    const auto group = groups_.find(root.get());
    if (group != groups_.end()) rows = std::min(rows, group->second.rows);
    // A row must leave something to do, and the rows must not be more than the root's.
    const bool whole = rows == root_facts.compute->axis.size();
    if (rows == 0 || (whole && root_facts.pattern == Pattern::kMap && !AnyReduction(op))) return;
    for (size_t axis = 0; axis < rows; ++axis) {
      if (ExtentOf(facts.compute->axis[axis]) != ExtentOf(root_facts.compute->axis[axis])) return;
    }
    if (WouldServeTooFew(root_facts, rows)) return;
    RowGroup& joined = groups_[root.get()];
    joined.rows = rows;
    joined.members.push_back(op);
    joined.reduces = joined.reduces || facts.pattern != Pattern::kMap;
    root_of_[op.get()] = root;
  }

  bool AnyReduction(const Op& op) const { return FactsOfOp(op).pattern != Pattern::kMap; }

  // Is a row of the root only a few elements? Then its vectors are worth more than keeping data
  // near.
  static bool WouldServeTooFew(const Facts& root, size_t rows) {
    double within = 1;
    for (size_t axis = rows; axis < root.compute->axis.size(); ++axis)
      within *= static_cast<double>(ExtentOf(root.compute->axis[axis]));
    for (const IterVar& axis : root.compute->reduce_axis)
      within *= static_cast<double>(ExtentOf(axis));
    return within < 16;
  }

  // Does the template of `op` schedule it within the loops of a reader?
  bool FollowsReader(const Op& op) const {
    const auto its_template = templates_.find(op.get());
    return its_template != templates_.end() &&
           its_template->second->takes == Takes::kOperatorInReader;
  }

  // The stage whose loops `op` follows: its sink or itself.
  Tensor SinkOf(const Op& op) const {
    const auto reader = sink_for_.find(op.get());
    return ir::OutputOf(reader == sink_for_.end() ? op : reader->second, 0);
  }

  // Are the results computed in tiles of registers?
  static bool IsInTiles(const Facts& facts) {
    return facts.pattern == Pattern::kContraction || facts.pattern == Pattern::kPool;
  }

  // If a contraction or a pool has an elementwise reader, the register tiles follow the reader's
  // loops.
  void FindSinks() {
    for (const Op& op : order_) {
      const Facts& facts = FactsOfOp(op);
      if ((!IsInTiles(facts) && !FollowsReader(op)) || s_[op].is_output) continue;
      const std::vector<std::pair<Op, size_t>> readers =
          inlining_.EffectiveReaders(op, facts.compute->axis.size());
      if (readers.empty() || reads_.IsReadOtherwise(op)) continue;
      const Op reader = readers[0].first;
      const Facts& reading = FactsOfOp(reader);
      bool fits = reading.pattern == Pattern::kMap &&
                  reading.compute->axis.size() == facts.compute->axis.size() &&
                  reading.compute->body.size() == 1 && sink_of_.count(reader.get()) == 0 &&
                  !IsTaken(reader) && root_of_.count(reader.get()) == 0 &&
                  groups_.count(reader.get()) == 0;
      for (const auto& [other, prefix] : readers)
        fits = fits && other.same_as(reader) && prefix == facts.compute->axis.size();
      for (size_t axis = 0; fits && axis < facts.compute->axis.size(); ++axis)
        fits = ExtentOf(facts.compute->axis[axis]) == ExtentOf(reading.compute->axis[axis]);
      if (!fits) continue;
      sink_of_[reader.get()] = op;
      sink_for_[op.get()] = reader;
    }
  }

  void ScheduleStage(const Op& op) {
    const Facts& facts = FactsOfOp(op);
    if (facts.compute == nullptr || inlining_.IsInlined(op) || sink_of_.count(op.get()) != 0)
      return;
    if (root_of_.count(op.get()) != 0) return;  // scheduled with its root
    const StageWork work = WorkOf(op);
    if (IsTaken(op)) {
      const auto its_template = templates_.find(op.get());
      if (its_template != templates_.end())
        return its_template->second->schedule({s_, work.tensor, machine_, config_, SinkOf(op)});
      const auto chain = chains_.find(op.get());
      if (chain == chains_.end()) return;  // scheduled with its root
      return chain->second.schedule(work, WorksOf(chain->second.members));
    }
    const auto group = groups_.find(op.get());
    if (group != groups_.end()) {
      ScheduleGroup(work, group->second);
      return;
    }
    Dispatch(work);
  }

  void Dispatch(const StageWork& work) {
    switch (work.facts.pattern) {
      case Pattern::kMap:
        return ScheduleMap(work);
      case Pattern::kRowReduction:
        return ScheduleRowReduction(work);
      case Pattern::kColumnReduction:
        return ScheduleColumnReduction(work);
      case Pattern::kDependent:
        return ScheduleDependent(work);
      case Pattern::kPool:
        return SchedulePool(work, SinkOf(work.tensor->op));
      case Pattern::kContraction: {
        // Tiles have at least one element.
        for (const IterVar& axis : work.facts.compute->axis)
          if (ir::IsZero(axis->domain->extent)) return;
        const Tensor sink = SinkOf(work.tensor->op);
        const auto its_template = templates_.find(work.tensor->op.get());
        if (its_template != templates_.end())
          return its_template->second->schedule({s_, work.tensor, machine_, config_, sink});
        return ScheduleContraction(work, sink);
      }
      case Pattern::kOther:
        return;
    }
  }

  // Schedules the root's rows, threads over them, and all members within a row.
  void ScheduleGroup(StageWork root, const RowGroup& group) {
    Stage& stage = root.stage();
    std::vector<IterVar> rows(stage.root_axes.begin(),
                              stage.root_axes.begin() + static_cast<int64_t>(group.rows));
    double work = root.facts.work * (root.facts.cost.has_function ? 20 : 2);
    for (const Op& member : group.members) {
      const Facts& facts = FactsOfOp(member);
      work += facts.work * (facts.cost.has_function ? 20 : 2);
    }
    const IterVar row = rows.size() == 1 ? rows[0] : schedule::Fuse(stage, rows);
    if (WorthThreads(work)) schedule::Parallel(stage, row);
    const Place place{&stage, row};
    for (const Op& member : group.members) {
      const Tensor tensor = ir::OutputOf(member, 0);
      schedule::ComputeAt(s_[tensor], stage, row);
      Dispatch({s_, tensor, FactsOfOp(member), machine_, config_, place, group.rows});
    }
    // The root's own inner loops.
    if (root.facts.pattern == Pattern::kMap) {
      if (group.rows == root.facts.compute->axis.size()) return;
      const int64_t extent = ExtentOf(stage.root_axes.back());
      if (extent >= root.lanes())
        VectorizeInner(stage, stage.root_axes.back(), extent >= 4 * root.lanes() ? 4 : 1,
                       root.lanes());
      return;
    }
    if (group.rows == root.facts.compute->axis.size()) {
      const auto& reduce = root.facts.compute->reduce_axis;
      if (reduce.size() != 1) return;
      for (const Tensor& partial :
           ReduceInVectors(s_, root.tensor, AskVectors(root), root.lanes(), ExtentOf(reduce[0])))
        schedule::ComputeAt(s_[partial], stage, row);
    }
  }

  Schedule s_;
  const target::Machine& machine_;
  Config& config_;
  const Reads reads_;
  Inlining inlining_;
  const std::vector<Op>& order_;
  std::map<const ir::Node*, Op> chain_of_;   // member or root -> root
  std::map<const ir::Node*, Chain> chains_;  // by root
  std::map<const ir::Node*, Op> root_of_;
  std::map<const ir::Node*, RowGroup> groups_;
  std::map<const ir::Node*, Op> sink_of_, sink_for_;      // sink -> stage in tiles, and back
  std::map<const ir::Node*, const Template*> templates_;  // by the operator's result
};

}  // namespace

Scheduled ScheduleProgram(std::vector<Op> outputs, const target::Machine& machine, Config config) {
  Scheduled made = {schedule::CreateSchedule(std::move(outputs)), {}, {}};
  Planner planner(made.schedule, machine, config);
  made.choices = planner.UseTemplates();
  planner.Run();
  config.RequireAllAsked();
  made.knobs = config.asked();
  return made;
}

Schedule AutoSchedule(std::vector<Op> outputs, const target::Machine& machine) {
  Schedule s = schedule::CreateSchedule(std::move(outputs));
  Config config;
  Planner(s, machine, config).Run();
  return s;
}

}  // namespace lathe::topi::cpu
