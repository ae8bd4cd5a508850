// The matrix of faults (cells.h): each cell with real processes, in a process and a network of its
// own. See docs/design/remote.md.
#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "runtime/init.h"
#include "runtime/rpc/process_testing.h"
#include "tests/remote/cells.h"
#include "tests/remote/client.h"
#include "tests/remote/network.h"
#include "tests/remote/program.h"
#include "tests/remote/scene.h"

namespace lathe::runtime::rpc {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr int kSkipped = 77;
constexpr milliseconds kReachLimit{15000};

Programs programs;

void Check(bool holds, const std::string& what) {
  if (!holds) throw what;
}

milliseconds Seconds(double seconds) { return milliseconds(static_cast<int>(seconds * 1000)); }

// Where in the bytes of a connection the client is to be held, before it starts.
void Arm(Scene& scene, Point point) {
  // A session's data connection carries a few hundred bytes before the file or the tensor.
  constexpr size_t kMiddle = 1 << 20;
  const size_t line = scene.door().lines();
  scene.CountLines();
  if (point == Point::kConnecting) scene.door().HoldAfter(line, true, 0);
  if (point == Point::kHandshake) scene.door().HoldAfter(line, false, 60);
  if (point == Point::kUpload || point == Point::kCopy)
    scene.session().HoldAfter(scene.first_line(), true, kMiddle);
}

void WaitForPoint(Scene& scene, Point point) {
  Program& client = scene.client();
  switch (point) {
    case Point::kConnecting:
    case Point::kHandshake:
      return Check(Within(kReachLimit, [&] { return scene.door().Holds(); }), "nothing is held");
    case Point::kUpload:
    case Point::kCopy:
      return Check(Within(kReachLimit, [&] { return scene.session().Holds(); }), "nothing is held");
    case Point::kQueued:
      return Check(client.LineAfter("queued", kReachLimit).has_value(), "it is not queued");
    case Point::kCall:
      return Check(Within(kReachLimit,
                          [&] {
                            std::ifstream journal(scene.journal());
                            for (std::string line; std::getline(journal, line);) {
                              if (line == "begun") return true;
                            }
                            return false;
                          }),
                   "the call does not begin");
    case Point::kOpen:
    case Point::kCallback:
    case Point::kClosing:
      Check(client.LineAfter("reached", kReachLimit).has_value(), "the point is not reached");
      if (point != Point::kClosing) return;
      // Close goes over the control connection.
      Tap& tap = scene.session();
      tap.HoldNow(tap.lines() - 2, true);
      client.Write("go");
      return;
  }
}

// Every call that has its answer ran once; others at most once.
void CheckJournal(Scene& scene) {
  std::map<std::string, int> times;
  std::ifstream journal(scene.journal());
  for (std::string line; std::getline(journal, line);) ++times[line];
  for (const auto& [line, count] : times) Check(count == 1, "call " + line + " ran twice");
  const std::string& output = scene.client().output();
  Check(("\n" + output).find("\nwrong") == std::string::npos, "the client got something wrong");
  std::istringstream lines(output);
  for (std::string line; std::getline(lines, line);) {
    if (line.rfind("ack ", 0) == 0)
      Check(times.count(line.substr(4)) == 1, "call " + line.substr(4) + " was lost");
  }
}

void CheckOutcome(Scene& scene, const Cell& cell, milliseconds limit) {
  const std::set<std::string> outcomes = Outcomes(cell);
  const auto begin = steady_clock::now();
  const auto status = scene.client().LineAfter("status ", limit);
  const auto took = std::chrono::duration<double>(steady_clock::now() - begin).count();
  if (!status) throw std::string("the client is not told how its session ends");
  std::printf("after %.1f s: %s\n", took, status->c_str());
  const std::string name = status->substr(0, status->find(' '));
  Check(outcomes.count(name) == 1, "unexpected end: " + *status);
}

void Play(Scene& scene, const Cell& cell) {
  std::shared_ptr<void> occupant;
  if (cell.point == Point::kQueued) occupant = scene.Occupy();
  Arm(scene, cell.point);
  scene.StartClient();
  WaitForPoint(scene, cell.point);
  scene.Do(cell.fault);
  scene.door().Release();
  scene.session().Release();
  if (cell.point == Point::kOpen || cell.point == Point::kCallback) scene.client().Write("go");
  const bool told = !Outcomes(cell).empty();
  const bool mine = cell.party == Party::kClient;
  const milliseconds limit = Seconds(MostSeconds(cell)), next = Seconds(MostSecondsOfNext(cell));
  const bool lasts = cell.fault == Fault::kStop || cell.fault == Fault::kPartition;
  const auto begun = steady_clock::now();
  // Whoever waits for its turn gets it, if it is still there.
  const bool turn = cell.point == Point::kQueued && Outcomes(cell).count("ok") == 1;
  if (turn) occupant = nullptr;
  if (mine) {
    // Others have the device while the client is silent, and before anything is mended.
    occupant = nullptr;
    if (const absl::Status status = scene.Next(next); !status.ok())
      throw "the next session: " + status.ToString();
    if (lasts) std::this_thread::sleep_until(begun + milliseconds(7500));
    scene.Undo();
    if (told) CheckOutcome(scene, cell, limit);
  } else {
    // A client that waits for a device waits for one that comes again, too.
    const bool again = cell.fault == Fault::kHalfOpen || (cell.fault == Fault::kKill && turn);
    if (again) scene.Undo();
    if (lasts && Outcomes(cell).count("ok") == 1) {
      std::this_thread::sleep_until(begun + milliseconds(7500));
      scene.Undo();
      CheckOutcome(scene, cell, limit);
    } else {
      CheckOutcome(scene, cell, limit);
      if (lasts) std::this_thread::sleep_until(begun + milliseconds(7500));
      if (!again) scene.Undo();
    }
    occupant = nullptr;
    if (const absl::Status status = scene.Next(next); !status.ok())
      throw "the next session: " + status.ToString();
  }
  CheckJournal(scene);
  const std::string left = scene.Leftovers() + scene.End();
  Check(left.empty(), left);
}

// One cell, in this process.
int RunCell(const std::string& name, const std::string& folder) {
  const std::string problem = EnterNetwork();
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  alarm(100);
  for (const Cell& cell : AllCells()) {
    if (cell.name() != name) continue;
    if (!problem.empty() && cell.needs_network()) {
      std::printf("%s\n", problem.c_str());
      return kSkipped;
    }
    Initialize();
    std::unique_ptr<Scene> scene;
    try {
      scene = std::make_unique<Scene>(cell, programs, folder);
      Play(*scene, cell);
      return 0;
    } catch (const std::string& failure) {
      std::printf("%s\n%s", failure.c_str(), scene ? scene->Printed().c_str() : "");
      return 1;
    }
  }
  return 2;
}

// Cells of the table as tests. Some run at once: most of their time they wait.
class Matrix : public testing::TestWithParam<Cell> {
 protected:
  static constexpr size_t kAtOnce = 24;
  struct Run {
    std::unique_ptr<Program> program;
    std::string folder;
  };

