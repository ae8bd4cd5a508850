// lathe-rpc-server: offers this machine's devices to sessions over the network.
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/rpc/secret.h"
#include "runtime/rpc/server.h"
#include "runtime/status.h"

namespace lathe::runtime::rpc {
namespace {

constexpr char kHelp[] =
    R"(lathe-rpc-server: offers this machine's devices to sessions over the network

usage: lathe-rpc-server [options]

  --host ADDRESS          address to listen on (127.0.0.1: this machine only)
  --port PORT             first port to try (9090); 0: any, the chosen one is printed
  --port-end PORT         tries ports up to this one, exclusive (PORT + 100)
  --key KEY               the kind of this device, for clients that ask for one
  --secret-file FILE      clients must have the same secret (`lathe-rpc-server --keygen FILE` makes one);
                          also by the environment, LATHE_REMOTE_SECRET_FILE
  --keygen FILE           makes a secret in a new file, and ends
  --insecure              takes anybody without a secret, on a network that you trust wholly
  --session-timeout SEC   the longest that a session may last (0: no limit)
  --max-sessions N        sessions at once (1); others wait
  --worker PROGRAM        the worker's program (lathe-rpc-worker beside this one)
  --launcher COMMAND      how workers are started: "qemu-aarch64 -L /sysroot"
  --quiet                 prints errors only

examples: lathe-rpc-server --port 9090
          lathe-rpc-server --host 0.0.0.0 --secret-file ~/.lathe-secret --key rk3399
)";

Server* running = nullptr;
void OnSignal(int) { running->Stop(); }

[[noreturn]] void Usage(const std::string& problem) {
  std::fprintf(stderr, "lathe-rpc-server: %s\nhelp: lathe-rpc-server --help\n", problem.c_str());
  std::exit(2);
}

double Number(const std::string& option, const std::string& text, double most) {
  char* end = nullptr;
  const double number = std::strtod(text.c_str(), &end);
  if (text.empty() || *end != '\0' || !(number >= 0) || number > most)
    Usage(option + ": expected a number from 0 to " + std::to_string(static_cast<int64_t>(most)) +
          ", found `" + text + "`");
  return number;
}

std::string BesideThisProgram(const char* name) {
  char path[PATH_MAX];
  const ssize_t size = readlink("/proc/self/exe", path, sizeof(path));
  std::string own(path, size > 0 ? static_cast<size_t>(size) : 0);
  return own.substr(0, own.rfind('/') + 1) + name;
}

std::vector<std::string> Words(std::string_view text) {
  std::vector<std::string> words;
  while (!text.empty()) {
    const size_t end = std::min(text.find(' '), text.size());
    if (end > 0) words.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return words;
}

int Run(int argc, char** argv) {
  ServerOptions options;
  options.port = 9090;
  options.port_end = -1;
  std::string secret_file, worker = BesideThisProgram("lathe-rpc-worker"), launcher;
  bool quiet = false;
  for (int i = 1; i < argc; ++i) {
    std::string option = argv[i];
    std::string value;
    const auto take = [&](const char* name) {
      const std::string prefix = std::string(name) + "=";
      if (option.rfind(prefix, 0) == 0) {
        value = option.substr(prefix.size());
        return true;
      }
      if (option != name) return false;
      if (++i == argc) Usage(option + " needs a value");
      value = argv[i];
      return true;
    };
    if (option == "--help" || option == "-h") {
      std::fputs(kHelp, stdout);
      return 0;
    }
    if (option == "--insecure") {
      options.supervisor.insecure = true;
    } else if (option == "--quiet" || option == "--silent") {
      quiet = true;
    } else if (take("--host")) {
      options.host = value;
    } else if (take("--port")) {
      options.port = static_cast<int>(Number(option, value, 65535));
    } else if (take("--port-end")) {
      options.port_end = static_cast<int>(Number(option, value, 65536));
    } else if (take("--key")) {
      options.supervisor.key = value;
    } else if (take("--secret-file")) {
      secret_file = value;
    } else if (take("--keygen")) {
      const absl::Status made = WriteNewSecret(value);
      if (!made.ok()) Usage(std::string(made.message()));
      return 0;
    } else if (take("--session-timeout")) {
      options.supervisor.session_timeout = Number(option, value, 1e9);
    } else if (take("--max-sessions")) {
      options.supervisor.max_sessions = static_cast<size_t>(Number(option, value, 1000));
      if (options.supervisor.max_sessions == 0) Usage("--max-sessions: at least one is needed");
    } else if (take("--worker")) {
      worker = value;
    } else if (take("--launcher")) {
      launcher = value;
    } else {
      Usage("unknown option `" + option + "`");
    }
  }
  if (options.port_end < 0) options.port_end = options.port == 0 ? 0 : options.port + 100;
  if (!secret_file.empty()) {
    absl::StatusOr<Secret> secret = ReadSecret(secret_file);
    if (!secret.ok()) Usage(std::string(secret.status().message()));
    options.supervisor.secret = *secret;
  } else {
    absl::StatusOr<std::optional<Secret>> secret = SecretOfEnvironment();
    if (!secret.ok()) Usage(std::string(secret.status().message()));
    options.supervisor.secret = *secret;
  }
  options.supervisor.machine = ThisMachine();
  options.worker = Words(launcher);
  options.worker.push_back(worker);
  if (access(worker.c_str(), X_OK) != 0)
    Usage("the worker's program " + worker + " cannot be run\nhelp: --worker names it");
  if (!quiet) {
    options.log = [](std::string_view line) {
      std::printf("%.*s\n", static_cast<int>(line.size()), line.data());
      std::fflush(stdout);
    };
  }
  absl::StatusOr<std::unique_ptr<Server>> server = Server::Start(options);
  if (!server.ok()) {
    std::fprintf(stderr, "lathe-rpc-server: %s\n", std::string(server.status().message()).c_str());
    return 1;
  }
  running = server->get();
  struct sigaction action{};
  action.sa_handler = OnSignal;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  signal(SIGPIPE, SIG_IGN);
  std::printf("listening on %s:%d\n", options.host.c_str(), (*server)->port());
  std::fflush(stdout);
  (*server)->Wait();
  return 0;
}

}  // namespace
}  // namespace lathe::runtime::rpc

int main(int argc, char** argv) { return lathe::runtime::rpc::Run(argc, argv); }
