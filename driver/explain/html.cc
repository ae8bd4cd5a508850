// Shows an explanation as one page: the graph of the stages, a card for each stage, and the lowered
// loops.
#include <algorithm>
#include <cstdio>
#include <map>

#include "driver/explain/explain.h"
#include "driver/explain/units.h"

namespace lathe::driver {
namespace {

std::string Escape(const std::string& text) {
  std::string out;
  for (char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string Code(const std::string& text) { return "<code>" + Escape(text) + "</code>"; }

constexpr const char* kStyle = R"css(
:root { --ink:#1c2430; --soft:#5b6675; --line:#d9dee6; --back:#f6f7f9; --card:#fff; --accent:#1f6feb;
        --input:#e8eef7; --compute:#e6f4ea; --reduction:#fdf0e0; --other:#f0e8f8; --warn:#b54708; }
@media (prefers-color-scheme: dark) {
  :root { --ink:#e4e8ee; --soft:#9aa5b4; --line:#323a46; --back:#14181e; --card:#1c222b; --accent:#6ea8ff;
          --input:#22304a; --compute:#1e3a2a; --reduction:#443018; --other:#342748; --warn:#f0a35c; } }
* { box-sizing:border-box }
body { margin:0; font:15px/1.5 system-ui,sans-serif; color:var(--ink); background:var(--back) }
main { max-width:1100px; margin:0 auto; padding:24px }
h1 { font-size:24px; margin:0 0 4px } h2 { font-size:18px; margin:0 }
.soft { color:var(--soft) } code, pre { font:13px/1.45 ui-monospace,monospace }
.card { background:var(--card); border:1px solid var(--line); border-radius:8px; padding:16px 20px; margin:16px 0 }
.card:target { border-color:var(--accent); box-shadow:0 0 0 2px var(--accent) }
table { border-collapse:collapse; margin:8px 0; width:100% }
th { text-align:left; font-weight:600; color:var(--soft); font-size:13px }
th, td { padding:3px 12px 3px 0; border-bottom:1px solid var(--line); vertical-align:top }
td.n, th.n { text-align:right; font-variant-numeric:tabular-nums; white-space:nowrap }
.wide { overflow-x:auto }
.bar { background:var(--accent); height:8px; border-radius:4px; min-width:1px }
.tag { display:inline-block; border-radius:4px; padding:0 8px; font-size:13px; color:var(--ink) }
.warn { color:var(--warn) } svg { max-width:100%; height:auto }
svg text { font:13px system-ui,sans-serif; fill:var(--ink) } svg .sub { fill:var(--soft); font-size:11px }
pre { overflow:auto; background:var(--back); border:1px solid var(--line); border-radius:6px; padding:12px }
pre mark { background:none; color:var(--accent); font-weight:600 }
)css";

const char* ColorOf(const std::string& kind) {
  if (kind == "input") return "--input";
  if (kind == "compute") return "--compute";
  if (kind == "reduction") return "--reduction";
  return "--other";
}

// Draws stages in columns by the longest path from an input, with an arrow from each stage to its
// readers.
std::string Graph(const Explanation& explanation) {
  constexpr int kHeight = 44, kGapX = 60, kGapY = 16, kEdge = 10;
  // Wide enough for every text, at the widest letters' width.
  size_t name = 0, place = 0;
  for (const ExplainedStage& stage : explanation.stages) {
    name = std::max(name, stage.name.size());
    place = std::max(place, stage.place.size());
  }
  const int box_width =
      std::max({150, 20 + 8 * static_cast<int>(name), 20 + 7 * static_cast<int>(place)});
  struct Box {
    int x = 0, y = 0;
  };
  std::map<std::string, int> column;
  std::map<int, int> used;
  std::map<std::string, Box> boxes;
  for (const ExplainedStage& stage : explanation.stages) {
    int at = 0;
    for (const std::string& input : stage.reads) {
      const auto it = column.find(input);
      if (it != column.end()) at = std::max(at, it->second + 1);
    }
    column[stage.name] = at;
    boxes[stage.name] = {kEdge + at * (box_width + kGapX), kEdge + used[at]++ * (kHeight + kGapY)};
  }
  int width = 0, height = 0;
  std::string lines, rects;
  for (const ExplainedStage& stage : explanation.stages) {
    const Box& box = boxes[stage.name];
    width = std::max(width, box.x + box_width + kEdge);
    height = std::max(height, box.y + kHeight + kEdge);
    for (const std::string& input : stage.reads) {
      const auto it = boxes.find(input);
      if (it == boxes.end()) continue;
      const int x1 = it->second.x + box_width, y1 = it->second.y + kHeight / 2;
      const int x2 = box.x - 5, y2 = box.y + kHeight / 2, bend = (x2 - x1) / 2;
      char path[256];
      std::snprintf(path, sizeof path,
                    "<path d=\"M%d %d C%d %d %d %d %d %d\" fill=\"none\" stroke=\"var(--soft)\" "
                    "marker-end=\"url(#arrow)\"/>\n",
                    x1, y1, x1 + bend, y1, x2 - bend, y2, x2, y2);
      lines += path;
    }
    char rect[192];
    std::snprintf(rect, sizeof rect,
                  "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"6\" "
                  "fill=\"var(%s)\" stroke=\"var(--line)\"/>",
                  box.x, box.y, box_width, kHeight, ColorOf(stage.kind));
    rects += "<a href=\"#stage-" + Escape(stage.name) + "\">" + rect + "<text x=\"" +
             std::to_string(box.x + 10) + "\" y=\"" + std::to_string(box.y + 18) + "\">" +
             Escape(stage.name) + "</text><text class=\"sub\" x=\"" + std::to_string(box.x + 10) +
             "\" y=\"" + std::to_string(box.y + 34) + "\">" + Escape(stage.place) + "</text></a>\n";
  }
  return "<svg viewBox=\"0 0 " + std::to_string(width) + " " + std::to_string(height) +
         "\" width=\"" + std::to_string(width) + "\" role=\"img\" aria-label=\"stages\">\n" +
         "<defs><marker id=\"arrow\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"8\" "
         "markerHeight=\"8\" orient=\"auto\"><path d=\"M0 0L8 4L0 8z\" fill=\"var(--soft)\"/>"
         "</marker></defs>\n" +
         lines + rects + "</svg>\n";
}

std::string Row(const std::string& label, const std::string& html) {
  return "<tr><th>" + Escape(label) + "</th><td>" + html + "</td></tr>\n";
}

std::string LoopsOf(const ExplainedStage& stage) {
  std::string out;
  for (const ExplainedLoop& loop : stage.loops) {
    out += "<div style=\"padding-left:" + std::to_string(16 * (&loop - stage.loops.data())) +
           "px\">" + Code(loop.name) + " &times; " + Escape(CountText(loop.extent));
    if (loop.kind != "serial") out += ", <b>" + Escape(loop.kind) + "</b>";
    if (loop.reduces) out += ", reduces";
    if (!loop.from.empty()) out += " <span class=\"soft\">" + Escape(loop.from) + "</span>";
    out += "</div>";
  }
  return out;
}

std::string LevelsOf(const ExplainedStage& stage) {
  double most = 1;
  for (const ExplainedLevel& level : stage.levels) most = std::max(most, level.traffic.value);
  std::string out =
      "<div class=\"wide\"><table><tr><th>one execution of</th><th "
      "class=\"n\">times</th><th>touches</th>"
      "<th class=\"n\">bytes</th><th class=\"n\">in all</th><th class=\"n\">operations per "
      "byte</th><th style=\"width:20%\"></th></tr>\n";
  for (const ExplainedLevel& level : stage.levels) {
    std::string touches;
    for (const ExplainedTouch& touch : level.touches)
      touches +=
          (touches.empty() ? "" : ", ") + Code(touch.tensor) + " " + Escape(BytesText(touch.bytes));
    char intensity[32] = "", bar[96] = "";
    if (level.intensity > 0) std::snprintf(intensity, sizeof intensity, "%.3g", level.intensity);
    if (level.traffic.known)
      std::snprintf(bar, sizeof bar, "<div class=\"bar\" style=\"width:%.1f%%\"></div>",
                    100 * level.traffic.value / most);
    out += "<tr><td>" + (level.loop.empty() ? std::string("the body") : Code(level.loop)) +
           "</td><td class=\"n\">" + Escape(CountText(level.executions)) + "</td><td>" + touches +
           "</td><td class=\"n\">" + Escape(BytesText(level.working_set)) +
           "</td><td class=\"n\">" + Escape(BytesText(level.traffic)) + "</td><td class=\"n\">" +
           intensity + "</td><td>" + bar + "</td></tr>\n";
  }
  return out + "</table></div>\n";
}

std::string Card(const ExplainedStage& stage) {
  std::string out = "<section class=\"card\" id=\"stage-" + Escape(stage.name) + "\">\n<h2>" +
                    Escape(stage.name) + " <span class=\"tag\" style=\"background:var(" +
                    ColorOf(stage.kind) + ")\">" + Escape(stage.kind) +
                    "</span></h2>\n<div class=\"soft\">" + Escape(stage.place) +
                    "</div>\n<table>\n";
  for (const ExplainedBuffer& buffer : stage.buffers) {
    out += Row("buffer", Code(buffer.name + ": " + buffer.dtype + buffer.shape) + ", " +
                             Escape(buffer.scope) + ", " + Escape(BytesText(buffer.bytes)) +
                             (buffer.argument ? ", the caller's" : ""));
  }
  for (const ExplainedAxis& axis : stage.axes) {
    out += Row("computes", Code(axis.name) + ": " +
                               (axis.whole ? "all of " + Code(axis.domain)
                                           : Code(axis.region) + " of " + Code(axis.domain)));
  }
  if (!stage.needed_by.empty()) {
    std::string why;
    for (const ExplainedRead& read : stage.needed_by)
      why += "<div>" + Escape(read.reader) + " reads " + Code(read.element) + "</div>";
    if (!stage.fixed_loops.empty()) {
      why += "<div class=\"soft\">within one iteration of ";
      for (const std::string& loop : stage.fixed_loops)
        why += (&loop == stage.fixed_loops.data() ? "" : ", ") + Code(loop);
      why += "</div>";
    }
    out += Row("because", why);
  }
  if (stage.kind == "input" || stage.kind == "inlined") return out + "</table></section>\n";
  std::string runs = Escape(CountText(stage.executions)) + "&times;";
  if (stage.operations.text != "")
    runs += ", " + Escape(CountText(stage.operations)) + " operations";
  if (stage.recompute > 1) {
    char text[96];
    std::snprintf(text, sizeof text,
                  " <b class=\"warn\">%.3g times its elements: recomputation</b>", stage.recompute);
    runs += text;
  }
  out += Row("runs", runs);
  if (!stage.rolls.empty()) out += Row("rolls", Escape(stage.rolls));
  out += Row("loops", LoopsOf(stage));
  for (const ExplainedGuard& guard : stage.guards) {
    out += Row("guard",
               Code(guard.condition) + " " +
                   (guard.remains ? "<b class=\"warn\">remains in " + Escape(guard.where) + "</b>"
                                  : "<span class=\"soft\">removed by cutting the loops</span>") +
                   "<div class=\"soft\">" + Escape(guard.reason) + "</div>");
  }
  if (stage.guarded_bodies > 0) {
    out += Row("guarded", std::to_string(stage.guarded_bodies) + " of " +
                              std::to_string(stage.bodies) + " stores");
  }
  out += "</table>\n";
  if (!stage.levels.empty()) out += LevelsOf(stage);
  return out + "</section>\n";
}

// Emphasises the keywords of loops.
std::string Listing(const std::string& text) {
  std::string out;
  size_t begin = 0;
  while (begin < text.size()) {
    size_t end = text.find('\n', begin);
    if (end == std::string::npos) end = text.size();
    const std::string line = text.substr(begin, end - begin);
    const size_t indent = std::min(line.find_first_not_of(' '), line.size());
    size_t word = indent;
    for (const char* start : {"parallel for ", "vectorized for ", "unrolled for ", "thread for ",
                              "for ", "if ", "func ", "allocate "}) {
      if (line.compare(indent, std::string(start).size(), start) == 0) {
        word = indent + std::string(start).size();
        break;
      }
    }
    out += line.substr(0, indent);
    if (word > indent) out += "<mark>" + Escape(line.substr(indent, word - indent)) + "</mark>";
    out += Escape(line.substr(word)) + "\n";
    begin = end + 1;
  }
  return out;
}

}  // namespace

std::string ToHtml(const Explanation& explanation) {
  std::string sizes;
  for (const auto& [name, value] : explanation.sizes)
    sizes += (sizes.empty() ? "" : ", ") + name + " = " + std::to_string(value);
  std::string out =
      "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width\">\n<title>" +
      Escape(explanation.name) + "</title>\n<style>" + kStyle + "</style>\n<main>\n<h1>" +
      Escape(explanation.name) + "</h1>\n<div class=\"soft\">" +
      (sizes.empty() ? "symbolic extents as they are" : Escape(sizes)) +
      ". Traffic counts what one execution of a loop touches as fetched once.</div>\n"
      "<div class=\"card\">" +
      Graph(explanation) + "</div>\n";
  for (const ExplainedStage& stage : explanation.stages) out += Card(stage);
  return out + "<section class=\"card\" id=\"loops\"><h2>Loops, lowered</h2>\n<pre>" +
         Listing(explanation.loops) + "</pre></section>\n</main>\n</html>\n";
}

}  // namespace lathe::driver
