#include "tools/lathe/model_page.h"

#include "runtime/graph/places.h"
#include "runtime/json.h"
#include "runtime/status.h"
#include "tools/lathe/model_page_parts.h"
#include "tools/lathe/page.h"

namespace lathe::cli {
namespace {

using runtime::Json;
using runtime::graph::Places;
using runtime::graph::Plan;
using runtime::graph::PlanStep;
using runtime::graph::PlanTensor;
using runtime::graph::TensorPlace;

const char* KindOf(PlanStep::Kind kind) {
  switch (kind) {
    case PlanStep::Kind::kKernel:
      return "kernel";
    case PlanStep::Kind::kCopy:
      return "copy";
    case PlanStep::Kind::kIf:
      return "if";
    case PlanStep::Kind::kLoop:
      return "loop";
    case PlanStep::Kind::kBindSize:
      return "bind a size";
  }
  return "";
}

const char* MemoryOf(TensorPlace::Memory memory) {
  switch (memory) {
    case TensorPlace::Memory::kInput:
      return "input";
    case TensorPlace::Memory::kConstant:
      return "constant";
    case TensorPlace::Memory::kOutput:
      return "output";
    case TensorPlace::Memory::kArena:
      return "arena";
  }
  return "";
}

Json Numbers(const std::vector<int32_t>& numbers) {
  Json out = Json::Array();
  for (const int32_t number : numbers) out.Append(int64_t{number});
  return out;
}

Json TensorJson(const Plan& plan, size_t number, const TensorPlace& place) {
  const PlanTensor& tensor = plan.tensors[number];
  Json shape = Json::Array();
  for (const int64_t extent : place.shape) shape.Append(extent);
  Json out = Json::Object();
  out.Set("name", tensor.name.empty() ? "tensor " + std::to_string(number) : tensor.name);
  out.Set("dtype", tensor.dtype.ToString());
  out.Set("shape", std::move(shape));
  out.Set("memory", MemoryOf(place.memory));
  out.Set("root", int64_t{place.root});
  out.Set("offset", static_cast<int64_t>(place.offset));
  out.Set("bytes", static_cast<int64_t>(place.bytes));
  out.Set("first", int64_t{place.first});
  out.Set("last", int64_t{place.last});
  return out;
}

Json StepJson(const Plan& plan, const PlanStep& step) {
  Json reads = Json::Array(), writes = Json::Array();
  std::string name;
  for (size_t i = 0; i < step.buffers.size(); ++i) {
    const bool written = i < step.writes.size() && step.writes[i] != 0;
    (written ? writes : reads).Append(int64_t{step.buffers[i]});
    if (written && name.empty()) name = plan.tensors[static_cast<size_t>(step.buffers[i])].name;
  }
  Json out = Json::Object();
  out.Set("kind", KindOf(step.kind));
  out.Set("kernel", step.kernel);
  out.Set("text", StepText(step));
  out.Set("name", name);
  out.Set("reads", std::move(reads));
  out.Set("writes", std::move(writes));
  return out;
}

// The data of the page's script.
Json DataOf(const Plan& plan, const Places& places, const ModelPage& page) {
  Json tensors = Json::Array(), steps = Json::Array(), inputs = Json::Array();
  for (size_t i = 0; i < plan.tensors.size(); ++i)
    tensors.Append(TensorJson(plan, i, places.tensors[i]));
  for (size_t i = 0; i < plan.steps.size(); ++i) {
    Json step = StepJson(plan, plan.steps[i]);
    if (i < page.seconds.size()) step.Set("seconds", page.seconds[i]);
    steps.Append(std::move(step));
  }
  for (const runtime::graph::PlanInput& input : plan.inputs) inputs.Append(int64_t{input.tensor});
  int64_t constants = 0;
  for (const runtime::graph::PlanConstant& constant : plan.constants) {
    const auto number = static_cast<size_t>(constant.tensor);
    int64_t bytes = plan.tensors[number].dtype.bytes();
    for (const int64_t extent : places.tensors[number].shape) bytes *= extent;
    constants += bytes;
  }
  Json out = Json::Object();
  out.Set("tensors", std::move(tensors));
  out.Set("steps", std::move(steps));
  out.Set("inputs", std::move(inputs));
  out.Set("outputs", Numbers(plan.outputs));
  out.Set("arena_bytes", static_cast<int64_t>(places.arena_bytes));
  out.Set("arena_lower_bound", static_cast<int64_t>(places.arena_lower_bound));
  out.Set("constant_bytes", constants);
  return out;
}

// JSON that may stand within a script element.
std::string ForScript(const Json& json) {
  std::string out;
  for (const char c : json.Dump()) out += c == '<' ? "\\u003c" : std::string(1, c);
  return out;
}

std::string Section(const std::string& title, const std::string& id, const std::string& about) {
  return "<section><h2>" + title + "</h2><div class=soft>" + about +
         "</div><div class=wide id=" + id + "></div></section>\n";
}

}  // namespace

std::string StepText(const PlanStep& step) {
  if (!step.location.empty()) return step.location;
  return step.kernel.empty() ? KindOf(step.kind) : step.kernel;
}

absl::StatusOr<std::string> ToHtml(const Model& model, const ModelPage& page) {
  LATHE_ASSIGN_OR_RETURN(const Places places,
                         runtime::graph::PlacesOf(*model.executable, page.shapes));
  std::string out =
      "<!doctype html>\n<html lang=en><head><meta charset=utf-8>\n<meta name=viewport "
      "content=\"width=device-width\">\n<title>" +
      Escape(page.title) + "</title>\n<style>" + kPageStyle + "</style></head><body><main>\n<h1>" +
      Escape(page.title) + "</h1>\n<div class=soft>" + Escape(page.target) +
      "</div>\n<div id=summary></div>\n";
  out += Section("Graph", "graph_place",
                 "One box for each step: the operators that one kernel computes. A click shows the "
                 "step below.");
  out +=
      Section("Memory", "memory_place",
              "Each tensor of the arena: steps from left to right, addresses from bottom to top.");
  out += Section("Steps", "steps_place",
                 "Blocked layouts show as shapes: [1, 4, 56, 56, 8] has blocks of 8 channels.");
  out += Section("Kernels", "kernels_place", "Equal groups share one kernel.");
  if (!page.notes.empty()) {
    out +=
        "<section><h2>Layouts</h2><div class=soft>What the compiler chose, and why.</div><div "
        "class=wide>";
    for (const std::string& note : page.notes)
      out += "<div><code>" + Escape(note) + "</code></div>\n";
    out += "</div></section>\n";
  }
  out += "</main>\n<script type=\"application/json\" id=data>" +
         ForScript(DataOf(model.plan(), places, page)) + "</script>\n<script>" + kPageScript +
         "</script></body></html>\n";
  return out;
}

}  // namespace lathe::cli
