// A message is one file: pieces, each after its length (8 bytes in this machine's order; parent and
// child are of one release). Request: head, plugin's file, folders of plugins, request.json,
// version of the IR, IR, constants. Answer: head, status code, its text; output, module kind,
// consumed constants, log, times.
#include "plugins/host/isolate.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>
#include <span>
#include <string_view>
#include <system_error>
#include <vector>

#include "base/error.h"
#include "base/file.h"
#include "base/run_program.h"
#include "base/trusted_file.h"
#include "lathe/abi/plugin.h"
#include "plugins/host/boundary.h"
#include "plugins/sdk/value.h"
#include "runtime/error_object.h"
#include "runtime/plugin_loader/plugin_loader.h"
#include "runtime/status.h"

namespace lathe::plugins {
namespace {

using runtime::MakeStatus;
using runtime::PluginLoader;

constexpr std::string_view kRequestHead = "lathe compile request " LATHE_VERSION;
constexpr std::string_view kAnswerHead = "lathe compile answer " LATHE_VERSION;
constexpr size_t kRequestPieces = 6;  // and one for each constant
constexpr size_t kAnswerPieces = 8;
constexpr size_t kKeptOutputBytes = 8000;
// Who wants an end to it sets a time limit.
constexpr std::chrono::hours kNoLimit(24 * 365);

using PiecesOf = std::vector<std::string_view>;

FileProblem WritePieces(int file, std::span<const std::string_view> pieces) {
  for (const std::string_view piece : pieces) {
    const uint64_t size = piece.size();
    for (const std::string_view bytes :
         {std::string_view(reinterpret_cast<const char*>(&size), sizeof size), piece}) {
      if (FileProblem problem = WriteAll(file, bytes); !problem.ok()) return problem;
    }
  }
  return {};
}

FileProblem ReadAll(int file, std::string* bytes) {
  const off_t size = lseek(file, 0, SEEK_END);
  if (size < 0 || lseek(file, 0, SEEK_SET) != 0) return {std::strerror(errno), errno};
  bytes->resize(static_cast<size_t>(size));
  size_t got = 0;
  FileProblem problem = ReadNext(file, bytes->data(), bytes->size(), &got);
  bytes->resize(got);
  return problem;
}

// Views of `bytes`. None where it is not made of pieces.
std::optional<PiecesOf> SplitPieces(std::string_view bytes) {
  PiecesOf pieces;
  while (!bytes.empty()) {
    uint64_t size = 0;
    if (bytes.size() < sizeof size) return std::nullopt;
    std::memcpy(&size, bytes.data(), sizeof size);
    bytes.remove_prefix(sizeof size);
    if (size > bytes.size()) return std::nullopt;
    pieces.push_back(bytes.substr(0, size));
    bytes.remove_prefix(size);
  }
  return pieces;
}

// -- In the parent.

absl::StatusOr<std::string> FindProgram(const std::vector<std::string>& places) {
  std::string refused;
  for (const std::string& place : places) {
    const std::string path = place + "/" + kCompileChild;
    FileProblem problem;
    const FileHandle file = OpenFile(path, &problem);
    if (!problem.ok()) continue;
    if (const Distrust distrust = DistrustOf(file, path); !distrust.ok())
      refused += "\n  " + path + ": " + distrust.text + "; " + distrust.help;
    else
      return path;
  }
  std::string found;
  for (const std::string& place : places) found += (found.empty() ? "" : ", ") + place;
  return MakeStatus(
      absl::StatusCode::kFailedPrecondition, "compile-child-missing",
      {"there is no program to compile in a process of its own\nexpected: `", kCompileChild,
       "` beside the default plugins\nfound: none in ", found.empty() ? "any folder" : found,
       refused, "\nhelp: install Lathe again, or compile without isolation"});
}

bool SaysOutOfMemory(std::string output) {
  std::transform(output.begin(), output.end(), output.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  for (const char* words :
       {"out of memory", "bad_alloc", "annot allocate memory", "failed to map segment"}) {
    if (output.find(words) != std::string::npos) return true;
  }
  return false;
}

absl::Status OutOfMemory(const std::string& kind, const std::string& found) {
  return MakeStatus(
      absl::StatusCode::kResourceExhausted, "out-of-memory",
      {"memory ran out while the code generator for `", kind,
       "` worked in a process of its own\nexpected: an answer\nfound: ", found,
       "\nhelp: make the program smaller (fewer loops unrolled, fewer stages inlined), compile "
       "fewer at once, or allow more memory"});
}

// Why there is no answer.
absl::Status Ended(const std::string& kind, const ProgramEnd& end) {
  const bool killed = WIFSIGNALED(end.status) && WTERMSIG(end.status) == SIGKILL;
  const std::string how =
      !WIFSIGNALED(end.status)
          ? "exit code " + std::to_string(WEXITSTATUS(end.status))
          : "signal " + std::to_string(WTERMSIG(end.status)) + " (" +
                strsignal(WTERMSIG(end.status)) +
                (killed ? ", as the kernel ends a process where memory runs out)" : ")");
  std::string_view wrote = end.output;
  while (!wrote.empty() && std::isspace(static_cast<unsigned char>(wrote.back())) != 0)
    wrote.remove_suffix(1);
  const bool memory = killed || SaysOutOfMemory(end.output);
  const std::string said = wrote.empty() ? std::string() : "\nit wrote: " + std::string(wrote);
  if (memory) return OutOfMemory(kind, "it ended with " + how + said);
  return MakeStatus(
      absl::StatusCode::kInternal, "compile-child-ended",
      {"the code generator for `", kind,
       "` ended the process of its own that it worked in\nexpected: an answer\n"
       "found: it ended with ",
       how, said,
       "\nhelp: with little memory allowed (`ulimit -v`) allow more; else this is a bug of the "
       "code generator, and LATHE_DUMP_BOUNDARY=folder keeps "
       "the request for its makers, `lathe plugins --replay` makes it again"});
}

absl::Status NoChild(const char* doing, const std::string& why) {
  return MakeStatus(absl::StatusCode::kResourceExhausted, "compile-child-failed",
                    {"no process of its own to compile in: ", doing, ": ", why,
                     "\nhelp: look for limits of memory, files and processes (`ulimit -a`), or "
                     "compile without isolation"});
}

absl::StatusOr<CompileOutput> ReadAnswer(const std::string& kind, const ProgramEnd& end, int file,
                                         size_t constants) {
  std::string bytes;
  if (const FileProblem problem = ReadAll(file, &bytes); !problem.ok())
    return NoChild("reading the answer", problem.text);
  const std::optional<PiecesOf> pieces = SplitPieces(bytes);
  // A plugin may exit with success, too.
  if (!pieces || pieces->size() != kAnswerPieces || pieces->at(0) != kAnswerHead)
    return Ended(kind, end);
  const PiecesOf& at = *pieces;
  if (at[1] != "0") {
    absl::Status said(static_cast<absl::StatusCode>(std::atoi(std::string(at[1]).c_str())), at[2]);
    // This process has loaded the plugin, so only the child's memory can be too small for it.
    if (runtime::StatusName(said) == "plugin-not-loadable" && SaysOutOfMemory(std::string(at[2])))
      return OutOfMemory(kind, std::string(at[2]));
    return said;
  }
  CompileOutput output;
  output.bytes = at[3];
  output.module_kind = at[4];
  for (const char held : at[5]) output.consumed.push_back(held != '0');
  output.consumed.resize(constants);
  output.log = at[6];
  if (!TimesFromBytes(at[7], &output.times)) return Ended(kind, end);
  return output;
}

// -- In the child.

absl::StatusOr<CompileOutput> Make(const PiecesOf& at) {
  std::string_view folders = at[2];
  while (!folders.empty()) {
    const size_t end = folders.find('\n');
    PluginLoader::Global().AddFolder(std::string(folders.substr(0, end)));
    folders = end == std::string_view::npos ? std::string_view() : folders.substr(end + 1);
  }
  LATHE_RETURN_IF_ERROR(PluginLoader::Global().Load(std::string(at[1])));
  RecordedRequest request;
  LATHE_RETURN_IF_ERROR(ParseRequest(std::string(at[3]), "the request", &request));
  if (request.constants.size() != at.size() - kRequestPieces) {
    return MakeStatus(absl::StatusCode::kInternal, "boundary-read",
                      "the request has other constants than it says");
  }
  request.ir = at[5];
  for (size_t i = 0; i < request.constants.size(); ++i)
    request.constants[i].data = at[kRequestPieces + i];
  const int version = std::atoi(std::string(at[4]).c_str());
  return MakeRequest(request, version, version);
}

}  // namespace

absl::StatusOr<CompileOutput> CompileInChild(const target::Target& target,
                                             const std::string& target_text, int ir_version,
                                             const CompileInput& input) {
  PluginLoader& loader = PluginLoader::Global();
  LATHE_ASSIGN_OR_RETURN(const runtime::PluginInfo plugin,
                         loader.Provider(runtime::PluginKind::kTarget, target.kind));
  if (plugin.path.empty()) {
    return MakeStatus(absl::StatusCode::kUnimplemented, "compile-isolate-unsupported",
                      {"target `", target.kind,
                       "` cannot be compiled for in a process of its own\nexpected: a plugin in a "
                       "file\nfound: a code generator that this process declared\nhelp: compile "
                       "without isolation"});
  }
  const std::vector<std::string> places = loader.SearchedPlaces();
  LATHE_ASSIGN_OR_RETURN(std::string program, FindProgram(places));
  std::string folders;
  for (const std::string& place : places) {
    if (std::error_code ignored; std::filesystem::is_directory(place, ignored))
      folders += (folders.empty() ? "" : "\n") + place;
  }

  const FileHandle file(memfd_create("lathe compile request", MFD_CLOEXEC));
  if (!file.is_open()) return NoChild("a file in memory", std::strerror(errno));
  const std::string json = RequestJson(target, target_text, input);
  const std::string version = std::to_string(ir_version);
  PiecesOf pieces = {kRequestHead, plugin.path, folders, json, version, input.ir};
  for (const DLTensor* constant : input.constants) {
    pieces.emplace_back(sdk::DataOf(*constant), static_cast<size_t>(sdk::NumBytes(*constant)));
  }
  if (const FileProblem problem = WritePieces(file.get(), pieces); !problem.ok())
    return NoChild("writing the request", problem.text);
  if (lseek(file.get(), 0, SEEK_SET) != 0) return NoChild("the request", std::strerror(errno));

  const ProgramEnd end =
      RunProgram({program.data(), nullptr}, kNoLimit, kKeptOutputBytes, file.get());
  if (end.error != 0 && !end.found) {
    return MakeStatus(absl::StatusCode::kFailedPrecondition, "compile-child-missing",
                      {"the program to compile in a process of its own cannot be run\nexpected: ",
                       program, " to run\nfound: ", std::strerror(end.error),
                       "\nhelp: install Lathe again, or compile without isolation"});
  }
  if (end.error != 0) return NoChild("running it", std::strerror(end.error));
  if (!WIFEXITED(end.status) || WEXITSTATUS(end.status) != 0) return Ended(target.kind, end);
  absl::StatusOr<CompileOutput> made =
      ReadAnswer(target.kind, end, file.get(), input.constants.size());
  // Warnings that nobody asked for, as if it had worked here.
  if (made.ok() && !end.output.empty()) std::fputs(end.output.c_str(), stderr);
  return made;
}

bool AnswerRequest(int file) {
  std::string bytes;
  if (const FileProblem problem = ReadAll(file, &bytes); !problem.ok()) {
    std::fprintf(stderr, "cannot read the request: %s\n", problem.text.c_str());
    return false;
  }
  const std::optional<PiecesOf> request = SplitPieces(bytes);
  if (!request || request->size() < kRequestPieces || request->at(0) != kRequestHead) {
    std::fprintf(stderr, "standard input holds no request of Lathe " LATHE_VERSION
                         "; Lathe itself runs this program\n");
    return false;
  }
  absl::StatusOr<CompileOutput> made = absl::UnknownError("");
  try {
    made = Make(*request);
  } catch (...) {
    made = runtime::StatusFromError(*runtime::ErrorFromCurrentException().get());
  }
  const std::string code = std::to_string(static_cast<int>(made.status().code()));
  const std::string text(made.status().message());
  const CompileOutput output = made.ok() ? *std::move(made) : CompileOutput();
  std::string consumed;
  for (const bool held : output.consumed) consumed += held ? '1' : '0';
  const std::string_view answer[kAnswerPieces] = {
      kAnswerHead,
      code,
      text,
      output.bytes,
      output.module_kind,
      consumed,
      output.log,
      std::string_view(reinterpret_cast<const char*>(output.times.data()),
                       output.times.size() * sizeof(lathe_stage_time))};
  FileProblem problem;
  if (Uninterrupted([&] { return ftruncate(file, 0); }) != 0 || lseek(file, 0, SEEK_SET) != 0)
    problem = {std::strerror(errno), errno};
  else
    problem = WritePieces(file, answer);
  if (!problem.ok()) std::fprintf(stderr, "cannot write the answer: %s\n", problem.text.c_str());
  return problem.ok();
}

}  // namespace lathe::plugins
