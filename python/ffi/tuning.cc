// Tuning: spaces of knobs, tuners, measuring, and lines of AutoTVM's logs (python/lathe/autotvm).
// Records are in records.cc.
//
// Candidates and arguments of logs cross as texts of JSON: they may be of any kind.
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/poll.h"
#include "ir/text/parser.h"
#include "ir/text/printer.h"
#include "python/ffi/boxes.h"
#include "python/ffi/context.h"
#include "python/ffi/ffi.h"
#include "runtime/status.h"
#include "schedule/trace.h"
#include "target/canonical.h"
#include "tune/autotvm_log.h"
#include "tune/builder.h"
#include "tune/measurer.h"
#include "tune/operations.h"
#include "tune/reference.h"
#include "tune/schedule_space.h"
#include "tune/search.h"
#include "tune/sketch_space.h"
#include "tune/space.h"
#include "tune/split_candidates.h"
#include "tune/task_scheduler.h"
#include "tune/tuner.h"

namespace lathe::python {
namespace {

using runtime::Function;
using runtime::Json;
using runtime::Value;
using tune::Point;
using Values = std::vector<Value>;

using SpaceRef = Ref<Box<std::shared_ptr<tune::Space>, kSpaceBox>>;
// A tuner refers to its space.
struct HeldTuner {
  std::shared_ptr<tune::Space> space;
  std::shared_ptr<tune::Tuner> tuner;
};
using TunerRef = Ref<Box<HeldTuner, kTunerBox>>;
using RunArgumentsRef = Ref<Box<std::vector<tune::RunArgument>, kRunArgumentsBox>>;
using SchedulerRef = Ref<Box<std::shared_ptr<tune::TaskScheduler>, kTaskSchedulerBox>>;
using MeasurerRef = Ref<Box<std::shared_ptr<tune::Measurer>, kMeasurerBox>>;

Json JsonOf(const std::string& text) { return OrThrow(Json::Parse(text)); }

tune::KnobKind KnobKindOf(const std::string& name) {
  for (const tune::KnobKind kind : {tune::KnobKind::kSplit, tune::KnobKind::kOrder,
                                    tune::KnobKind::kAnnotation, tune::KnobKind::kOption}) {
    if (tune::NameOf(kind) == name) return kind;
  }
  throw Error(Diagnostic{.name = "tune-knob",
                         .message = "`" + name + "` is no kind of knob",
                         .expected = "sp, re, an or ot"});
}

tune::SplitPolicy SplitPolicyOf(const std::string& name) {
  if (name == "factors") return tune::SplitPolicy::kFactors;
  if (name == "power2") return tune::SplitPolicy::kPower2;
  if (name == "verbose") return tune::SplitPolicy::kVerbose;
  throw Error(Diagnostic{.name = "tune-split",
                         .message = "`" + name + "` is no policy of splits",
                         .expected = "factors, power2, verbose or candidate"});
}

Point PointOf(const std::vector<int64_t>& positions) {
  return Point(positions.begin(), positions.end());
}
std::vector<int64_t> Positions(const Point& point) { return {point.begin(), point.end()}; }

void RegisterSpaces() {
  Def("tune.space", [] { return Make<SpaceRef::element_type>(std::make_shared<tune::Space>()); });
  Def("tune.space_add", [](const SpaceRef& space, std::string name, const std::string& kind,
                           const std::vector<std::string>& candidates) {
    tune::Knob knob{std::move(name), KnobKindOf(kind), {}};
    for (const std::string& text : candidates) knob.candidates.push_back(JsonOf(text));
    runtime::ThrowIfError(space->item->Add(std::move(knob)));
  });
  // `accept` takes the positions of a point.
  Def("tune.space_filter", [](const SpaceRef& space, const Function& accept) {
    space->item->Filter(
        [accept](const Point& point) { return accept(Value(Positions(point))).As<bool>(); });
  });
  // -1: more than have numbers.
  Def("tune.space_size", [](const SpaceRef& space) { return space->item->size().value_or(-1); });
  Def("tune.space_accepted",
      [](const SpaceRef& space) { return space->item->CountAccepted().value_or(-1); });
  Def("tune.space_accepts", [](const SpaceRef& space, const std::vector<int64_t>& positions) {
    return space->item->Accepts(PointOf(positions));
  });
  Def("tune.space_point", [](const SpaceRef& space, int64_t number) {
    return Positions(OrThrow(space->item->PointAt(number)));
  });
  Def("tune.space_number", [](const SpaceRef& space, const std::vector<int64_t>& positions) {
    return space->item->NumberOf(PointOf(positions));
  });
  Def("tune.split_candidates",
      [](int64_t length, const std::string& policy, int parts, int64_t max_factor, bool no_tail) {
        const tune::SplitOptions options = {SplitPolicyOf(policy), parts, max_factor, no_tail};
        std::vector<Value> found;
        for (const std::vector<int64_t>& one : OrThrow(tune::SplitCandidates(length, options)))
          found.emplace_back(Value(one));
        return found;
      });
}

TunerRef MakeTuner(const SpaceRef& space, const std::string& name,
                   const std::vector<double>& options, int64_t seed) {
  HeldTuner held{space->item, nullptr};
  const auto number = static_cast<uint64_t>(seed);
  if (name == "random") {
    held.tuner = tune::NewRandomTuner(*held.space, number);
  } else if (name == "grid") {
    held.tuner = tune::NewGridTuner(*held.space);
  } else {
    const tune::GeneticOptions genetic = {.population = static_cast<size_t>(options.at(0)),
                                          .elite = static_cast<size_t>(options.at(1)),
                                          .mutation = options.at(2)};
    held.tuner = tune::NewGeneticTuner(*held.space, genetic, number);
  }
  return Make<TunerRef::element_type>(std::move(held));
}

void RegisterTuners() {
  Def("tune.tuner", MakeTuner);
  Def("tune.tuner_propose", [](const TunerRef& tuner, int64_t most) {
    std::vector<Value> points;
    for (const Point& point : tuner->item.tuner->Propose(static_cast<size_t>(most)))
      points.emplace_back(Value(Positions(point)));
    return points;
  });
  Def("tune.tuner_learn",
      [](const TunerRef& tuner, const Values& points, const std::vector<double>& costs) {
        std::vector<Point> learned;
        for (const Value& point : points)
          learned.push_back(PointOf(point.As<std::vector<int64_t>>()));
        tuner->item.tuner->Learn(learned, costs);
      });
}

// Which of several searches goes on; costs are not known to begin with.
void RegisterTaskScheduler() {
  Def("tune.task_scheduler", [](const std::vector<double>& weights) {
    std::vector<tune::TaskScheduler::Task> tasks;
    for (const double weight : weights)
      tasks.push_back({weight, std::numeric_limits<double>::infinity()});
    return Make<SchedulerRef::element_type>(
        std::make_shared<tune::TaskScheduler>(std::move(tasks)));
  });
  // -1: all have ended.
  Def("tune.scheduler_next", [](const SchedulerRef& tasks) {
    const std::optional<size_t> next = tasks->item->Next();
    return next ? static_cast<int64_t>(*next) : int64_t{-1};
  });
  Def("tune.scheduler_learn",
      [](const SchedulerRef& tasks, int64_t task, int64_t trials, double best) {
        tasks->item->Learn(static_cast<size_t>(task), trials, best);
      });
  Def("tune.scheduler_weigh", [](const SchedulerRef& tasks, int64_t task, double weight) {
    tasks->item->Weigh(static_cast<size_t>(task), weight);
  });
  Def("tune.scheduler_end",
      [](const SchedulerRef& tasks, int64_t task) { tasks->item->End(static_cast<size_t>(task)); });
}

// [loader, code, kind of failure or "", its message, seconds, nodes]
Values Packed(const tune::BuildResult& result) {
  return Values{Value(result.code.module_kind),
                Value::Bytes(result.code.bytes),
                Value(std::string(result.failure ? tune::NameOf(result.failure->kind) : "")),
                Value(result.failure ? result.failure->message : std::string()),
                Value(result.seconds),
                Value(static_cast<int64_t>(result.nodes))};
}

tune::BuildResult BuiltFrom(const Values& parts) {
  tune::BuildResult result;
  result.code.module_kind = parts.at(0).As<std::string>();
  result.code.bytes = std::string(parts.at(1).As<std::string_view>());
  const auto kind = parts.at(2).As<std::string>();
  if (!kind.empty()) {
    result.failure = tune::Failure{tune::FailureKindOf(kind).value_or(tune::FailureKind::kBuild),
                                   parts.at(3).As<std::string>()};
  }
  result.seconds = parts.at(4).As<double>();
  result.nodes = static_cast<size_t>(parts.at(5).As<int64_t>());
  return result;
}

// Compiles a program that another process sent, as text with its schedule.
Values BuildText(const std::string& text, const TargetRef& target, const Values& context,
                 double seconds, int64_t most_nodes, bool isolate) {
  schedule::Loaded loaded = schedule::FromProgram(ir::ParseProgram(text, "a candidate"));
  const target::Target canonical = OrThrow(target::CanonicalTarget(target->item));
  return Packed(tune::BuildCandidate(
      {std::move(loaded.schedule), std::move(loaded.args), std::move(loaded.name), canonical,
       ContextOf(context)},
      {.seconds = seconds, .most_nodes = static_cast<size_t>(most_nodes), .isolate = isolate}));
}

// `open`: functions that open a session, one for each device. `build`: none or one function, which
// is called with the text of a candidate and the most nodes that it may have, and gives what
// tune.build_text gives; this process compiles without it.
MeasurerRef MakeMeasurer(const std::vector<Function>& open, const std::string& kind,
                         const Values& timing, const std::string& preprocess, double run_timeout,
                         double build_timeout, int builders, bool isolate,
                         const std::vector<Function>& build) {
  tune::RunOptions run;
  run.timer.number = timing.at(0).As<int64_t>();
  run.timer.repeat = timing.at(1).As<int64_t>();
  run.timer.min_repeat_ms = timing.at(2).As<double>();
  run.timer.cooldown_interval_ms = timing.at(3).As<double>();
  run.preprocess = preprocess;
  run.timeout = run_timeout;
  const int32_t device_kind = runtime::DeviceKindFromName(kind);
  std::vector<std::unique_ptr<tune::Runner>> runners;
  for (const Function& one : open) {
    const auto session = [one]() -> absl::StatusOr<Ref<runtime::Session>> {
      LATHE_ASSIGN_OR_RETURN(const Value opened, one.TryCall());
      return opened.As<SessionRef>()->item;
    };
    runners.push_back(std::make_unique<tune::Runner>(session, device_kind, 0, run));
  }
  tune::MeasurerOptions options{.builders = builders,
                                .limits = {.seconds = build_timeout, .isolate = isolate}};
  if (!build.empty()) {
    options.build = [there = build[0]](const driver::ProgramToCompile& candidate,
                                       const tune::BuildLimits& limits) {
      const std::string text =
          ir::ToText(schedule::ToProgram(candidate.schedule, candidate.args, candidate.name));
      return BuiltFrom(there(text, static_cast<int64_t>(limits.most_nodes)).As<Values>());
    };
  }
  return Make<MeasurerRef::element_type>(
      std::make_shared<tune::Measurer>(std::move(runners), options));
}

// Measures schedules, as [[schedule, arguments]...], of functions named `name`. `done` is called
// with a schedule's position, its samples in seconds, the kind of its failure ("" for none), that
// failure's message, and the seconds that compiling took.
void Measure(const MeasurerRef& measurer, const Values& schedules, const std::string& name,
             const TargetRef& target, const Values& context, const RunArgumentsRef& arguments,
             const Function& done) {
  const target::Target canonical = OrThrow(target::CanonicalTarget(target->item));
  std::vector<driver::ProgramToCompile> candidates;
  for (const Value& item : schedules) {
    const auto pair = item.As<Values>();
    candidates.push_back({pair.at(0).As<ScheduleRef>()->item,
                          pair.at(1).As<std::vector<ir::NodeRef>>(), name, canonical,
                          ContextOf(context)});
  }
  measurer->item->Measure(
      candidates, arguments->item, [&](size_t index, const tune::Measured& measured) {
        const auto& failure = measured.failure;
        done(static_cast<int64_t>(index), Value(measured.seconds),
             std::string(failure ? tune::NameOf(failure->kind) : ""),
             failure ? failure->message : std::string(), measured.build_seconds);
      });
}

// A kernel's space as Python has it: the knobs, [[name, candidates, the value to begin with]...].
Values KnobsOf(const absl::StatusOr<tune::ScheduleSpace>& made) {
  Values knobs;
  if (runtime::StatusName(made.status()) == "tune-no-knobs") return knobs;
  const tune::ScheduleSpace space = OrThrow(made);
  for (size_t i = 0; i < space.space.knobs().size(); ++i) {
    const tune::Knob& knob = space.space.knobs()[i];
    std::vector<int64_t> candidates;
    for (const Json& candidate : knob.candidates) candidates.push_back(candidate.int_value());
    const int64_t first = candidates[space.otherwise[i]];
    knobs.emplace_back(Values{Value(knob.name), Value(candidates), Value(first)});
  }
  return knobs;
}

// Spaces without a template (tune/sketch_space.h).
void RegisterSketches() {
  Def("tune.sketch_knobs", [](const std::vector<ir::NodeRef>& args, const TargetRef& target,
                              const std::vector<ir::Tensor>& pre_transformed) {
    return KnobsOf(tune::MakeSketchSpace(args, "main", target->item, {},
                                         &driver::CompileCache::Default(), pre_transformed));
  });
  Def("tune.sketch_schedule",
      [](const std::vector<ir::NodeRef>& args, const TargetRef& target,
         const std::vector<std::string>& names, const std::vector<int64_t>& values,
         const std::vector<ir::Tensor>& pre_transformed) {
        const tune::ScheduleSpace space = OrThrow(tune::MakeSketchSpace(
            args, "main", target->item, {}, &driver::CompileCache::Default(), pre_transformed));
        Json config = Json::Object();
        for (size_t i = 0; i < names.size(); ++i) config.Set(names[i], values.at(i));
        return Make<ScheduleObject>(space.make(OrThrow(space.space.PointOf(config))).schedule);
      });
}

void RegisterScheduleSpaces() {
  Def("tune.kernel_knobs", [](const std::vector<ir::NodeRef>& args, const std::string& name,
                              const TargetRef& target, const Values& context) {
    return KnobsOf(tune::MakeScheduleSpace(args, name, target->item, ContextOf(context),
                                           &driver::CompileCache::Default()));
  });
  Def("tune.kernel_schedule",
      [](const std::vector<ir::NodeRef>& args, const TargetRef& target,
         const std::vector<std::string>& names, const std::vector<int64_t>& values) {
        std::vector<std::pair<std::string, int64_t>> set;
        for (size_t i = 0; i < names.size(); ++i) set.emplace_back(names[i], values.at(i));
        return Make<ScheduleObject>(
            tune::ScheduleWithKnobs(args, OrThrow(target::CanonicalTarget(target->item)), set));
      });
}

void RegisterMeasuring() {
  Def("tune.reference", [](const std::vector<ir::NodeRef>& args) {
    return Make<RunArgumentsRef::element_type>(OrThrow(tune::MakeArguments(args)));
  });
  Def("tune.count_operations",
      [](const std::vector<ir::Op>& outputs) { return tune::CountOperations(outputs); });
  Def("tune.measurer", MakeMeasurer);
  Def("tune.build_text", BuildText);
  // Throws if the search that this thread works for has ended.
  Def("tune.look", [] { PollNow(); });
  Def("tune.measure", Measure);
}

// The fields of a line: target, task, args, kwargs, index, [[knob, kind, value]...], seconds, kind
// and message of a failure ("" for none), seconds in total, seconds since 1970, version.
Values Fields(const tune::LogRecord& record) {
  Values knobs, fields;
  for (const tune::LogRecord::Value& value : record.values) {
    knobs.emplace_back(Value(std::vector<std::string>{
        value.knob, std::string(tune::NameOf(value.kind)), value.value.Dump()}));
  }
  fields.emplace_back(record.target);
  fields.emplace_back(record.task);
  fields.emplace_back(record.args.Dump());
  fields.emplace_back(record.kwargs.Dump());
  fields.emplace_back(record.index);
  fields.emplace_back(std::move(knobs));
  fields.emplace_back(record.seconds);
  fields.emplace_back(std::string(record.failure ? tune::NameOf(record.failure->kind) : ""));
  fields.emplace_back(record.failure ? record.failure->message : std::string());
  fields.emplace_back(record.total_seconds);
  fields.emplace_back(record.when);
  fields.emplace_back(record.version);
  return fields;
}

std::string LogText(const Values& fields) {
  tune::LogRecord record;
  record.target = fields.at(0).As<std::string>();
  record.task = fields.at(1).As<std::string>();
  record.args = JsonOf(fields.at(2).As<std::string>());
  record.kwargs = JsonOf(fields.at(3).As<std::string>());
  record.index = fields.at(4).As<int64_t>();
  for (const Value& item : fields.at(5).As<Values>()) {
    const auto knob = item.As<std::vector<std::string>>();
    record.values.push_back({knob.at(0), KnobKindOf(knob.at(1)), JsonOf(knob.at(2))});
  }
  record.seconds = fields.at(6).As<std::vector<double>>();
  const auto failure = fields.at(7).As<std::string>();
  if (!failure.empty())
    record.failure =
        tune::Failure{tune::FailureKindOf(failure).value_or(tune::FailureKind::kDevice),
                      fields.at(8).As<std::string>()};
  record.total_seconds = fields.at(9).As<double>();
  record.when = fields.at(10).As<double>();
  record.version = fields.at(11).As<std::string>();
  return tune::ToLogText(record);
}

void RegisterLogs() {
  Def("tune.log_text", LogText);
  Def("tune.log_record",
      [](const std::string& line) { return Fields(OrThrow(tune::LogRecordFromText(line))); });
  // Calls `take(line, fields)`, and `refuse(line, message)` for lines that are no records.
  Def("tune.read_log", [](const std::string& path, const Function& take, const Function& refuse) {
    runtime::ThrowIfError(
        tune::ReadLog(path, [&](int64_t line, absl::StatusOr<tune::LogRecord> record) {
          if (record.ok()) {
            take(line, Fields(*record));
          } else {
            refuse(line, std::string(record.status().message()));
          }
        }));
  });
}

}  // namespace

void RegisterTuning() {
  RegisterSpaces();
  RegisterTuners();
  RegisterTaskScheduler();
  RegisterScheduleSpaces();
  RegisterSketches();
  RegisterMeasuring();
  RegisterLogs();
}

}  // namespace lathe::python
