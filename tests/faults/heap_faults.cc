#include "tests/faults/heap_faults.h"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <utility>
#include <vector>

#include "driver/default_plugins.h"
#include "runtime/thread_pool.h"
#include "tests/faults/runner.h"

namespace lathe::faults {
namespace {

struct Arguments {
  std::string only;
  double seconds = 0, parts = 1;
  uint64_t at = 0;
};

bool Read(int argc, char** argv, Arguments* out) {
  for (int i = 1; i < argc; ++i) {
    const std::string_view arg = argv[i];
    const size_t equals = arg.find('=');
    if (equals == std::string_view::npos) return false;
    const std::string_view option = arg.substr(0, equals);
    const char* const value = argv[i] + equals + 1;
    if (option == "--seconds") {
      out->seconds = std::atof(value);
    } else if (option == "--parts") {
      out->parts = std::atof(value);
    } else if (option == "--only") {
      out->only = value;
    } else if (option == "--at") {
      out->at = std::strtoull(value, nullptr, 10);
    } else {
      return false;
    }
  }
  return true;
}

int Try(const Arguments& arguments, const MakePrograms& make) {
  const char* const tmp = std::getenv("TEST_TMPDIR");
  std::string folder = std::string(tmp != nullptr ? tmp : "/tmp") + "/lathe-faults-XXXXXX";
  if (mkdtemp(folder.data()) == nullptr) std::abort();
  driver::UseDefaultPlugins();
  runtime::SetNumThreads(1);
  std::vector<Program> programs;
  for (Program& program : make(folder)) {
    if (program.name.find(arguments.only) != std::string::npos)
      programs.push_back(std::move(program));
  }
  bool well = !programs.empty();
  if (well && arguments.at != 0)
    FailOneHere(programs[0], arguments.at);
  else if (well)
    well =
        FailAllocations(programs, TimeToFail::FromEnvironment(arguments.seconds, arguments.parts));
  std::filesystem::remove_all(folder);
  return well ? 0 : 1;
}

}  // namespace

int Main(int argc, char** argv, const MakePrograms& make) {
  Arguments arguments;
  if (Read(argc, argv, &arguments)) return Try(arguments, make);
  std::printf("usage: %s [--seconds=N] [--parts=N] [--only=PART OF A NAME] [--at=NUMBER]\n",
              argv[0]);
  return 2;
}

}  // namespace lathe::faults
