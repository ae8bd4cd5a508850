#include "tools/rpc/options.h"

#include <signal.h>
#include <sys/resource.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <utility>

#include "runtime/rpc/log_file.h"
#include "runtime/status.h"
#include "tools/rpc/labels.h"

namespace lathe::rpc_tools {
namespace {

std::atomic<std::function<void()>*> stop_program{nullptr};
std::atomic<int> handlers{0};  // that run now, on any thread

void OnSignal(int) {
  ++handlers;
  if (auto* const stop = stop_program.load()) (*stop)();
  --handlers;
}

}  // namespace

Options::Options(int argc, char** argv, std::string program, const char* help)
    : argc_(argc), argv_(argv), program_(std::move(program)), help_(help) {}

bool Options::Next() {
  if (++at_ >= argc_) return false;
  option_ = argv_[at_];
  if (option_ == "--help" || option_ == "-h") {
    std::fputs(Named(help_).c_str(), stdout);
    std::exit(0);
  }
  return true;
}

bool Options::Take(std::string_view name, std::string* value) {
  if (option_.size() > name.size() && option_.rfind(name, 0) == 0 && option_[name.size()] == '=') {
    *value = option_.substr(name.size() + 1);
    return true;
  }
  if (option_ != name) return false;
  if (++at_ >= argc_) Wrong(option_ + " needs a value");
  *value = argv_[at_];
  return true;
}

bool Options::Take(std::string_view name, double most, double* value) {
  std::string text;
  if (!Take(name, &text)) return false;
  char* end = nullptr;
  *value = std::strtod(text.c_str(), &end);
  if (text.empty() || *end != '\0' || !(*value >= 0) || *value > most)
    Wrong(std::string(name) + ": expected a number from 0 to " +
          std::to_string(static_cast<int64_t>(most)) + ", found `" + text + "`");
  return true;
}

bool Options::Take(std::string_view name, int most, int* value) {
  double number = 0;
  if (!Take(name, static_cast<double>(most), &number)) return false;
  *value = static_cast<int>(number);
  return true;
}

bool Options::TakeBytes(std::string_view name, uint64_t* value) {
  std::string text;
  if (!Take(name, &text)) return false;
  constexpr std::string_view kUnits = "KMGT";
  char* end = nullptr;
  const double number = std::strtod(text.c_str(), &end);
  const size_t unit = *end == '\0' ? std::string_view::npos : kUnits.find(*end);
  const bool plain = *end == '\0' || (unit != std::string_view::npos && end[1] == '\0');
  const double bytes =
      number *
      (unit == std::string_view::npos ? 1.0 : static_cast<double>(uint64_t{1024} << (10 * unit)));
  if (end == text.c_str() || !plain || !(bytes >= 1 || bytes == 0) || bytes > 1e18)
    Wrong(std::string(name) + ": expected a number of bytes such as 500M or 2G, found `" + text +
          "`");
  *value = static_cast<uint64_t>(bytes);
  return true;
}

bool ParseAddress(const std::string& text, std::string* host, int* port) {
  const size_t colon = text.rfind(':');
  if (colon == std::string::npos || colon == 0) return false;
  char* end = nullptr;
  const int64_t number = std::strtol(text.c_str() + colon + 1, &end, 10);
  if (number < 1 || number > 65535 || *end != '\0') return false;
  *host = text.substr(0, colon);
  *port = static_cast<int>(number);
  return true;
}

int ExitStatusOf(const absl::Status& problem) {
  // Its code says that the state is wrong; what mends it is an option.
  if (runtime::StatusName(problem) == "rpc-insecure") return 2;
  switch (problem.code()) {
    case absl::StatusCode::kInvalidArgument:
    case absl::StatusCode::kOutOfRange:
      return 2;
    case absl::StatusCode::kInternal:
      return 70;
    default:
      return 3;
  }
}

bool Options::TakeAddress(std::string_view name, std::string* host, int* port) {
  std::string text;
  if (!Take(name, &text)) return false;
  if (!ParseAddress(text, host, port))
    Wrong(std::string(name) + ": expected HOST:PORT, found `" + text + "`");
  return true;
}

std::string Options::Named(std::string_view text) const {
  constexpr std::string_view kProgram = "PROGRAM";
  // Not in "--worker PROGRAM", which is behind two spaces at the beginning of its line.
  std::string out(text);
  for (size_t at = 0; (at = out.find(kProgram, at)) != std::string::npos;) {
    const size_t line = out.rfind('\n', at) + 1;
    if (out.compare(line, 4, "  --") == 0) {
      at += kProgram.size();
      continue;
    }
    out.replace(at, kProgram.size(), program_);
    at += program_.size();
  }
  return out;
}

void Options::Say(const std::string& problem) const {
  std::fprintf(stderr, "%s: %s\n", program_.c_str(), IndentLabels(problem).c_str());
}

void Options::SayOtherPort(int asked, int port) const {
  if (asked == 0 || asked == port) return;
  Say("port " + std::to_string(asked) + " is taken; this is " + std::to_string(port) +
      " (with --port-end " + std::to_string(asked + 1) + " it would be an error)");
}

void Options::Wrong(const std::string& problem) const {
  Say(problem + "\nhelp: " + program_ + " --help");
  std::exit(2);
}

void Options::Failed(const absl::Status& problem) const {
  Say(std::string(problem.message()));
  std::exit(ExitStatusOf(problem));
}

std::optional<runtime::rpc::Secret> Options::SecretOf(const std::string& file) const {
  if (!file.empty()) {
    const absl::StatusOr<runtime::rpc::Secret> secret = runtime::rpc::ReadSecret(file);
    if (!secret.ok()) Failed(secret.status());
    return *secret;
  }
  const auto secret = runtime::rpc::SecretOfEnvironment();
  if (!secret.ok()) Failed(secret.status());
  return *secret;
}

void MakeSecret(const Options& options, const std::string& file) {
  if (file.empty() || file[0] == '-')
    options.Wrong("--keygen: expected the name of a new file, found `" + file + "`");
  const absl::Status made = runtime::rpc::WriteNewSecret(file);
  if (!made.ok()) options.Failed(made);
  std::exit(0);
}

StopSignals::StopSignals(std::function<void()> stop) {
  stop_program = new std::function<void()>(std::move(stop));
  struct sigaction action{};
  action.sa_handler = OnSignal;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  signal(SIGPIPE, SIG_IGN);
}

StopSignals::~StopSignals() {
  signal(SIGINT, SIG_IGN);
  signal(SIGTERM, SIG_IGN);
  // A handler of another thread may still be on its way, and what it calls does not live on.
  std::function<void()>* const stop = stop_program.exchange(nullptr);
  while (handlers != 0) std::this_thread::yield();
  delete stop;
}

uint64_t AllowManyDescriptors() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return 0;
  const rlim_t before = limit.rlim_cur;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
  return before;
}

void PrintLine(std::string_view line) {
  std::printf("%.*s\n", static_cast<int>(line.size()), line.data());
  std::fflush(stdout);
}

std::function<void(std::string_view line)> LogTo(const Options& options, const std::string& file,
                                                 bool quiet) {
  if (file.empty() && quiet) return nullptr;
  if (file.empty()) return PrintLine;
  absl::StatusOr<runtime::rpc::LogWriter> log = runtime::rpc::LogToFile(file);
  if (!log.ok()) options.Failed(log.status());
  return *std::move(log);
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

}  // namespace lathe::rpc_tools
