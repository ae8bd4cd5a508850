#include "tools/lathe/bisect_report.h"

#include <cstdio>

#include "runtime/status.h"

namespace lathe::cli {

using driver::BisectReport;
using driver::BisectStage;
using runtime::MakeStatus;

const char* StateName(BisectStage::State state) {
  switch (state) {
    case BisectStage::kComputed:
      return "computed";
    case BisectStage::kUnchanged:
      return "changed nothing";
    case BisectStage::kSame:
      return "same answer";
    case BisectStage::kChanged:
      return "ANOTHER ANSWER";
    case BisectStage::kFailed:
      return "FAILED";
  }
  return "";
}

void Print(const BisectReport& report) {
  for (const BisectStage& stage : report.stages)
    std::printf("%-18s %s\n", stage.name.c_str(), StateName(stage.state));
  if (!report.changed) return;
  std::printf("\n%s\n", report.what.c_str());
  if (!report.before.empty()) std::printf("\n# before\n%s\n", report.before.c_str());
  if (!report.after.empty()) std::printf("\n# after\n%s\n", report.after.c_str());
}

absl::Status Culprit(const std::string& name) {
  return MakeStatus(absl::StatusCode::kInternal, "bisect-found",
                    "`" + name +
                        "` changed the answer\n  expected: every step computes what the program's "
                        "definition says\n  help: this is a bug in Lathe unless the program relies "
                        "on what ir/expr.h leaves open; report it with the program and what is "
                        "printed above");
}

}  // namespace lathe::cli