  static bool IsSelected(const std::string& name) {
    const testing::UnitTest& all = *testing::UnitTest::GetInstance();
    const testing::TestSuite& suite = *all.current_test_suite();
    for (int i = 0; i < suite.total_test_count(); ++i) {
      const testing::TestInfo& test = *suite.GetTestInfo(i);
      if (test.should_run() && std::string(test.name()) == "Holds/" + name) return true;
    }
    return false;
  }

  static std::string Words(const std::string& name, const std::string& folder) {
    return "--cell=" + name + "=" + folder;
  }

  // Starts cells from this one on, as long as there is room.
  static void Fill(const std::string& name) {
    size_t running = 0;
    for (auto& [key, run] : runs) running += run.program->Wait(milliseconds(0)) ? 0 : 1;
    bool found = false;
    for (const Cell& cell : AllCells()) {
      const std::string own = cell.name();
      found = found || own == name;
      if (!found || runs.count(own) == 1 || running >= kAtOnce || !IsSelected(own)) continue;
      const std::string folder = testing::TempDir() + "/" + own;
      std::filesystem::remove_all(folder);
      runs[own] = {std::make_unique<Program>(
                       Program::Options{{"/proc/self/exe", "--cell", own, folder, programs.server,
                                         programs.worker, programs.tracker, programs.proxy}}),
                   folder};
      ++running;
    }
  }

  static std::map<std::string, Run> runs;
};

std::map<std::string, Matrix::Run> Matrix::runs;

TEST_P(Matrix, Holds) {
  const std::string name = GetParam().name();
  Fill(name);
  std::optional<int> status;
  while (!(status = runs.at(name).program->Wait(milliseconds(50)))) Fill(name);
  const std::string output = runs.at(name).program->output();
  std::filesystem::remove_all(runs.at(name).folder);
  if (*status == kSkipped)
    GTEST_SKIP() << "this machine allows no networks of one's own: " << output;
  EXPECT_EQ(*status, 0) << output;
}

INSTANTIATE_TEST_SUITE_P(Faults, Matrix, testing::ValuesIn(AllCells()),
                         [](const auto& info) { return info.param.name(); });

}  // namespace
}  // namespace lathe::runtime::rpc

int main(int argc, char** argv) {
  namespace rpc = lathe::runtime::rpc;
  signal(SIGPIPE, SIG_IGN);
  if (argc > 1 && std::strcmp(argv[1], "--client") == 0) return rpc::RunClient(argc, argv);
  const bool cell = argc == 8 && std::strcmp(argv[1], "--cell") == 0;
  if (!cell) testing::InitGoogleTest(&argc, argv);
  char** const paths = argv + (cell ? 4 : 1);
  rpc::programs = {paths[0], paths[1], paths[2], paths[3]};
  return cell ? rpc::RunCell(argv[2], argv[3]) : RUN_ALL_TESTS();
}
