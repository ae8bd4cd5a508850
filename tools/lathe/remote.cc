// `lathe remote`: offers devices over the network, lends them, connects them, and lists them.
#include <unistd.h>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "driver/default_plugins.h"
#include "runtime/graph/plan_module.h"
#include "runtime/rpc/chain.h"
#include "runtime/rpc/secret.h"
#include "runtime/rpc/worker.h"
#include "runtime/status.h"
#include "tools/lathe/command.h"
#include "tools/lathe/remote.h"
#include "tools/rpc/options.h"
#include "tools/rpc/programs.h"

namespace lathe::cli {
namespace {

[[noreturn]] void Work() {
  driver::UseDefaultPlugins();  // for devices, and what clients compile here
  runtime::ThrowIfError(runtime::graph::RegisterGraph());
  const absl::Status end =
      runtime::rpc::RunWorker(runtime::rpc::kWorkerDescriptor, runtime::rpc::ConstructSession);
  // Not exit: code that was loaded may have threads that run, and destructors that wait.
  std::fflush(nullptr);
  _exit(end.ok() ? 0 : 1);
}

absl::Status MakeSecret(const Arguments& arguments) {
  const std::string& file = arguments.positional()[0];
  LATHE_RETURN_IF_ERROR(runtime::rpc::WriteNewSecret(file));
  std::printf("%s holds a new secret: copy it to servers and clients\n", file.c_str());
  return absl::OkStatus();
}

const Command kKeygen = {
    .name = "remote keygen",
    .arguments = "FILE",
    .what = "make a secret, 32 random bytes, in a new file",
    .details =
        "Servers and clients that have the same secret trust each other: copy the file to them, "
        "where only\n"
        "its owner may read it. A file that exists is not replaced.\n",
    .example = "  lathe remote keygen ~/.lathe-secret\n",
    .options = {},
    .fewest = 1,
    .most = 1,
    .run = MakeSecret,
};

absl::Status Keygen(std::span<const std::string> words) {
  // What begins like an option is meant as one, also `-` and `-1`, which would be names of files.
  const bool is_file =
      words.size() == 1 &&
      (words[0] == "-" || (words[0].size() > 1 && words[0][0] == '-' &&
                           std::isdigit(static_cast<unsigned char>(words[0][1])) != 0));
  if (is_file)
    throw UsageError(Diagnostic{.name = "cli-unknown-option",
                                .message = "`lathe remote keygen` has no option `" + words[0] + "`",
                                .expected = "`lathe remote keygen FILE`",
                                .found = "`" + words[0] + "`",
                                .help = "a file of that name is `./" + words[0] + "`"});
  return RunWords(kKeygen, words);
}

absl::Status Run(const std::vector<std::string>& words) {
  const std::string part = words.empty() ? "" : words[0];
  std::vector<char*> argv;
  for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  const int argc = static_cast<int>(argv.size());
  argv.push_back(nullptr);
  // These run until a signal, and say themselves what is wrong.
  if (part == "serve")
    std::exit(rpc_tools::ServerProgram(argc, argv.data(), "lathe remote serve", OwnWorker()));
  if (part == "tracker")
    std::exit(rpc_tools::TrackerProgram(argc, argv.data(), "lathe remote tracker"));
  if (part == "proxy") std::exit(rpc_tools::ProxyProgram(argc, argv.data(), "lathe remote proxy"));
  if (part == "worker") Work();
  if (part == "run") return RunWords(kRemoteRun, std::span(words).subspan(1));
  if (part == "shell") return RunWords(kRemoteShell, std::span(words).subspan(1));
  if (part == "ls") return ListRemote(argc, argv.data());
  if (part == "keygen") return Keygen(std::span(words).subspan(1));
  throw UsageError(Diagnostic{.name = "cli-unknown-command",
                              .message = part.empty() ? "`lathe remote` needs to know what to do"
                                                      : "there is no `lathe remote " + part + "`",
                              .expected = "serve, tracker, proxy, ls, run, shell or keygen",
                              .found = part.empty() ? "nothing" : "`" + part + "`",
                              .help = "`lathe help remote` says what each does"});
}

}  // namespace

std::vector<std::string> OwnWorker() {
  char path[PATH_MAX];
  const ssize_t size = readlink("/proc/self/exe", path, sizeof(path));
  return {std::string(path, size > 0 ? static_cast<size_t>(size) : 0), "remote", "worker"};
}

const Command kRemote = {
    .name = "remote",
    .arguments = "serve|tracker|proxy|ls|run|shell|keygen ...",
    .what = "offer this machine's devices, lend devices, run code on others'",
    .details =
        "  serve     offers this machine's devices to sessions\n"
        "  tracker   lends devices of servers to clients, by key\n"
        "  proxy     connects clients with devices that dial out\n"
        "  ls        how a server, a proxy or a tracker is, and who waits\n"
        "  run       calls a compiled function or model on another machine\n"
        "  shell     a session by hand: files, calls, devices\n"
        "  keygen    makes a secret that servers and clients share\n"
        "Each has a --help of its own. They run until Ctrl-C.\n",
    .example =
        "  lathe remote serve --port 9090\n"
        "  lathe remote serve --tracker 10.0.0.7:9190 --key rk3399 --host 0.0.0.0 "
        "--secret-file s\n"
        "  lathe remote ls --tracker 10.0.0.7:9190 --secret-file s\n"
        "  lathe remote ls --host board:9090 --json\n",
    .options = {},
    .fewest = 0,
    .most = 0,
    .run = nullptr,
    .run_words = Run,
};

}  // namespace lathe::cli
