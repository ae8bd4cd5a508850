// Plugins in child processes of the process that loaded them.
#include "runtime/plugin_loader/plugin_identity.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>
#include <string>

#include "base/file.h"

namespace lathe::runtime {
namespace {

// Runs `look` in a child, and returns what it returned. The child's exit status is 0 for true.
bool InChild(const std::function<bool()>& look) {
  const pid_t child = fork();
  if (child == 0) _exit(look() ? 0 : 1);
  int status = 1;
  const pid_t ended = Uninterrupted([&] { return waitpid(child, &status, 0); });
  return ended == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

bool Refused(const PluginIdentity& identity, const char* why) {
  const absl::Status status = identity.CheckAlive();
  const std::string text(status.message());
  return StatusName(status) == "plugin-after-fork" && text.find(why) != std::string::npos &&
         text.find("multiprocessing.set_start_method(\"spawn\")") != std::string::npos;
}

TEST(PluginIdentity, StaysBehindUnlessItSurvivesForks) {
  PluginIdentity stays;
  stays.origin = "plugin acme 1.2";
  EXPECT_TRUE(stays.CheckAlive().ok());
  EXPECT_TRUE(InChild([&] { return Refused(stays, "stayed behind"); }));
  EXPECT_TRUE(stays.CheckAlive().ok()) << "in the parent nothing changed";

  PluginIdentity survives;
  survives.survives_forks = true;
  EXPECT_TRUE(InChild([&] {
    // Also if the child itself is using it at the next check, and in a child of the child.
    if (!survives.CheckAlive().ok()) return false;
    const PluginCall call(survives);
    return survives.CheckAlive().ok();
  }));
  EXPECT_TRUE(InChild([&] {
    return survives.CheckAlive().ok() && InChild([&] { return survives.CheckAlive().ok(); });
  }));
}

// The thread that works in the plugin does not exist in the child, so locks that it holds stay
// locked.
TEST(PluginIdentity, AtWorkDuringTheForkIsRefused) {
  PluginIdentity identity;
  identity.survives_forks = true;
  {
    const PluginCall call(identity);
    EXPECT_TRUE(InChild([&] { return Refused(identity, "at work on another thread"); }));
    EXPECT_TRUE(identity.CheckAlive().ok());
  }
  EXPECT_TRUE(InChild([&] { return identity.CheckAlive().ok(); }));
}

TEST(PluginIdentity, ShutDownIsShutDown) {
  PluginIdentity identity;
  identity.survives_forks = true;
  identity.shut_down = true;
  EXPECT_EQ(StatusName(identity.CheckAlive()), "plugin-shut-down");
  EXPECT_TRUE(InChild([&] { return StatusName(identity.CheckAlive()) == "plugin-shut-down"; }));
}

}  // namespace
}  // namespace lathe::runtime
