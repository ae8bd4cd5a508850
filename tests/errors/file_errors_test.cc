// Files that cannot be written, and wrong uses of the runtime's C interface and of a vendor's
// module class.
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <utility>

#include "driver/compile.h"
#include "gtest/gtest.h"
#include "plugins/sdk/module.h"
#include "runtime/status.h"

namespace lathe {
namespace {

TEST(ExportErrors, SuffixesAndFolders) {
  const std::string folder = std::getenv("TEST_TMPDIR");
  EXPECT_EQ(runtime::StatusName(driver::ExportObject("bytes", folder + "/x.zip")), "export-suffix");
  EXPECT_EQ(runtime::StatusName(driver::ExportObject("bytes", ".o")), "export-suffix");
  EXPECT_EQ(runtime::StatusName(driver::ExportObject("bytes", folder + "/nowhere/x.o")),
            "export-write");
  EXPECT_TRUE(driver::ExportObject("bytes", folder + "/x.o").ok());
}

// A limit on the file size stands in for a disk with room for 1000 bytes.
TEST(ExportErrors, AFullDiskIsSaidAndLeavesTheOldFile) {
  namespace fs = std::filesystem;
  const std::string folder = std::string(std::getenv("TEST_TMPDIR")) + "/full";
  fs::create_directory(folder);
  for (const char* suffix : {"/x.o", "/x.tar"}) {
    const std::string path = folder + suffix;
    ASSERT_TRUE(driver::ExportObject("old", path).ok());
    const auto size = fs::file_size(path);
    const pid_t child = fork();
    if (child == 0) {
      signal(SIGXFSZ, SIG_IGN);
      const rlimit limit{1000, 1000};
      setrlimit(RLIMIT_FSIZE, &limit);
      const absl::Status status = driver::ExportObject(std::string(5000, 'x'), path);
      const bool why = status.message().find("File too large") != std::string_view::npos;
      _exit(runtime::StatusName(status) == "export-write" && why ? 0 : 1);
    }
    int state = -1;
    waitpid(child, &state, 0);
    EXPECT_EQ(state, 0) << suffix;
    EXPECT_EQ(fs::file_size(path), size);
  }
  EXPECT_EQ(std::distance(fs::directory_iterator(folder), {}), 2) << "no unfinished file";
}

// A process with root's rights could replace them by a file.
TEST(ExportErrors, NoDeviceAndNoFifoIsReplaced) {
  const std::string folder = std::getenv("TEST_TMPDIR");
  const std::string device = folder + "/device.o", fifo = folder + "/fifo.o";
  std::filesystem::create_symlink("/dev/full", device);
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  alarm(20);
  for (const auto& [path, kind] : {std::pair(device, "it is a device"), {fifo, "it is a FIFO"}}) {
    const absl::Status status = driver::ExportObject("bytes", path);
    EXPECT_EQ(runtime::StatusName(status), "export-write");
    EXPECT_NE(status.message().find(kind), std::string_view::npos) << status;
  }
  alarm(0);
  EXPECT_TRUE(std::filesystem::is_symlink(device) && std::filesystem::is_fifo(fifo));
}

TEST(VendorErrors, ModulesThatCannotBeSavedSaySo) {
  struct Plain : sdk::ModuleNode {
    sdk::Function GetFunction(std::string_view) override { return {}; }
  } module;
  try {
    module.Save();
    FAIL() << "saved";
  } catch (const sdk::Error& error) {
    EXPECT_NE(std::string(error.what()).find("cannot be saved"), std::string::npos);
    EXPECT_EQ(error.name(), "module-not-saved");
  }
}

}  // namespace
}  // namespace lathe
