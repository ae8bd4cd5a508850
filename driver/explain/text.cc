// Writes an explanation as text for a terminal.
#include <algorithm>
#include <cstdio>
#include <vector>

#include "driver/explain/explain.h"
#include "driver/explain/units.h"

namespace lathe::driver {
namespace {

class Page {
 public:
  explicit Page(bool color) : color_(color) {}

  void Heading(const std::string& text) { out_ += Paint("1", text) + "\n"; }
  void Line(const std::string& label, const std::string& text) {
    std::string padded = label;
    padded.resize(std::max<size_t>(label.size(), 10), ' ');
    out_ += "  " + Paint("2", padded) + " " + text + "\n";
  }
  void Plain(const std::string& text) { out_ += text + "\n"; }
  std::string Warn(const std::string& text) const { return Paint("33", text); }
  std::string Take() { return std::move(out_); }

 private:
  std::string Paint(const char* code, const std::string& text) const {
    return color_ ? "\033[" + std::string(code) + "m" + text + "\033[0m" : text;
  }
  bool color_;
  std::string out_;
};

std::string Padded(const std::string& text, size_t width, bool right = false) {
  const std::string blanks(text.size() < width ? width - text.size() : 0, ' ');
  return right ? blanks + text : text + blanks;
}

void Levels(const ExplainedStage& stage, Page& page) {
  std::vector<std::vector<std::string>> rows = {
      {"one execution of", "times", "touches", "in all", "ops/byte"}};
  for (const ExplainedLevel& level : stage.levels) {
    char intensity[32] = "";
    if (level.intensity > 0) std::snprintf(intensity, sizeof intensity, "%.3g", level.intensity);
    rows.push_back({level.loop.empty() ? "the body" : level.loop, CountText(level.executions),
                    BytesText(level.working_set), BytesText(level.traffic), intensity});
  }
  std::vector<size_t> widths(rows[0].size());
  for (const auto& row : rows) {
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size() + 2);
  }
  for (const auto& row : rows) {
    std::string line;
    for (size_t i = 0; i < row.size(); ++i) line += Padded(row[i], widths[i], i > 0);
    page.Line(&row == rows.data() ? "traffic" : "", line);
  }
}

void Stage(const ExplainedStage& stage, Page& page) {
  page.Heading(stage.name + "  " + stage.kind + ", " + stage.place);
  for (const ExplainedBuffer& buffer : stage.buffers) {
    page.Line("buffer", buffer.name + ": " + buffer.dtype + buffer.shape + ", " + buffer.scope +
                            ", " + BytesText(buffer.bytes) +
                            (buffer.argument ? ", the caller's" : ""));
  }
  if (!stage.fixed_loops.empty()) {
    std::string loops;
    for (const std::string& loop : stage.fixed_loops) loops += (loops.empty() ? "" : ", ") + loop;
    page.Line("inside", loops);
  }
  for (const ExplainedAxis& axis : stage.axes) {
    page.Line("computes",
              axis.name + ": " +
                  (axis.whole ? "all of " + axis.domain : axis.region + " of " + axis.domain));
  }
  for (const ExplainedRead& read : stage.needed_by)
    page.Line("because", read.reader + " reads " + read.element);
  if (stage.kind == "input" || stage.kind == "inlined") return;
  std::string runs =
      CountText(stage.executions) + (stage.executions.text == "1" ? " time" : " times");
  if (stage.recompute > 1) {
    char text[64];
    std::snprintf(text, sizeof text, ", %.3g times its elements: recomputation", stage.recompute);
    runs += page.Warn(text);
  }
  page.Line("runs", runs);
  if (!stage.rolls.empty()) page.Line("rolls", stage.rolls);
  for (const ExplainedLoop& loop : stage.loops) {
    page.Line("loop", loop.name + " x " + CountText(loop.extent) +
                          (loop.kind == "serial" ? "" : ", " + loop.kind) +
                          (loop.reduces ? ", reduces" : "") +
                          (loop.from.empty() ? "" : " (" + loop.from + ")"));
  }
  if (!stage.levels.empty()) Levels(stage, page);
  for (const ExplainedGuard& guard : stage.guards) {
    page.Line("guard", guard.condition + ": " +
                           (guard.remains ? page.Warn("remains in " + guard.where)
                                          : "removed by cutting the loops"));
    page.Line("", "because " + guard.reason);
  }
  if (stage.guarded_bodies > 0) {
    page.Line("", std::to_string(stage.guarded_bodies) + " of " + std::to_string(stage.bodies) +
                      " stores are guarded");
  }
}

}  // namespace

std::string ToText(const Explanation& explanation, bool color) {
  Page page(color);
  std::string sizes;
  for (const auto& [name, value] : explanation.sizes)
    sizes += (sizes.empty() ? "" : ", ") + name + " = " + std::to_string(value);
  page.Heading(explanation.name + (sizes.empty() ? "" : " with " + sizes));
  for (const ExplainedStage& stage : explanation.stages) {
    page.Plain("");
    Stage(stage, page);
  }
  return page.Take();
}

}  // namespace lathe::driver
