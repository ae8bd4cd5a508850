#include "tests/faults/runner.h"

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <set>
#include <string>

#include "tests/faults/attempt.h"
#include "tests/faults/heap.h"
#include "tests/faults/own_part.h"
#include "tests/faults/symbols.h"

namespace lathe::faults {
namespace {

constexpr size_t kSites = kMostSites;
constexpr int kMostShown = 12;

using Clock = std::chrono::steady_clock;

double SecondsSince(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

struct Case {
  const Site* site;
  uint64_t number;
  uint64_t key;  // of the stack's own part, and whether it is the first allocation there
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
        reports_(SharedMemory<Report>(kAtOnce)),
        foreign_(ForeignCode()) {
    LeaveOut(foreign_);
  }

  Totals Run(const Program& program, double seconds) {
    Totals totals;
    const auto begin = Clock::now();
    madvise(table_, kSites * sizeof(Site), MADV_REMOVE);  // all zeros again
    if (InChild([&] { return Record(program) && Choose(); }) != 0) {
      std::printf("%s: recording failed\n", program.name.c_str());
      totals.wrong = 1;
      return totals;
    }
    totals.cases = counts_->cases;
    const double recorded = SecondsSince(begin);
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
        Remember(slot.item.key);
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
        Show(program, slot.item, Verdict(status, report), symbols_);
        return true;
      });
    }
    std::printf(
        "%s: %zu stacks in %.1f s, %zu failures to try; %zu tried in %.1f s, %zu at another stack, "
        "%zu wrong\n",
        program.name.c_str(), counts_->sites, recorded, totals.cases, totals.tried,
        SecondsSince(begin) - recorded, totals.drifted, totals.wrong);
    std::fflush(stdout);
    return totals;
  }

 private:
  static constexpr size_t kAtOnce = 2;
  struct Counts {
    size_t sites, cases;
  };

  // Which failures were tried. A failure tried with one program is not repeated with the next ones.
  uint64_t& PlaceOf(uint64_t key) {
    uint64_t at = key >> 1;
    while (tried_[at % (4 * kSites)] != 0 && tried_[at % (4 * kSites)] != key) ++at;
    return tried_[at % (4 * kSites)];
  }
  void Remember(uint64_t key) { PlaceOf(key) = key; }
  bool WasTried(uint64_t key) { return PlaceOf(key) != 0; }

  bool Record(const Program& program) {
    RecordAllocations({table_, kSites});
    const Outcome outcome = RunOnce(program);
    StopFailing();
    return outcome.ending == Ending::kRight && SitesLost() == 0;
  }

  // Chooses which allocations to fail, in a random order.
  bool Choose() {
    *counts_ = Counts();
    // Stacks with the same own part count as one.
    std::set<uint64_t> chosen;
    const auto choose = [&](const Site& site, uint64_t number, uint64_t key) {
      if (!chosen.insert(key).second || WasTried(key)) return;
      cases_[counts_->cases++] = {&site, number, key};
    };
    for (const uint32_t at : UsedSites()) {
      const Site& site = table_[at];
      ++counts_->sites;
      const uint64_t own = OwnPart(site, symbols_);
      if (own == 0) continue;
      choose(site, site.first, own);
      if (site.later != 0) choose(site, site.later, own ^ 2);  // hashes are odd
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
  const std::vector<Code> foreign_;
  Symbols symbols_;
};

bool Warmed(const std::vector<Program>& programs) {
  for (const Program& program : programs) {
    for (int time = 0; time < 2; ++time) {
      const Outcome outcome = RunOnce(program);
      if (outcome.ending == Ending::kRight) continue;
      std::printf("%s without failures: %s\n", program.name.c_str(), outcome.text.c_str());
      return false;
    }
  }
  return true;
}

}  // namespace

TimeToFail TimeToFail::FromEnvironment(double seconds, double parts) {
  const char* const text = std::getenv("LATHE_FAULTS_SECONDS");
  if (text == nullptr || *text == '\0') return {seconds};
  return {std::atof(text) / parts, true};
}

bool FailAllocations(const std::vector<Program>& programs, const TimeToFail& time) {
  SetOutermost(reinterpret_cast<void*>(&RunOnce));
  if (!Warmed(programs)) return false;
  Runner runner;
  Totals all;
  const auto begin = Clock::now();
  double whole = 0;  // seconds that whole programs took
  for (size_t i = 0; i < programs.size(); ++i) {
    // Time that quick programs do not use goes to the programs after them.
    const double left = time.seconds + whole - SecondsSince(begin);
    const double share = left / static_cast<double>(programs.size() - i);
    const bool all_of_it = time.seconds == 0 || (time.whole && programs[i].whole);
    const auto here = Clock::now();
    const Totals totals = runner.Run(programs[i], all_of_it ? 0 : std::max(share, 0.1));
    if (all_of_it) whole += SecondsSince(here);
    all.cases += totals.cases;
    all.tried += totals.tried;
    all.drifted += totals.drifted;
    all.wrong += totals.wrong;
  }
  std::printf("%zu failures of %zu tried, %zu wrong, %.0f s\n", all.tried, all.cases, all.wrong,
              SecondsSince(begin));
  // A failure at another stack than recorded counts too. But if there are many, stacks stay
  // untried.
  return all.wrong == 0 && all.tried != 0 && all.drifted * 50 <= all.tried;
}

void FailOneHere(const Program& program, uint64_t number) {
  if (!Warmed({program})) return;
  FailAllocation(number);
  const Outcome outcome = RunOnce(program);
  StopFailing();
  std::printf("ending %d %s\n", static_cast<int>(outcome.ending), outcome.text.c_str());
}

}  // namespace lathe::faults
