// Fails allocations: at each distinct call stack, the first allocation and a later one, each in a
// fork of a warm process with one thread. The program must end with `out-of-memory` (or continue to
// the right answer). The same program must then work again in the process in which the failure
// occurred.
//
// Stacks with frames of LLVM are left out: LLVM uses no exceptions, and ends its process with a
// named error when it is out of memory.
//
// usage: heap_faults [--seconds=N] [--only=PART OF A NAME] [--at=NUMBER]
//   --seconds  for all programs together; 0: no limit. Stacks are tried in a random order (of fixed
//              seed) until a program's share of the time is over. The number of stacks is printed.
//              LATHE_FAULTS_SECONDS overrides this
//   --at       fails this allocation of the first program in this process, for a debugger
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "driver/default_plugins.h"
#include "runtime/thread_pool.h"
#include "tests/faults/attempt.h"
#include "tests/faults/heap.h"
#include "tests/faults/programs.h"
#include "tests/faults/symbols.h"

namespace lathe::faults {
namespace {

constexpr size_t kSites = size_t{1} << 20;
constexpr int kMostShown = 12;

using Clock = std::chrono::steady_clock;

bool Ours(const std::string& name) {
  for (const std::string_view prefix : {"lathe::", "std::", "absl::", "operator ", "__cxa_",
                                        "void lathe::", "void std::", "decltype"}) {
    if (name.starts_with(prefix)) return true;
  }
  return name.find("lathe::") != std::string::npos;
}

bool HasForeignFrames(const Site& site, Symbols& symbols) {
  for (const void* frame : site.frames) {
    if (frame == nullptr) break;
    const Symbol& symbol = symbols.Of(frame);
    if (symbol.name.find("llvm::") != std::string::npos || symbol.name.starts_with("LLVM"))
      return true;
    // LLVM is linked into its plugin. Some of LLVM's functions there have no namespace of their
    // own.
    if (symbol.object == "libllvm.so" && !Ours(symbol.name)) return true;
  }
  return false;
}

struct Case {
  const Site* site;
  uint64_t number;
};

// Says what is wrong; "" if nothing is.
std::string Verdict(int status, const Report& report) {
  std::string verdict = HowItEnded(status, report);
  if (!verdict.empty()) return verdict;
  if (report.first == Ending::kRight || report.first == Ending::kNoMemory) return "";
  return std::string("ended with: ") + report.text;
}

// Whether Verdict would return "". Allocates nothing.
bool Fine(int status, const Report& report) {
  return status == 0 && report.again == Ending::kRight &&
         (report.first == Ending::kRight || report.first == Ending::kNoMemory);
}

void Show(const Program& program, const Case& item, const std::string& verdict, Symbols& symbols) {
  std::printf("%s, allocation %llu: %s\n", program.name.c_str(),
              static_cast<unsigned long long>(item.number), verdict.c_str());
  for (const void* frame : item.site->frames) {
    if (frame == nullptr) break;
    const Symbol& symbol = symbols.Of(frame);
    std::printf("    %.150s (%s)\n", symbol.name.empty() ? "?" : symbol.name.c_str(),
                symbol.object.c_str());
  }
  std::fflush(stdout);
}

struct Totals {
  size_t cases = 0, tried = 0, drifted = 0, wrong = 0;
};

// Runs programs in forks. Between two forks this process allocates nothing. So each child starts
// with the same heap, and allocates in the same order as the child that recorded.
class Runner {
 public:
  Runner()
      : table_(SharedMemory<Site>(kSites)),
        cases_(SharedMemory<Case>(2 * kSites)),
        counts_(SharedMemory<Counts>(1)),
        tried_(SharedMemory<uint64_t>(4 * kSites)),
        reports_(SharedMemory<Report>(kAtOnce)) {}

