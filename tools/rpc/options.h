// The command lines of the programs in this folder.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "runtime/rpc/secret.h"

namespace lathe::rpc_tools {

// "HOST:PORT"; false if it is none.
bool ParseAddress(const std::string& text, std::string* host, int* port);

// The words of a launcher (`qemu-aarch64 -L /sysroot`), which blanks separate.
std::vector<std::string> Words(std::string_view text);

// The exit status that says whose turn it is to mend `problem`, as `lathe help` lists them: 2 the
// command line must change, 3 a file, a port or this machine does not do, 70 a bug of ours.
int ExitStatusOf(const absl::Status& problem);

// The options of a command line, one after the other: "--name value" or "--name=value".
class Options {
 public:
  // `help` has PROGRAM where the program's name is to stand.
  Options(int argc, char** argv, std::string program, const char* help);

  // Moves to the next option; false at the end. Prints the help and exits for --help.
  bool Next();
  // Is the option `name`, which takes no value?
  bool Is(std::string_view name) const { return option_ == name; }
  // Is it `name`? Then takes its value.
  bool Take(std::string_view name, std::string* value);
  bool Take(std::string_view name, double most, double* value);
  bool Take(std::string_view name, int most, int* value);
  // A number of bytes: "2G", "500M", "64K", "1000".
  bool TakeBytes(std::string_view name, uint64_t* value);
  // "HOST:PORT".
  bool TakeAddress(std::string_view name, std::string* host, int* port);

  // A line on standard error, behind the program's name.
  void Say(const std::string& problem) const;
  // A line if a program listens on another port than the one that was asked for (0: any).
  void SayOtherPort(int asked, int port) const;
  // Says what is wrong, and exits with status 2.
  [[noreturn]] void Wrong(const std::string& problem) const;
  // Says what has failed, and exits with its status.
  [[noreturn]] void Failed(const absl::Status& problem) const;
  [[noreturn]] void WrongOption() const { Wrong("unknown option `" + option_ + "`"); }
  // The secret of the file, else that of the environment, if there is one. Exits if a file that is
  // named holds none.
  std::optional<runtime::rpc::Secret> SecretOf(const std::string& file) const;

 private:
  std::string Named(std::string_view text) const;

  int argc_;
  char** argv_;
  std::string program_;
  const char* help_;
  int at_ = 0;
  std::string option_;
};

// Makes a secret for --keygen, and exits.
[[noreturn]] void MakeSecret(const Options& options, const std::string& file);
void PrintLine(std::string_view line);
// As long as it lives, `stop` is called on Ctrl-C and SIGTERM, from the signal's handler;
// afterwards they do nothing. One at a time.
class StopSignals {
 public:
  explicit StopSignals(std::function<void()> stop);
  ~StopSignals();
};
// Lets this process have as many connections as it may, and returns how many descriptors it could
// have before, for its children. Call it before there are any.
uint64_t AllowManyDescriptors();
// Prints `line`, and serves until one of those signals comes. `Server` has Stop, for any thread and
// handler, and Wait.
template <class Server>
int ServeUntilStopped(Server& server, std::string_view line) {
  const StopSignals signals([&server] { server.Stop(); });
  PrintLine(line);
  server.Wait();
  return 0;
}
// Where a program writes what happens. With a file: lines with their time (UTC) at its end. It is
// opened for each line, so it can be renamed at any time (logrotate needs no signal); a line that
// cannot be written goes to standard error. Else standard output, or nothing if `quiet`. Exits if
// the file cannot be written.
std::function<void(std::string_view line)> LogTo(const Options& options, const std::string& file,
                                                 bool quiet);

}  // namespace lathe::rpc_tools
