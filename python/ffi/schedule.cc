// Schedules: stages, primitives, traces, and queries.
#include "schedule/schedule.h"

#include <string>
#include <vector>

#include "base/error.h"
#include "driver/relayout.h"
#include "ir/text/printer.h"
#include "python/ffi/boxes.h"
#include "python/ffi/context.h"
#include "python/ffi/ffi.h"
#include "schedule/loop_nest.h"
#include "schedule/normalize.h"
#include "schedule/pre_transform.h"
#include "schedule/primitives/primitives.h"
#include "schedule/queries.h"
#include "schedule/trace.h"
#include "te/layout_free.h"

namespace lathe::python {
namespace {

using ir::Expr;
using ir::IterVar;
using ir::Op;
using ir::Tensor;
using runtime::Value;
using schedule::Schedule;
using schedule::Stage;
using Ops = std::vector<Op>;
using Axes = std::vector<IterVar>;
using Tensors = std::vector<Tensor>;

ScheduleRef Wrap(Schedule schedule) { return Make<ScheduleObject>(std::move(schedule)); }
StageRef WrapStage(const Schedule& schedule, Stage* stage) {
  return Make<StageObject>(HeldStage{schedule, Ref<Stage>(stage)});
}
Stage& At(const StageRef& stage) { return *stage->item.stage; }

std::vector<StageRef> WrapStages(const Schedule& schedule, const std::vector<Stage*>& stages) {
  std::vector<StageRef> wrapped;
  for (Stage* stage : stages) wrapped.push_back(WrapStage(schedule, stage));
  return wrapped;
}

const char* AttachName(schedule::AttachKind kind) {
  switch (kind) {
    case schedule::AttachKind::kRoot:
      return "root";
    case schedule::AttachKind::kInline:
      return "inline";
    case schedule::AttachKind::kScope:
      return "scope";
    case schedule::AttachKind::kScan:
      return "scan";
  }
  return "";
}

// The place in a Python program where something was made. `file` is a number from lathe/_places.py.
// Parsed texts have places too; their columns are below kPythonFile.
constexpr uint32_t kPythonFile = 1u << 30;
ir::Span PythonPlace(int64_t file, int64_t line) {
  return {static_cast<uint32_t>(line), kPythonFile + static_cast<uint32_t>(file)};
}
// [file, line], or nothing if Python did not make the node.
std::vector<int64_t> PlaceOf(const ir::Node& node) {
  if (node.span.line == 0 || node.span.column < kPythonFile) return {};
  return {node.span.column - kPythonFile, node.span.line};
}
// The last steps without a place come from the call that has just ended.
void StampSteps(const Schedule& schedule, int64_t file, int64_t line) {
  auto& trace = schedule->trace;
  for (size_t i = trace.size(); i > 0 && trace[i - 1]->span.line == 0; --i) {
    const ir::StepNode& step = *trace[i - 1];
    auto stamped = Make<ir::StepNode>();
    stamped->primitive = step.primitive;
    stamped->results = step.results;
    stamped->operands = step.operands;
    stamped->span = PythonPlace(file, line);
    trace[i - 1] = std::move(stamped);
  }
}

// Stamps the operation of a tensor that te has just made. Nobody else has seen it yet, so it may
// change.
void StampOp(const ir::Tensor& tensor, int64_t file, int64_t line) {
  auto& op = const_cast<ir::OpNode&>(*tensor->op);
  if (op.span.line == 0) op.span = PythonPlace(file, line);
}

// All inputs and outputs, in order: the function's default arguments.
std::vector<ir::NodeRef> AllArguments(const Schedule& schedule) {
  std::vector<ir::NodeRef> args;
  for (const Ref<Stage>& stage : schedule->stages) {
    if (stage->is_placeholder()) args.emplace_back(ir::OutputOf(stage->origin_op, 0));
  }
  for (const Op& op : schedule->outputs) {
    for (int64_t i = 0; i < ir::NumOutputs(*op); ++i) args.emplace_back(ir::OutputOf(op, i));
  }
  return args;
}

void RegisterStages() {
  Def("schedule.create",
      [](const Ops& outputs) { return Wrap(schedule::CreateSchedule(outputs)); });
  Def("schedule.copy", [](const ScheduleRef& s) { return Wrap(schedule::CopySchedule(s->item)); });
  Def("schedule.normalize",
      [](const ScheduleRef& s) { return Wrap(schedule::Normalize(s->item)); });
  Def("schedule.layout_free_inputs", [](const ScheduleRef& s) {
    Ops ops;
    for (const Ref<Stage>& stage : s->item->stages) ops.push_back(stage->origin_op);
    return te::LayoutFreeInputs(ops);
  });
  Def("schedule.pre_transform", [](const ScheduleRef& s, const Tensors& layout_free) {
    return Wrap(schedule::PreTransform(s->item, layout_free));
  });
  Def("schedule.in_layout",
      [](const ScheduleRef& s, const Tensor& argument, const runtime::Tensor& values) {
        return OrThrow(driver::InLayoutOf(s->item, argument, values));
      });
  Def("schedule.stage",
      [](const ScheduleRef& s, const Op& op) { return WrapStage(s->item, &s->item[op]); });
  Def("schedule.stages", [](const ScheduleRef& s) {
    std::vector<StageRef> stages;
    for (const Ref<Stage>& stage : s->item->stages)
      stages.push_back(WrapStage(s->item, stage.get()));
    return stages;
  });
  Def("schedule.groups", [](const ScheduleRef& s) {
    std::vector<Ref<GroupObject>> groups;
    for (const Ref<schedule::Group>& group : s->item->groups)
      groups.push_back(Make<GroupObject>(HeldGroup{s->item, group}));
    return groups;
  });
  Def("schedule.outputs", [](const ScheduleRef& s) { return s->item->outputs; });
  Def("schedule.trace", [](const ScheduleRef& s) { return s->item->trace; });
  Def("schedule.replay",
      [](const ScheduleRef& s, const std::vector<Ref<const ir::StepNode>>& steps) {
        Schedule schedule = s->item;
        schedule::Replay(schedule, steps);
      });
  Def("schedule.to_program",
      [](const ScheduleRef& s, const std::vector<ir::NodeRef>& args, const std::string& name) {
        return schedule::ToProgram(s->item, args, name);
      });
  Def("schedule.from_program", [](const ir::Program& program) {
    schedule::Loaded loaded = schedule::FromProgram(program);
    std::vector<Value> out;
    out.emplace_back(Wrap(loaded.schedule));
    out.emplace_back(loaded.args);
    out.emplace_back(loaded.name);
    return out;
  });
  Def("schedule.all_arguments", [](const ScheduleRef& s) { return AllArguments(s->item); });

  // Identifies a stage. All handles of one stage give the same number.
  Def("stage.id", [](const StageRef& s) {
    return static_cast<int64_t>(reinterpret_cast<uintptr_t>(&At(s)) >> 4);
  });
  Def("stage.name", [](const StageRef& s) { return At(s).name; });
  Def("stage.op", [](const StageRef& s) { return At(s).op; });
  Def("stage.origin_op", [](const StageRef& s) { return At(s).origin_op; });
  Def("stage.is_output", [](const StageRef& s) { return At(s).is_output; });
  Def("stage.leaf_iter_vars", [](const StageRef& s) { return At(s).leaf_axes; });
  Def("stage.all_iter_vars", [](const StageRef& s) { return At(s).all_axes; });
  Def("stage.axis_name",
      [](const StageRef& s, const IterVar& axis) { return At(s).AxisName(axis); });
  Def("stage.attach_type", [](const StageRef& s) { return std::string(AttachName(At(s).attach)); });
  Def("stage.attach_stage", [](const StageRef& s) -> Value {
    if (At(s).attach_stage == nullptr) return {};
    return WrapStage(s->item.schedule, At(s).attach_stage);
  });
  Def("stage.attach_ivar", [](const StageRef& s) { return At(s).attach_axis; });
  Def("stage.scope", [](const StageRef& s) { return At(s).scope; });
}

// After rfactor the operation's reduction axis stands for a loop that keeps its own axis. Programs
// use either.
IterVar LoopOf(const StageRef& s, const IterVar& axis) {
  for (const schedule::Relation& relation : At(s).relations) {
    if (relation.kind == schedule::Relation::kRebase && relation.parent.same_as(axis))
      return relation.inner;
  }
  return axis;
}

Axes LoopsOf(const StageRef& s, Axes axes) {
  for (IterVar& axis : axes) axis = LoopOf(s, axis);
  return axes;
}

void RegisterPrimitives() {
  Def("stage.split", [](const StageRef& s, const IterVar& axis, const Maybe<Expr>& factor,
                        const Maybe<Expr>& nparts) {
    const auto [outer, inner] = factor
                                    ? schedule::Split(At(s), LoopOf(s, axis), *factor)
                                    : schedule::SplitParts(At(s), LoopOf(s, axis), nparts.value());
    return Axes{outer, inner};
  });
  Def("stage.fuse",
      [](const StageRef& s, const Axes& axes) { return schedule::Fuse(At(s), LoopsOf(s, axes)); });
  Def("stage.reorder",
      [](const StageRef& s, const Axes& axes) { schedule::Reorder(At(s), LoopsOf(s, axes)); });
  Def("stage.tile",
      [](const StageRef& s, const IterVar& x, const IterVar& y, int64_t fx, int64_t fy) {
        const schedule::Tiles tiles = schedule::Tile(At(s), LoopOf(s, x), LoopOf(s, y), fx, fy);
        return Axes{tiles.x_outer, tiles.y_outer, tiles.x_inner, tiles.y_inner};
      });
  Def("stage.vectorize",
      [](const StageRef& s, const IterVar& a) { schedule::Vectorize(At(s), LoopOf(s, a)); });
  Def("stage.unroll",
      [](const StageRef& s, const IterVar& a) { schedule::Unroll(At(s), LoopOf(s, a)); });
  Def("stage.parallel",
      [](const StageRef& s, const IterVar& a) { schedule::Parallel(At(s), LoopOf(s, a)); });
  Def("stage.bind", [](const StageRef& s, const IterVar& axis, const IterVar& thread) {
    schedule::Bind(At(s), LoopOf(s, axis), thread);
  });
  Def("schedule.thread_axis", [](const std::string& tag, const Maybe<Expr>& extent) {
    return schedule::ThreadAxis(tag, OrNull(extent));
  });
  Def("stage.env_threads",
      [](const StageRef& s, const Axes& axes) { schedule::EnvThreads(At(s), axes); });
  Def("stage.compute_at", [](const StageRef& s, const StageRef& parent, const IterVar& axis) {
    schedule::ComputeAt(At(s), At(parent), axis);
  });
  Def("stage.compute_inline", [](const StageRef& s) { schedule::ComputeInline(At(s)); });
  Def("stage.compute_root", [](const StageRef& s) { schedule::ComputeRoot(At(s)); });
  Def("stage.set_scope",
      [](const StageRef& s, const std::string& scope) { schedule::SetScope(At(s), scope); });
  Def("stage.pragma", [](const StageRef& s, const IterVar& axis, const std::string& key,
                         int64_t value) { schedule::Pragma(At(s), LoopOf(s, axis), key, value); });
  Def("stage.pragma_import",
      [](const StageRef& s, const IterVar& axis, const std::string& key,
         const std::string& source) { schedule::Pragma(At(s), LoopOf(s, axis), key, source); });
  Def("stage.prefetch",
      [](const StageRef& s, const Tensor& tensor, const IterVar& axis, const Expr& offset) {
        schedule::Prefetch(At(s), tensor, LoopOf(s, axis), offset);
      });
  Def("stage.storage_align",
      [](const StageRef& s, const IterVar& axis, int64_t factor, int64_t offset) {
        schedule::StorageAlign(At(s), axis, factor, offset);
      });
  Def("stage.double_buffer", [](const StageRef& s) { schedule::DoubleBuffer(At(s)); });
  Def("stage.rolling_buffer", [](const StageRef& s) { schedule::RollingBuffer(At(s)); });
  Def("stage.pipeline", [](const StageRef& s, const IterVar& axis, int64_t stages, bool async) {
    schedule::Pipeline(At(s), LoopOf(s, axis), stages, async);
  });
  Def("stage.set_store_predicate", [](const StageRef& s, const Expr& predicate) {
    schedule::SetStorePredicate(At(s), predicate);
  });
  Def("stage.tensorize",
      [](const StageRef& s, const IterVar& axis, const Ref<const ir::TensorIntrinNode>& intrin,
         const std::string& target) {
        schedule::Tensorize(At(s), LoopOf(s, axis), intrin, target);
      });
  Def("schedule.transform_layout",
      [](const ScheduleRef& s, const Tensor& tensor, const runtime::Function& map,
         const std::vector<int64_t>& separators) {
        Schedule schedule = s->item;
        schedule::TransformLayout(
            schedule, tensor,
            [&](const std::vector<ir::Var>& indices) {
              std::vector<Value> args;
              for (const ir::Var& index : indices) args.emplace_back(index);
              return map(args).As<std::vector<Expr>>();
            },
            separators);
      });
  Def("schedule.cache_read",
      [](const ScheduleRef& s, const Tensor& tensor, const std::string& scope, const Ops& readers) {
        Schedule schedule = s->item;
        return schedule::CacheRead(schedule, tensor, scope, readers);
      });
  Def("schedule.cache_write",
      [](const ScheduleRef& s, const Tensors& tensors, const std::string& scope) {
        Schedule schedule = s->item;
        return schedule::CacheWrite(schedule, tensors, scope);
      });
  Def("schedule.rfactor",
      [](const ScheduleRef& s, const Tensor& tensor, const IterVar& axis, int64_t factor_axis) {
        Schedule schedule = s->item;
        return schedule::RFactor(schedule, tensor, axis, factor_axis);
      });
  Def("schedule.create_group",
      [](const ScheduleRef& s, const Tensors& outputs, const Tensors& inputs, bool include_inputs) {
        Schedule schedule = s->item;
        schedule::Group& group = schedule::CreateGroup(schedule, outputs, inputs, include_inputs);
        return Make<GroupObject>(HeldGroup{schedule, Ref<schedule::Group>(&group)});
      });
  Def("group.name", [](const GroupRef& g) { return g->item.group->name; });
  Def("group.stages", [](const GroupRef& g) {
    return WrapStages(g->item.schedule, schedule::StagesOf(*g->item.group));
  });
  Def("group.compute_at", [](const GroupRef& g, const StageRef& parent, const IterVar& axis) {
    schedule::ComputeAt(*g->item.group, At(parent), axis);
  });
  Def("group.compute_root", [](const GroupRef& g) { schedule::ComputeRoot(*g->item.group); });
  Def("schedule.auto_inline", [](const ScheduleRef& s, const std::string& what) {
    Schedule schedule = s->item;
    const auto inlined = what == "elemwise"    ? schedule::AutoInlineElementwise(schedule)
                         : what == "broadcast" ? schedule::AutoInlineBroadcast(schedule)
                                               : schedule::AutoInlineInjective(schedule);
    return WrapStages(schedule, inlined);
  });
}

void RegisterPlaces() {
  Def("stage.stamp", [](const StageRef& s, int64_t file, int64_t line) {
    StampSteps(s->item.schedule, file, line);
  });
  Def("schedule.stamp",
      [](const ScheduleRef& s, int64_t file, int64_t line) { StampSteps(s->item, file, line); });
  Def("te.stamp", [](const Any& made, int64_t file, int64_t line) {
    if (made.Is<Tensor>() && !made.is_none()) return StampOp(made.As<Tensor>(), file, line);
    for (const Tensor& tensor : made.As<Tensors>()) StampOp(tensor, file, line);
  });
  // [[operation, file, line]...] for the operations that Python made, in the user's version.
  Def("schedule.op_places", [](const ScheduleRef& s) {
    std::vector<Value> places;
    for (const Ref<Stage>& stage : s->item->stages) {
      const std::vector<int64_t> place = PlaceOf(*stage->origin_op);
      if (place.empty()) continue;
      std::vector<Value> one;
      one.emplace_back(stage->origin_op);
      one.emplace_back(place[0]);
      one.emplace_back(place[1]);
      places.emplace_back(std::move(one));
    }
    return places;
  });
  // [[step, file, line]...] for the steps that Python made.
  Def("schedule.places", [](const ScheduleRef& s) {
    std::vector<Value> places;
    for (const auto& step : s->item->trace) {
      const std::vector<int64_t> place = PlaceOf(*step);
      if (place.empty()) continue;
      std::vector<Value> one;
      one.emplace_back(ir::ToText(step));
      one.emplace_back(place[0]);
      one.emplace_back(place[1]);
      places.emplace_back(std::move(one));
    }
    return places;
  });
}

void RegisterQueries() {
  Def("schedule.infer_bounds", [](const ScheduleRef& s) {
    const schedule::Bounds bounds = schedule::InferBounds(schedule::Normalize(s->item));
    std::vector<Value> pairs;
    for (const auto& [key, entry] : bounds.all()) {
      std::vector<Value> pair;
      pair.emplace_back(entry.first);
      pair.emplace_back(entry.second);
      pairs.emplace_back(std::move(pair));
    }
    return pairs;
  });
  Def("schedule.loop_nest", [](const ScheduleRef& s, const std::vector<ir::NodeRef>& args,
                               const std::string& name, const std::vector<Value>& binds) {
    return schedule::LowerSchedule(s->item, args, name, schedule::Claims::kTrusted, BindsOf(binds));
  });
  Def("schedule.post_order", [](const Ops& outputs) { return schedule::PostOrder(outputs); });
  Def("schedule.read_graph", [](const Ops& outputs) {
    std::vector<Value> pairs;
    for (const auto& [op, inputs] : schedule::MakeReadGraph(outputs)) {
      std::vector<Value> pair;
      pair.emplace_back(op);
      pair.emplace_back(inputs);
      pairs.emplace_back(std::move(pair));
    }
    return pairs;
  });
  Def("schedule.readers", [](const ScheduleRef& s, const Tensor& tensor) {
    return WrapStages(s->item, schedule::ReadersOf(*s->item, tensor->op, tensor->value_index));
  });
}

}  // namespace

void RegisterSchedule() {
  RegisterStages();
  RegisterPrimitives();
  RegisterPlaces();
  RegisterQueries();
}

}  // namespace lathe::python