  Totals Run(const Program& program, double seconds) {
    Totals totals;
    madvise(table_, kSites * sizeof(Site), MADV_REMOVE);  // all zeros again
    if (InChild([&] { return Record(program); }) != 0 || InChild([&] { return Choose(); }) != 0) {
      std::printf("%s: recording failed\n", program.name.c_str());
      totals.wrong = 1;
      return totals;
    }
    totals.cases = counts_->cases;
    const auto until = Clock::now() + std::chrono::duration<double>(seconds);
    struct Slot {
      pid_t child = 0;
      Case item{};
    } slots[kAtOnce];
    size_t next = 0, running = 0;
    while (true) {
      const bool more = next < counts_->cases && (seconds == 0 || Clock::now() < until);
      if (more && running < kAtOnce) {
        Slot& slot = *std::find_if(std::begin(slots), std::end(slots),
                                   [](const Slot& s) { return s.child == 0; });
        Report* const report = reports_ + (&slot - slots);
        slot.item = cases_[next++];
        Remember(slot.item.site->hash, slot.item.number == slot.item.site->first);
        slot.child = Fork();
        if (slot.child == 0) {
          RunTwice(
              program, [&] { FailAllocation(slot.item.number); },
              [&] {
                StopFailing();
                return Failed().hash == slot.item.site->hash;
              },
              report);
          Leave(true);
        }
        ++running;
        continue;
      }
      if (running == 0) break;
      int status = 0;
      const pid_t ended = waitpid(-1, &status, 0);
      Slot& slot = *std::find_if(std::begin(slots), std::end(slots),
                                 [&](const Slot& s) { return s.child == ended; });
      slot.child = 0;
      --running;
      ++totals.tried;
      const Report& report = reports_[&slot - slots];
      if (status == 0 && !report.failed_one) ++totals.drifted;
      if (Fine(status, report)) continue;
      if (++totals.wrong > kMostShown) continue;
      InChild([&] {
        Symbols symbols;
        Show(program, slot.item, Verdict(status, report), symbols);
        return true;
      });
    }
    std::printf("%s: %zu stacks, %zu failures to try; %zu tried, %zu at another stack, %zu wrong\n",
                program.name.c_str(), counts_->sites, totals.cases, totals.tried, totals.drifted,
                totals.wrong);
    std::fflush(stdout);
    return totals;
  }

 private:
  static constexpr size_t kAtOnce = 2;
  struct Counts {
    size_t sites, cases;
  };

  // Which failures were tried. A failure tried with one kernel is not repeated with the next ones.
  uint64_t& PlaceOf(uint64_t hash, bool first) {
    const uint64_t key = first ? hash : hash ^ 2;  // hashes are odd
    uint64_t at = key >> 1;
    while (tried_[at % (4 * kSites)] != 0 && tried_[at % (4 * kSites)] != key) ++at;
    return tried_[at % (4 * kSites)];
  }
  void Remember(uint64_t hash, bool first) { PlaceOf(hash, first) = first ? hash : hash ^ 2; }
  bool Remembered(uint64_t hash, bool first) { return PlaceOf(hash, first) != 0; }

  bool Record(const Program& program) {
    RecordAllocations({table_, kSites});
    const Outcome outcome = RunOnce(program);
    StopFailing();
    return outcome.ending == Ending::kRight && SitesLost() == 0;
  }

  // Chooses which allocations to fail, in a random order.
  bool Choose() {
    Symbols symbols;
    *counts_ = Counts();
    for (size_t i = 0; i < kSites; ++i) {
      const Site& site = table_[i];
      if (site.hash == 0) continue;
      ++counts_->sites;
      if (HasForeignFrames(site, symbols)) continue;
      if (!Remembered(site.hash, true)) cases_[counts_->cases++] = {&site, site.first};
      if (site.later != 0 && !Remembered(site.hash, false))
        cases_[counts_->cases++] = {&site, site.later};
    }
    std::sort(cases_, cases_ + counts_->cases,
              [](const Case& a, const Case& b) { return a.number < b.number; });
    std::shuffle(cases_, cases_ + counts_->cases, std::mt19937(1));
    return true;
  }

