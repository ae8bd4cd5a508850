// `lathe remote shell`: one session by hand. Its files and the devices of the other machine stay as
// long as the shell does.
#include <unistd.h>

#include <cstdio>
#include <iostream>
#include <string>
#include <vector>

#include "runtime/device.h"
#include "runtime/status.h"
#include "tools/lathe/files.h"
#include "tools/lathe/remote.h"
#include "tools/lathe/remote_call.h"

namespace lathe::cli {
namespace {

using runtime::rpc::RemoteSession;
using Words = std::vector<std::string>;

constexpr Option kOptions[] = {
    kHostOption,
    kTrackerOption,
    kKeyOption,
    kSecretFileOption,
    {"--command", "LINE", "do this line instead of those of standard input; may be given often",
     'c'},
};

std::string LastPart(const std::string& path) { return path.substr(path.rfind('/') + 1); }

absl::Status Put(const Ref<RemoteSession>& session, const Words& words) {
  LATHE_ASSIGN_OR_RETURN(const std::string bytes, ReadInput(words[1], kMostArtifactBytes));
  const std::string name = words.size() > 2 ? words[2] : LastPart(words[1]);
  LATHE_RETURN_IF_ERROR(session->files().Upload(name, bytes));
  std::printf("%s: %zu bytes\n", name.c_str(), bytes.size());
  return absl::OkStatus();
}

absl::Status Get(const Ref<RemoteSession>& session, const Words& words) {
  LATHE_ASSIGN_OR_RETURN(const std::string bytes, session->files().Download(words[1]));
  const std::string file = words.size() > 2 ? words[2] : LastPart(words[1]);
  LATHE_RETURN_IF_ERROR(WriteOutput(file, bytes));
  if (file != "-") std::printf("%s: %zu bytes\n", file.c_str(), bytes.size());
  return absl::OkStatus();
}

absl::Status ListFiles(const Ref<RemoteSession>& session, const Words&) {
  LATHE_ASSIGN_OR_RETURN(const std::vector<std::string> names, session->files().List());
  for (const std::string& name : names) std::printf("%s\n", name.c_str());
  return absl::OkStatus();
}

absl::Status Remove(const Ref<RemoteSession>& session, const Words& words) {
  return session->files().Remove(words[1]);
}

absl::Status Devices(const Ref<RemoteSession>& session, const Words&) {
  for (const std::string& kind : runtime::DeviceKindNames()) {
    const int32_t code = runtime::DeviceKindFromName(kind);
    const absl::StatusOr<int32_t> count = session->CountDevices(code);
    // A kind that nothing provides there.
    if (!count.ok() && session->files().List().ok()) continue;
    LATHE_RETURN_IF_ERROR(count.status());
    for (int32_t i = 0; i < *count; ++i) {
      std::string name;
      const absl::StatusOr<runtime::Value> said = session->DeviceAttribute(code, i, "name");
      if (said.ok() && said->Is<std::string>()) name = said->As<std::string>();
      std::printf("%s(%d)  %s\n", kind.c_str(), i, name.c_str());
    }
  }
  return absl::OkStatus();
}

absl::Status Machine(const Ref<RemoteSession>& session, const Words&) {
  const runtime::rpc::Machine& machine = session->machine();
  std::printf("%s\nruntime %s\nfeatures %s\n", machine.target.c_str(), machine.runtime.c_str(),
              machine.features.empty() ? "unknown" : machine.features.c_str());
  return absl::OkStatus();
}

// As `lathe remote run`, in this session.
absl::Status RunHere(const Ref<RemoteSession>& session, const Words& words) {
  const Arguments arguments = ParseArguments(kRemoteRun.name, kRemoteRun.options, kRemoteRun.fewest,
                                             kRemoteRun.most, std::span(words).subspan(1));
  if (arguments.Has("--help")) return PrintHelp(kRemoteRun), absl::OkStatus();
  const std::string& path = arguments.positional()[0];
  LATHE_ASSIGN_OR_RETURN(const std::string bytes, ReadInput(path, kMostArtifactBytes));
  LATHE_ASSIGN_OR_RETURN(const RemoteModule there, LoadThere(arguments, session, path, bytes));
  return RunThere(arguments, there, std::span(arguments.positional()).subspan(1));
}

struct Part {
  const char* name;
  const char* arguments;
  const char* what;
  size_t fewest, most;  // words after the name
  absl::Status (*run)(const Ref<RemoteSession>& session, const Words& words);
};

constexpr Part kParts[] = {
    {"put", "FILE [NAME]", "uploads a file", 1, 2, Put},
    {"get", "NAME [FILE]", "downloads a file of the session", 1, 2, Get},
    {"ls", "", "the files of the session", 0, 0, ListFiles},
    {"rm", "NAME", "removes a file of the session", 1, 1, Remove},
    {"run", "ARTEFACT [FUNCTION] ARGUMENT...", "as `lathe remote run`, in this session", 1, 1 << 20,
     RunHere},
    {"devices", "", "the devices of the other machine", 0, 0, Devices},
    {"machine", "", "what the other machine is", 0, 0, Machine},
};

void PrintParts() {
  for (const Part& part : kParts)
    std::printf("  %-8s %-32s %s\n", part.name, part.arguments, part.what);
  std::printf("  %-8s %-32s %s\n", "quit", "", "ends the session; so does the end of the input");
}

absl::Status Do(const Ref<RemoteSession>& session, const Words& words) {
  if (words[0] == "help") return PrintParts(), absl::OkStatus();
  std::vector<std::string> names = {"help", "quit"};
  for (const Part& part : kParts) {
    if (words[0] != part.name) {
      names.emplace_back(part.name);
      continue;
    }
    if (words.size() - 1 >= part.fewest && words.size() - 1 <= part.most)
      return part.run(session, words);
    throw UsageError(Diagnostic{.name = "cli-argument-count",
                                .message = "`" + words[0] + "` takes other arguments",
                                .expected = std::string(part.name) + " " + part.arguments,
                                .found = std::to_string(words.size() - 1) + " arguments",
                                .help = "`help` lists what there is"});
  }
  throw UsageError(Diagnostic{.name = "cli-unknown-command",
                              .message = "the shell has no `" + words[0] + "`",
                              .expected = NearOrAll(words[0], names),
                              .found = "`" + words[0] + "`",
                              .help = "`help` lists what there is"});
}

// Words are separated by blanks; a pair of " or ' holds one together.
Words WordsOf(const std::string& line) {
  Words words;
  char quote = 0;
  bool in_word = false;
  for (const char c : line) {
    const bool blank = quote == 0 && (c == ' ' || c == '\t' || c == '\r');
    if (!blank && !in_word) words.emplace_back();
    in_word = !blank;
    if (quote == 0 && (c == '"' || c == '\'')) {
      quote = c;
    } else if (c == quote) {
      quote = 0;
    } else if (!blank) {
      words.back() += c;
    }
  }
  if (quote != 0)
    throw UsageError(Diagnostic{.name = "cli-bad-value",
                                .message = "a quotation has no end",
                                .expected = std::string("a second ") + quote,
                                .found = "`" + line + "`",
                                .help = "write it at the end of the word"});
  return words;
}

absl::Status Run(const Arguments& arguments) {
  const std::vector<std::string> given = arguments.All("--command");
  LATHE_ASSIGN_OR_RETURN(const Ref<RemoteSession> session, OpenSession(arguments));
  const bool person = given.empty() && isatty(STDIN_FILENO) != 0;
  if (person) std::printf("%s; `help` lists what there is\n", session->machine().target.c_str());
  std::string line;
  for (size_t i = 0;; ++i) {
    if (person) std::printf("%s> ", std::string(session->name()).c_str());
    std::fflush(stdout);
    if (given.empty() ? !std::getline(std::cin, line) : i == given.size()) break;
    if (!given.empty()) line = given[i];
    bool quit = false;
    const auto work = [&] {
      const Words words = WordsOf(line);
      if (words.empty() || words[0].starts_with('#')) return absl::OkStatus();
      quit = words[0] == "quit" || words[0] == "exit";
      return quit ? absl::OkStatus() : Do(session, words);
    };
    // People see what was wrong and go on; a script ends.
    if (!person) {
      LATHE_RETURN_IF_ERROR(work());
    } else if (RunReported(work) != kOk) {
      LATHE_RETURN_IF_ERROR(session->files().List().status());  // unless the session is lost
    }
    if (quit) break;
  }
  if (person && std::cin.eof()) std::printf("\n");
  session->Close();
  return absl::OkStatus();
}

}  // namespace

const Command kRemoteShell = {
    .name = "remote shell",
    .arguments = "[-c LINE]...",
    .what = "a session with another machine by hand: files, calls, devices",
    .details =
        "Lines are read from standard input; an error ends a script, but not the session of a "
        "person.\n"
        "  put FILE [NAME]     uploads a file\n"
        "  get NAME [FILE]     downloads a file of the session\n"
        "  ls, rm NAME         the files of the session\n"
        "  run ARTEFACT ...    as `lathe remote run`, in this session\n"
        "  devices, machine    what there is\n"
        "  help, quit\n",
    .example =
        "  lathe remote shell --host rk3399.lab:9090\n"
        "  lathe remote shell --tracker 10.0.0.7:9190 --key rk3399 -c 'run add.tar random:8 "
        "random' "
        "-c devices\n",
    .options = kOptions,
    .fewest = 0,
    .most = 0,
    .run = Run,
};

}  // namespace lathe::cli
