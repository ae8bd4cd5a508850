#include "runtime/rpc/log_file.h"

#include <fcntl.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <ctime>

#include "base/file.h"
#include "runtime/status.h"

namespace lathe::runtime::rpc {
namespace {

// "" or what went wrong.
std::string Append(const std::string& path, std::string_view text) {
  const FileHandle log(Uninterrupted(
      [&] { return open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0640); }));
  if (!log.is_open()) return std::strerror(errno);
  return WriteAll(log.get(), text).text;
}

}  // namespace

absl::StatusOr<LogWriter> LogToFile(const std::string& path) {
  if (const std::string problem = Append(path, ""); !problem.empty())
    return MakeStatus(
        absl::StatusCode::kUnavailable, "rpc-log-file",
        {"cannot write the log\nexpected: a file that this user may write to\nfound: ", path, ": ",
         problem, "\nhelp: name another file, or make its folder"});
  return [path](std::string_view line) {
    char when[32];
    const time_t now = std::time(nullptr);
    tm parts{};
    std::strftime(when, sizeof(when), "%Y-%m-%dT%H:%M:%SZ ", gmtime_r(&now, &parts));
    const std::string text = when + std::string(line) + "\n";
    if (!Append(path, text).empty()) std::fputs(text.c_str(), stderr);
  };
}

}  // namespace lathe::runtime::rpc
