// `lathe remote`: offers devices over the network, lends them, connects them, and lists them.
#include <unistd.h>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "runtime/graph/plan_module.h"
#include "runtime/init.h"
#include "runtime/json.h"
#include "runtime/rpc/chain.h"
#include "runtime/rpc/secret.h"
#include "runtime/rpc/tracker_client.h"
#include "runtime/rpc/worker.h"
#include "runtime/status.h"
#include "tools/lathe/command.h"
#include "tools/lathe/remote.h"
#include "tools/rpc/options.h"
#include "tools/rpc/programs.h"

namespace lathe::cli {
namespace {

using runtime::Json;

constexpr char kListHelp[] =
    R"(PROGRAM: what a tracker lends, and who waits

usage: PROGRAM [options]

  --tracker HOST:PORT   the tracker (127.0.0.1:9190)
  --secret-file FILE    if the tracker has a secret; also by the environment,
                        LATHE_REMOTE_SECRET_FILE
  --json                for programs

example: PROGRAM --tracker 10.0.0.7:9190 --secret-file ~/.lathe-secret
)";

std::string TextOf(const Json& item, const char* name) {
  const Json* const member = item.Find(name);
  return member == nullptr ? "" : member->string();
}
int64_t NumberOf(const Json& item, const char* name) {
  const Json* const member = item.Find(name);
  return member == nullptr ? 0 : member->int_value();
}

void PrintSummary(const Json& summary) {
  static const Json kNone = Json::Array();
  const auto list = [&](const char* name) -> const Json& {
    const Json* const found = summary.Find(name);
    return found == nullptr ? kNone : *found;
  };
  if (list("devices").items().empty() && list("waiting").items().empty()) {
    std::printf("no devices, and nobody waits\n");
    return;
  }
  std::printf("%-20s %-28s %s\n", "key", "server", "state");
  for (const Json& device : list("devices").items()) {
    const int64_t lease = NumberOf(device, "lease");
    const std::string where =
        TextOf(device, "host") + ":" + std::to_string(NumberOf(device, "port"));
    std::printf("%-20s %-28s %s\n", TextOf(device, "key").c_str(), where.c_str(),
                lease == 0 ? "free" : ("lent (" + std::to_string(lease) + ")").c_str());
  }
  std::map<std::string, int> waiting;
  for (const Json& request : list("waiting").items()) ++waiting[TextOf(request, "key")];
  for (const auto& [key, count] : waiting) std::printf("%-20s %d waiting\n", key.c_str(), count);
}

absl::Status List(int argc, char** argv) {
  rpc_tools::Options options(argc, argv, "lathe remote ls", kListHelp);
  runtime::rpc::TrackerAddress tracker;
  std::string secret_file;
  bool json = false;
  while (options.Next()) {
    if (options.Is("--json")) {
      json = true;
    } else if (!options.TakeAddress("--tracker", &tracker.host, &tracker.port) &&
               !options.Take("--secret-file", &secret_file)) {
      options.WrongOption();
    }
  }
  tracker.secret = options.SecretOf(secret_file);
  LATHE_ASSIGN_OR_RETURN(const std::string text, runtime::rpc::SummaryOf(tracker));
  if (json) {
    std::printf("%s\n", text.c_str());
    return absl::OkStatus();
  }
  LATHE_ASSIGN_OR_RETURN(const Json summary, Json::Parse(text));
  PrintSummary(summary);
  return absl::OkStatus();
}

// This program is its own worker: `lathe remote worker`, which people do not call.
std::vector<std::string> OwnWorker() {
  char path[PATH_MAX];
  const ssize_t size = readlink("/proc/self/exe", path, sizeof(path));
  return {std::string(path, size > 0 ? static_cast<size_t>(size) : 0), "remote", "worker"};
}

[[noreturn]] void Work() {
  runtime::Initialize();
  runtime::ThrowIfError(runtime::graph::RegisterGraph());
  const absl::Status end =
      runtime::rpc::RunWorker(runtime::rpc::kWorkerDescriptor, runtime::rpc::ConstructSession);
  // Not exit: code that was loaded may have threads that run, and destructors that wait.
  std::fflush(nullptr);
  _exit(end.ok() ? 0 : 1);
}

absl::Status Keygen(const std::vector<std::string>& words) {
  if (words.size() != 2)
    throw UsageError(Diagnostic{.name = "cli-argument-count",
                                .message = "`lathe remote keygen` makes one file",
                                .expected = "`lathe remote keygen FILE`",
                                .found = std::to_string(words.size() - 1) + " arguments",
                                .help = "copy the file to servers and clients afterwards"});
  LATHE_RETURN_IF_ERROR(runtime::rpc::WriteNewSecret(words[1]));
  std::printf("%s holds a new secret: copy it to servers and clients\n", words[1].c_str());
  return absl::OkStatus();
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
  if (part == "ls") return List(argc, argv.data());
  if (part == "keygen") return Keygen(words);
  throw UsageError(Diagnostic{.name = "cli-unknown-command",
                              .message = part.empty() ? "`lathe remote` needs to know what to do"
                                                      : "there is no `lathe remote " + part + "`",
                              .expected = "serve, tracker, proxy, ls, run, shell or keygen",
                              .found = part.empty() ? "nothing" : "`" + part + "`",
                              .help = "`lathe help remote` says what each does"});
}

}  // namespace

const Command kRemote = {
    .name = "remote",
    .arguments = "serve|tracker|proxy|ls|run|shell|keygen ...",
    .what = "offer this machine's devices, lend devices, run code on others'",
    .details =
        "  serve     offers this machine's devices to sessions\n"
        "  tracker   lends devices of servers to clients, by key\n"
        "  proxy     connects clients with devices that dial out\n"
        "  ls        what a tracker lends, and who waits\n"
        "  run       calls a compiled function or model on another machine\n"
        "  shell     a session by hand: files, calls, devices\n"
        "  keygen    makes a secret that servers and clients share\n"
        "Each has a --help of its own. They run until Ctrl-C.\n",
    .example =
        "  lathe remote serve --port 9090\n"
        "  lathe remote serve --tracker 10.0.0.7:9190 --key rk3399 --host 0.0.0.0 "
        "--secret-file s\n"
        "  lathe remote ls --tracker 10.0.0.7:9190 --secret-file s\n",
    .options = {},
    .fewest = 0,
    .most = 0,
    .run = nullptr,
    .run_words = Run,
};

}  // namespace lathe::cli
