#include "driver/compile_times.h"

#include <sys/resource.h>

#include <cstdio>

namespace lathe::driver {
namespace {

std::string Line(const std::string& who, const std::string& what, double seconds,
                 const std::string& note = "") {
  char text[160];
  std::snprintf(text, sizeof text, "%-9s %-20s %10.3f ms%s\n", who.c_str(), what.c_str(),
                seconds * 1e3, note.c_str());
  return text;
}

}  // namespace

void CompileTimes::Watch(lower::PassContext* context) {
  context->timed = [this](std::string_view who, std::string_view step, double seconds) {
    Add(who, step, seconds);
  };
}

void CompileTimes::Add(std::string_view who, std::string_view step, double seconds) {
  const std::lock_guard lock(mutex_);
  for (Step& known : steps_) {
    if (known.who != who || known.what != step) continue;
    known.seconds += seconds;
    ++known.times;
    return;
  }
  steps_.push_back({std::string(who), std::string(step), seconds, 1});
}

std::vector<CompileTimes::Step> CompileTimes::Steps() const {
  const std::lock_guard lock(mutex_);
  return steps_;
}

double CompileTimes::Seconds(std::string_view who) const {
  double sum = 0;
  for (const Step& step : Steps()) {
    if (who.empty() || step.who == who) sum += step.seconds;
  }
  return sum;
}

double CompileTimes::Elapsed() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
}

std::string CompileTimes::ToString() const {
  const double elapsed = Elapsed();
  std::string out, sums;
  std::vector<std::string> seen;
  for (const Step& step : Steps()) {
    out += Line(step.who, step.what, step.seconds,
                step.times == 1 ? "" : " in " + std::to_string(step.times) + " times");
    bool known = false;
    for (const std::string& who : seen) known = known || who == step.who;
    if (known) continue;
    seen.push_back(step.who);
    sums += Line(step.who, "(all)", Seconds(step.who));
  }
  out += sums;
  out += Line("", "the rest", elapsed - Seconds());
  out += Line("total", "", elapsed);
  char text[80];
  std::snprintf(text, sizeof text, "peak memory %.1f MB\n",
                static_cast<double>(PeakMemory()) / (1 << 20));
  return out + text;
}

int64_t PeakMemory() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return int64_t{1024} * usage.ru_maxrss;  // Linux counts kilobytes
}

}  // namespace lathe::driver
