#include "tests/faults/attempt.h"

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace lathe::faults {

void* SharedBytes(size_t bytes) {
  void* const memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                            MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) std::abort();
  return memory;
}

void RunTwice(const Program& program, const std::function<void()>& fail,
              const std::function<bool()>& stop, Report* report) {
  *report = Report();
  alarm(60);
  fail();
  const Outcome first = RunOnce(program);
  report->failed_one = stop();
  report->first = first.ending;
  const Outcome again = RunOnce(program);
  report->again = again.ending;
  const std::string& text = again.ending == Ending::kRight ? first.text : again.text;
  std::strncpy(report->text, text.c_str(), sizeof report->text - 1);
}

int Fork() {
  std::fflush(stdout);
  const pid_t child = _Fork();
  if (child < 0) std::abort();
  return child;
}

void Leave(bool well) {
  std::fflush(stdout);
  _exit(well ? 0 : 1);
}

int Wait(int child) {
  int status = 0;
  waitpid(child, &status, 0);
  return status;
}

std::string HowItEnded(int status, const Report& report) {
  if (WIFSIGNALED(status)) {
    const int signal = WTERMSIG(status);
    if (signal == SIGALRM) return "hung";
    return std::string("ended by ") + strsignal(signal);
  }
  if (WEXITSTATUS(status) != 0) return "exited with " + std::to_string(WEXITSTATUS(status));
  if (report.again != Ending::kRight) return std::string("the next run failed: ") + report.text;
  return "";
}

}  // namespace lathe::faults