  Site* table_;
  Case* cases_;
  Counts* counts_;
  uint64_t* tried_;
  Report* reports_;
};

// All programs of all kernels. Each has run twice, so that what is made only once exists already.
// Empty if a program does not work without failures.
std::vector<Program> WarmPrograms(const std::string& folder, const std::string& only) {
  std::vector<Program> programs;
  for (const Kernel kernel : kKernels) {
    for (Program& program : ProgramsOf(kernel, folder)) {
      if (program.name.find(only) != std::string::npos) programs.push_back(std::move(program));
    }
  }
  for (const Program& program : programs) {
    for (int time = 0; time < 2; ++time) {
      const Outcome outcome = RunOnce(program);
      if (outcome.ending == Ending::kRight) continue;
      std::printf("%s without failures: %s\n", program.name.c_str(), outcome.text.c_str());
      return {};
    }
  }
  return programs;
}

bool FailAll(const std::vector<Program>& programs, double seconds) {
  Runner runner;
  Totals all;
  const auto begin = Clock::now();
  for (size_t i = 0; i < programs.size(); ++i) {
    // Time that quick programs do not use goes to the programs after them.
    const double left = seconds - std::chrono::duration<double>(Clock::now() - begin).count();
    const double share = left / static_cast<double>(programs.size() - i);
    const Totals totals = runner.Run(programs[i], seconds == 0 ? 0 : std::max(share, 0.1));
    all.cases += totals.cases;
    all.tried += totals.tried;
    all.drifted += totals.drifted;
    all.wrong += totals.wrong;
  }
  std::printf("%zu failures of %zu tried, %zu wrong, %.0f s\n", all.tried, all.cases, all.wrong,
              std::chrono::duration<double>(Clock::now() - begin).count());
  // A failure at another stack than recorded counts too. But if there are many, stacks stay
  // untried.
  return all.wrong == 0 && all.tried != 0 && all.drifted * 50 <= all.tried;
}

int Main(double seconds, const std::string& only, uint64_t at) {
  const char* const tmp = std::getenv("TEST_TMPDIR");
  std::string folder = std::string(tmp != nullptr ? tmp : "/tmp") + "/lathe-faults-XXXXXX";
  if (mkdtemp(folder.data()) == nullptr) std::abort();
  driver::UseDefaultPlugins();
  runtime::SetNumThreads(1);
  SetOutermost(reinterpret_cast<void*>(&RunOnce));
  const std::vector<Program> programs = WarmPrograms(folder, only);
  bool well = !programs.empty();
  if (at != 0 && well) {
    FailAllocation(at);
    const Outcome outcome = RunOnce(programs[0]);
    StopFailing();
    std::printf("ending %d %s\n", static_cast<int>(outcome.ending), outcome.text.c_str());
  } else if (well) {
    well = FailAll(programs, seconds);
  }
  std::filesystem::remove_all(folder);
  return well ? 0 : 1;
}

}  // namespace
}  // namespace lathe::faults

int main(int argc, char** argv) {
  double seconds = 0;
  uint64_t at = 0;
  std::string only;
  for (int i = 1; i < argc; ++i) {
    const std::string_view arg = argv[i];
    if (arg.starts_with("--seconds=")) {
      seconds = std::atof(argv[i] + 10);
    } else if (arg.starts_with("--only=")) {
      only = arg.substr(7);
    } else if (arg.starts_with("--at=")) {
      at = std::strtoull(argv[i] + 5, nullptr, 10);
    } else {
      std::printf("usage: %s [--seconds=N] [--only=PART OF A NAME] [--at=NUMBER]\n", argv[0]);
      return 2;
    }
  }
  if (const char* text = std::getenv("LATHE_FAULTS_SECONDS")) seconds = std::atof(text);
  return lathe::faults::Main(seconds, only, at);
}
