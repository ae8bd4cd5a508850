// `lathe tune report`: one page about what searches have found, with a chart for each workload.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "runtime/status.h"
#include "target/target.h"
#include "tools/lathe/command.h"
#include "tools/lathe/files.h"
#include "tools/lathe/measure.h"
#include "tools/lathe/page.h"
#include "tools/lathe/progress.h"
#include "tools/lathe/roofline.h"
#include "tools/lathe/tune_logs.h"
#include "tools/lathe/tuning.h"

namespace lathe::cli {
namespace {

constexpr Option kOptions[] = {
    {"--output", "PAGE", "the page to write (tune.html)", 'o'},
};

constexpr double kWidth = 900, kHeight = 220, kLeft = 70, kTop = 12, kBottom = 24;
constexpr size_t kShown = 5;  // configurations in a table

std::string Number(double value) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.1f", value);
  return text;
}

// A point for each trial that has a time, in the order of the log, and the best so far as a line.
std::string Chart(const Workload& workload) {
  double low = INFINITY, high = 0;
  for (const tune::Record& record : workload.records) {
    if (record.failure) continue;
    low = std::min(low, record.cost());
    high = std::max(high, record.cost());
  }
  if (!(low < INFINITY)) return "";
  high = std::max(high, low * 1.1);
  const auto count = static_cast<double>(std::max<size_t>(workload.records.size(), 2));
  const auto x = [&](size_t trial) {
    return kLeft + static_cast<double>(trial) / (count - 1) * (kWidth - kLeft - 8);
  };
  const auto y = [&](double cost) {
    const double share = (std::log(high) - std::log(cost)) / (std::log(high) - std::log(low));
    return kTop + share * (kHeight - kTop - kBottom);
  };
  std::string points, line;
  double best = INFINITY;
  for (size_t i = 0; i < workload.records.size(); ++i) {
    const tune::Record& record = workload.records[i];
    if (record.failure) {
      points += "<path class=\"failed\" d=\"M" + Number(x(i)) + " " + Number(kHeight - kBottom) +
                "v6\"/>";
      continue;
    }
    points += "<circle cx=\"" + Number(x(i)) + "\" cy=\"" + Number(y(record.cost())) +
              "\" r=\"2.5\"><title>trial " + std::to_string(i + 1) + ": " +
              TimeText(record.cost()) + "</title></circle>";
    if (best < INFINITY) line += " H" + Number(x(i));
    best = std::min(best, record.cost());
    line += (line.empty() ? "M" + Number(x(i)) + " " : " V") + Number(y(best));
  }
  line += " H" + Number(x(workload.records.size() - 1));
  const auto text = [](double at_x, double at_y, const char* anchor, const std::string& words) {
    return "<text x=\"" + Number(at_x) + "\" y=\"" + Number(at_y) + "\" text-anchor=\"" + anchor +
           "\">" + words + "</text>";
  };
  return "<svg viewBox=\"0 0 " + Number(kWidth) + " " + Number(kHeight) + "\" role=\"img\">" +
         text(kLeft - 8, y(high) + 4, "end", TimeText(high)) +
         text(kLeft - 8, y(low) + 4, "end", TimeText(low)) +
         text(kLeft, kHeight - 4, "start", "trial 1") +
         text(kWidth - 8, kHeight - 4, "end", std::to_string(workload.records.size())) + points +
         "<path class=\"best\" d=\"" + line + "\"/></svg>";
}

std::string Row(std::initializer_list<std::string> cells) {
  std::string row = "<tr>";
  for (const std::string& cell : cells) row += "<td>" + cell + "</td>";
  return row + "</tr>";
}

std::string Failures(const Workload& workload) {
  std::map<std::string, int64_t> kinds;
  for (const tune::Record& record : workload.records) {
    if (record.failure) ++kinds[std::string(tune::NameOf(record.failure->kind))];
  }
  std::string text;
  for (const auto& [kind, count] : kinds)
    text += (text.empty() ? "" : ", ") + std::to_string(count) + " " + kind;
  return text.empty() ? "none" : text;
}

// Which part of the roofline's speed the best has, "83 %"; "" if that is not known.
absl::StatusOr<std::string> ShareOf(const Workload& workload, Roofline* roofline) {
  if (workload.best == nullptr || roofline == nullptr) return "";
  const Work work = WorkOf(*workload.best);
  if (work.operations == 0 || work.bytes == 0 || !work.float32) return "";
  LATHE_ASSIGN_OR_RETURN(const double seconds, roofline->SecondsOf(work.operations, work.bytes));
  return std::to_string(std::lround(100 * seconds / workload.best->cost())) + " %";
}

std::string Section(const std::string& key, const Workload& workload, const std::string& share) {
  const tune::Record& shown = workload.best != nullptr ? *workload.best : workload.records.front();
  std::string out = "<section id=\"" + key.substr(0, 12) + "\"><h2>" + Escape(ShapesOf(shown)) +
                    "</h2><p class=\"soft\">workload " + key.substr(0, 12) + ", " +
                    Escape(ProcessorOf(shown.target)) + "; " +
                    std::to_string(workload.records.size()) +
                    " trials, failed: " + Failures(workload);
  if (workload.best != nullptr) {
    out += "; best " + TimeText(workload.best->cost());
    if (const double operations = WorkOf(shown).operations; operations > 0)
      out += ", " + Number(operations / workload.best->cost() / 1e9) + " GFLOP/s";
    if (!share.empty()) out += ", " + share + " of the roofline";
  }
  out += "</p>" + Chart(workload);
  std::vector<const tune::Record*> fastest;
  for (const tune::Record& record : workload.records) {
    if (!record.failure) fastest.push_back(&record);
  }
  std::sort(fastest.begin(), fastest.end(),
            [](const auto* a, const auto* b) { return a->cost() < b->cost(); });
  if (fastest.size() > kShown) fastest.resize(kShown);
  if (!fastest.empty()) {
    out += "<table><tr><th>time</th><th>of the best</th><th>tuner</th><th>knobs</th></tr>";
    for (const tune::Record* const record : fastest) {
      out +=
          Row({TimeText(record->cost()), Number(record->cost() / fastest[0]->cost() * 100) + " %",
               Escape(record->tuner), "<code>" + Escape(record->knobs.Dump()) + "</code>"});
    }
    out += "</table>";
  }
  return out + "</section>\n";
}

// Of this machine, if some of the workloads are for it; else null.
absl::StatusOr<std::unique_ptr<Roofline>> RooflineFor(const Workloads& workloads) {
  Progress progress;
  progress.Show("measuring the roofline");
  std::set<std::string> seen;
  for (const auto& [key, workload] : workloads) {
    const std::string& target = workload.records.front().target;
    if (!seen.insert(target).second) continue;
    LATHE_ASSIGN_OR_RETURN(std::unique_ptr<Roofline> made,
                           Roofline::Measure(target::ParseTarget(target)));
    if (made) return made;
  }
  return nullptr;
}

absl::Status Run(const Arguments& arguments) {
  LATHE_ASSIGN_OR_RETURN(const Workloads workloads, ReadLogs(arguments.positional()));
  LATHE_ASSIGN_OR_RETURN(const std::unique_ptr<Roofline> roofline, RooflineFor(workloads));
  std::vector<const Workloads::value_type*> order;
  size_t trials = 0;
  for (const auto& one : workloads) {
    order.push_back(&one);
    trials += one.second.records.size();
  }
  std::sort(order.begin(), order.end(), [](const auto* a, const auto* b) {
    return a->second.records.size() > b->second.records.size();
  });
  std::string page =
      "<!doctype html><html lang=\"en\"><head><meta "
      "charset=\"utf-8\"><title>Tuning</title><style>" +
      std::string(kPageStyle) +
      "svg circle { fill:var(--soft); opacity:.6 } svg .failed { stroke:#d33; stroke-width:2 }\n"
      "td:first-child, td:nth-child(3) { white-space:nowrap }\n"
      "svg .best { fill:none; stroke:var(--accent); stroke-width:2 }\n"
      "</style></head><body><main><h1>Tuning</h1><p class=\"soft\">" +
      std::to_string(workloads.size()) + " workloads, " + std::to_string(trials) +
      " trials. A point is a trial, a red mark one that failed, the line the best so far.";
  if (roofline) {
    page +=
        " The roofline is what this machine reached when the page was written: arithmetic as in "
        "a product of matrices (" +
        Number(roofline->rate() / 1e9) +
        " GFLOP/s), and the arguments moved once; a kernel far below it is where tuning may "
        "help.";
  }
  page +=
      "</p><section><table><tr><th>workload</th><th>trials</th><th>best</th><th>of the "
      "roofline</th><th>for</th></tr>";
  std::map<std::string, std::string> shares;
  for (const auto* one : order) {
    const Workload& workload = one->second;
    const std::string key = one->first.substr(0, 12);
    const bool here = workload.records.front().target == (roofline ? roofline->target() : "");
    LATHE_ASSIGN_OR_RETURN(shares[one->first], ShareOf(workload, here ? roofline.get() : nullptr));
    page += Row(
        {"<a href=\"#" + key + "\">" + key + "</a>", std::to_string(workload.records.size()),
         workload.best != nullptr ? TimeText(workload.best->cost()) : "none", shares[one->first],
         Escape(ShapesOf(workload.best != nullptr ? *workload.best : workload.records.front()))});
  }
  page += "</table></section>\n";
  for (const auto* one : order) page += Section(one->first, one->second, shares[one->first]);
  page += "</main></body></html>\n";
  const std::string out = arguments.Get("--output", "tune.html");
  LATHE_RETURN_IF_ERROR(WriteOutput(out, page));
  if (out != "-") std::printf("written    %s\n", out.c_str());
  return absl::OkStatus();
}

}  // namespace

const Command kTuneReport = {
    .name = "tune report",
    .arguments = "LOG...",
    .what = "a page about what `lathe tune` has measured",
    .details =
        "Writes one HTML page, which needs nothing else: for each workload a chart of the trials, "
        "with the\n"
        "best so far, what failed, and the fastest configurations. For workloads of this "
        "machine's\n"
        "processor it says which part of the roofline they reach, which takes a moment to "
        "measure.\n",
    .example = "  lathe tune report tune.jsonl -o tune.html\n",
    .options = kOptions,
    .fewest = 1,
    .most = 1 << 20,
    .run = Run,
};

}  // namespace lathe::cli
