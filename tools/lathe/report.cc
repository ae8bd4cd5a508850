#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "runtime/status.h"
#include "tools/lathe/command.h"
#include "tools/lathe/printable.h"
#include "tools/rpc/labels.h"

namespace lathe::cli {
namespace {

// Makes the first line bold red up to its first colon, and labels ("  expected:") bold.
std::string Colored(const std::string& text) {
  std::string out;
  size_t begin = 0;
  bool first = true;
  while (begin <= text.size()) {
    size_t end = text.find('\n', begin);
    if (end == std::string::npos) end = text.size();
    const std::string line = text.substr(begin, end - begin);
    const size_t colon = line.find(": ");
    const bool label = std::ranges::any_of(rpc_tools::kLabels, [&](std::string_view one) {
      return line.starts_with("  ") && line.compare(2, one.size(), one) == 0;
    });
    if ((first || label) && colon != std::string::npos) {
      out += (first ? "\033[1;31m" : "\033[1m") + line.substr(0, colon + 1) + "\033[0m" +
             line.substr(colon + 1);
    } else {
      out += line;
    }
    out += '\n';
    first = false;
    begin = end + 1;
  }
  return out;
}

void Print(const std::string& raw) {
  std::fflush(stdout);
  const std::string text = Printable(rpc_tools::IndentLabels(raw));
  const std::string shown = ColorsOn(STDERR_FILENO) ? Colored(text) : text + "\n";
  std::fwrite(shown.data(), 1, shown.size(), stderr);
}

}  // namespace

bool TakesEscapes(int descriptor) {
  const char* const terminal = std::getenv("TERM");
  return isatty(descriptor) != 0 && (terminal == nullptr || std::string_view(terminal) != "dumb");
}

bool ColorsOn(int descriptor) {
  return TakesEscapes(descriptor) && std::getenv("NO_COLOR") == nullptr;
}

ExitCode ExitOf(const absl::Status& status) {
  switch (status.code()) {
    case absl::StatusCode::kOk:
      return kOk;
    case absl::StatusCode::kInvalidArgument:
    case absl::StatusCode::kOutOfRange:
      return kUserError;
    case absl::StatusCode::kInternal:
      return kInternalBug;
    default:
      return kEnvironment;
  }
}

absl::Status AsEnvironment(const absl::Status& status) {
  if (ExitOf(status) != kUserError) return status;
  return absl::Status(absl::StatusCode::kFailedPrecondition, status.message());
}

void Report(const Error& error) { Print(error.what()); }

void Report(const absl::Status& status) {
  const std::string name(runtime::StatusName(status));
  Print("error[" + (name.empty() ? "unnamed" : name) +
        "]: " + std::string(runtime::StatusText(status)));
}

}  // namespace lathe::cli
