// Fails system calls: each open, read, write, fsync, rename, mmap and pthread_create that programs
// make, one at a time, each in a fork of its own. The program must continue to the right answer, or
// end with a named error that says why. It must work again in the same process afterwards.
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "driver/default_plugins.h"
#include "runtime/thread_pool.h"
#include "tests/faults/attempt.h"
#include "tests/faults/calls.h"
#include "tests/faults/graphs.h"
#include "tests/faults/programs.h"

namespace lathe::faults {
namespace {

// Says what is wrong; "" if nothing is.
std::string Verdict(int status, const Report& report, int error) {
  std::string verdict = HowItEnded(status, report);
  if (!verdict.empty()) return verdict;
  if (report.first == Ending::kRight || report.first == Ending::kNoMemory) return "";
  if (report.first != Ending::kError) return std::string("ended with: ") + report.text;
  // The error text must hold what the system said.
  if (std::strstr(report.text, std::strerror(error)) != nullptr) return "";
  return std::string("does not say `") + std::strerror(error) + "`: " + report.text;
}

// Returns the number of failures that the program handled wrongly.
int FailEach(const Program& program, const CallKind& kind, Report* report) {
  auto* const calls = SharedMemory<uint64_t>(1);
  const bool counted = InChild([&] {
                         FailCall(kind.call, 0, 0);
                         const Outcome outcome = RunOnce(program);
                         *calls = StopFailingCalls();
                         return outcome.ending == Ending::kRight;
                       }) == 0;
  int wrong = counted ? 0 : 1, tried = 0, errors = 0;
  for (uint64_t number = 1; number <= *calls; ++number) {
    for (const int error : kind.errors) {
      const int status = InChild([&] {
        RunTwice(
            program, [&] { FailCall(kind.call, number, error); },
            [&] {
              StopFailingCalls();
              return ACallFailed();
            },
            report);
        return true;
      });
      ++tried;
      errors += report->first != Ending::kRight;
      const std::string verdict = Verdict(status, *report, error);
      if (verdict.empty()) continue;
      ++wrong;
      std::printf("%s, %s number %llu fails with `%s`: %s\n", program.name.c_str(), kind.name,
                  static_cast<unsigned long long>(number), std::strerror(error), verdict.c_str());
    }
  }
  if (tried != 0 || !counted) {
    std::printf("%s, %s: %d failures, %d ended with errors, %d wrong%s\n", program.name.c_str(),
                kind.name, tried, errors, wrong, counted ? "" : " (does not work without)");
  }
  return wrong;
}

int Main() {
  const char* const tmp = std::getenv("TEST_TMPDIR");
  std::string folder = std::string(tmp != nullptr ? tmp : "/tmp") + "/lathe-faults-XXXXXX";
  if (mkdtemp(folder.data()) == nullptr) std::abort();
  driver::UseDefaultPlugins();
  runtime::SetNumThreads(1);
  auto* const report = SharedMemory<Report>(1);
  int wrong = 0, programs = 0;
  std::vector<Program> all = ProgramsOfTheSystem(folder);
  for (Program& program : ProgramsOfGraphs(folder)) all.push_back(std::move(program));
  for (const Program& program : all) {
    ++programs;
    for (const CallKind& kind : CallKinds()) wrong += FailEach(program, kind, report);
  }
  std::filesystem::remove_all(folder);
  std::printf("%d programs, %d wrong\n", programs, wrong);
  return wrong == 0 && programs != 0 ? 0 : 1;
}

}  // namespace
}  // namespace lathe::faults

int main() { return lathe::faults::Main(); }
