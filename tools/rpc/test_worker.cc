// A worker whose exported functions do what code of a session may do by mistake.
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "base/file.h"
#include "runtime/cancel.h"
#include "runtime/function.h"
#include "runtime/init.h"
#include "runtime/registry.h"
#include "runtime/rpc/chain.h"
#include "runtime/rpc/worker.h"

namespace lathe::runtime {
namespace {

template <class F>
void Export(const char* name, F&& body) {
  RegisterGlobal(name, Function::From(std::forward<F>(body), name), Override::kReplace,
                 Exported::kYes)
      .IgnoreError();
}

void Append(const std::string& file, const std::string& line) {
  const FileHandle journal(Uninterrupted(
      [&] { return open(file.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600); }));
  if (!WriteAll(journal.get(), line + "\n").ok()) abort();
}

void ExportAll() {
  Export("test.add", [](int64_t a, int64_t b) { return a + b; });
  Export("test.pid", [] { return static_cast<int64_t>(getpid()); });
  Export("test.crash", [] {
    std::fprintf(stderr, "about to crash\n");
    signal(SIGSEGV, SIG_DFL);  // a sanitizer would end the process with a status
    raise(SIGSEGV);
  });
  Export("test.exit", [](int64_t code) { _exit(static_cast<int>(code)); });
  Export("test.sleep", [](double seconds) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
    while (std::chrono::steady_clock::now() < end) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      if (CancelScope::Look(CancelScope::Current()) != 0) return false;
    }
    return true;
  });
  // Writes a line to a file of the test, which so knows what ran, and how often.
  Export("test.append", Append);
  // The same before and after a pause.
  Export("test.slow", [](const std::string& file, const std::string& line, double seconds) {
    Append(file, "begun");
    std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
    Append(file, line);
  });
  Export("test.call_back", [](const Function& function, int64_t x) { return function(x); });
  // Deaf to cancelling.
  Export("test.hang", [] {
    for (;;) std::this_thread::sleep_for(std::chrono::seconds(1));
  });
  // Prints without an end, as fast as it can.
  Export("test.print", [] {
    const auto print = [] {
      const std::string text(65536, '.');
      while (WriteAll(2, text).ok()) {
      }
    };
    std::vector<std::thread> threads;
    for (int i = 0; i < 8; ++i) threads.emplace_back(print);
    for (std::thread& thread : threads) thread.join();
  });
  // 0, or the number of the error.
  Export("test.write", [](const std::string& file) -> int64_t {
    const FileHandle opened(
        Uninterrupted([&] { return open(file.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600); }));
    return opened.is_open() ? 0 : errno;
  });
  Export("test.remove",
         [](const std::string& file) -> int64_t { return unlink(file.c_str()) == 0 ? 0 : errno; });
  Export("test.folder", [] { return std::string(std::getenv("TMPDIR")); });
  Export("test.signal_parent", []() -> int64_t { return kill(getppid(), 0) == 0 ? 0 : errno; });
  // Leaves a process behind, and says its number.
  Export("test.fork", [] {
    const pid_t child = fork();
    if (child == 0) {
      for (;;) pause();
    }
    return static_cast<int64_t>(child);
  });
}

}  // namespace
}  // namespace lathe::runtime

int main() {
  lathe::runtime::rpc::LimitWorker();
  lathe::runtime::Initialize();
  lathe::runtime::ExportAll();
  _exit(lathe::runtime::rpc::RunWorker(lathe::runtime::rpc::kWorkerDescriptor,
                                       lathe::runtime::rpc::ConstructSession)
                .ok()
            ? 0
            : 1);
}
