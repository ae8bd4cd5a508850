// lathe-compile-child: makes one request to a code generator, for a caller that is to survive where
// that ends its process (plugins/host/isolate.h). Standard input holds the request and takes the
// answer. Exits with 0 where there is an answer, be it an error.
#include <fcntl.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include <system_error>

#include "base/file.h"
#include "base/thread.h"
#include "plugins/host/isolate.h"
#include "runtime/init.h"

// Nothing is left to be done then, and what a plugin does at the end of a process is not asked for.
[[noreturn]] static int Answer() { _exit(lathe::plugins::AnswerRequest(STDIN_FILENO) ? 0 : 1); }

int main() {
  {
    // Where memory runs out the kernel is to end this process, and not one that survives it.
    const lathe::FileHandle first(lathe::Uninterrupted(
        [] { return open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC); }));
    if (first.is_open()) static_cast<void>(lathe::WriteAll(first.get(), "1000"));
  }
  // The caller says how it ended.
  const rlimit no_core = {0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  // The caller's process has tried the plugin, and has recorded the request.
  setenv("LATHE_PLUGIN_PROBE", "0", 1);
  unsetenv("LATHE_DUMP_BOUNDARY");
  lathe::runtime::Initialize();
  try {
    lathe::OnWholeStack(Answer);
  } catch (const std::system_error&) {
    Answer();  // the stack that there is may suffice
  }
}
