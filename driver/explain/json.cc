// Writes an explanation as JSON, for programs.
#include "driver/explain/explain.h"

namespace lathe::driver {
namespace {

using runtime::Json;

// A number if it is known, else the expression as a string.
Json Value(const Amount& amount) {
  if (!amount.known) return amount.text;
  if (amount.value < 9e15) return static_cast<int64_t>(amount.value);
  return amount.value;
}

template <class T, class F>
Json List(const std::vector<T>& items, F one) {
  Json out = Json::Array();
  for (const T& item : items) out.Append(one(item));
  return out;
}

Json Strings(const std::vector<std::string>& items) {
  return List(items, [](const std::string& item) { return Json(item); });
}

Json Level(const ExplainedLevel& level) {
  Json out = Json::Object();
  out.Set("loop", level.loop).Set("executions", Value(level.executions));
  out.Set("touches", List(level.touches, [](const ExplainedTouch& touch) {
            Json one = Json::Object();
            one.Set("tensor", touch.tensor).Set("bytes", Value(touch.bytes));
            return one;
          }));
  out.Set("working_set", Value(level.working_set)).Set("traffic", Value(level.traffic));
  out.Set("intensity", level.intensity);
  return out;
}

Json Stage(const ExplainedStage& stage) {
  Json out = Json::Object();
  out.Set("name", stage.name).Set("kind", stage.kind).Set("place", stage.place);
  out.Set("reads", Strings(stage.reads)).Set("fixed_loops", Strings(stage.fixed_loops));
  out.Set("loops", List(stage.loops, [](const ExplainedLoop& loop) {
            Json one = Json::Object();
            one.Set("name", loop.name).Set("kind", loop.kind).Set("from", loop.from);
            one.Set("reduces", loop.reduces).Set("extent", Value(loop.extent));
            return one;
          }));
  out.Set("axes", List(stage.axes, [](const ExplainedAxis& axis) {
            Json one = Json::Object();
            one.Set("name", axis.name).Set("domain", axis.domain).Set("region", axis.region);
            one.Set("whole", axis.whole);
            return one;
          }));
  out.Set("needed_by", List(stage.needed_by, [](const ExplainedRead& read) {
            Json one = Json::Object();
            one.Set("reader", read.reader).Set("element", read.element);
            return one;
          }));
  out.Set("buffers", List(stage.buffers, [](const ExplainedBuffer& buffer) {
            Json one = Json::Object();
            one.Set("name", buffer.name).Set("dtype", buffer.dtype).Set("scope", buffer.scope);
            one.Set("shape", buffer.shape).Set("bytes", Value(buffer.bytes));
            one.Set("argument", buffer.argument);
            return one;
          }));
  if (stage.kind == "input" || stage.kind == "inlined") return out;
  if (!stage.rolls.empty()) out.Set("rolls", stage.rolls);
  out.Set("executions", Value(stage.executions)).Set("iterations", Value(stage.iterations));
  out.Set("points", Value(stage.points)).Set("recompute", stage.recompute);
  out.Set("operations", Value(stage.operations)).Set("levels", List(stage.levels, Level));
  out.Set("guards", List(stage.guards, [](const ExplainedGuard& guard) {
            Json one = Json::Object();
            one.Set("condition", guard.condition).Set("loops", Strings(guard.loops));
            one.Set("reason", guard.reason).Set("remains", guard.remains);
            one.Set("where", guard.where);
            return one;
          }));
  out.Set("bodies", stage.bodies).Set("guarded_bodies", stage.guarded_bodies);
  return out;
}

}  // namespace

runtime::Json ToJson(const Explanation& explanation) {
  Json sizes = Json::Object();
  for (const auto& [name, value] : explanation.sizes) sizes.Set(name, value);
  Json out = Json::Object();
  out.Set("name", explanation.name).Set("sizes", std::move(sizes));
  out.Set("stages", List(explanation.stages, Stage)).Set("loops", explanation.loops);
  return out;
}

}  // namespace lathe::driver
