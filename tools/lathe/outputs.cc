#include "tools/lathe/outputs.h"

#include <algorithm>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "runtime/status.h"
#include "tools/lathe/files.h"

namespace lathe::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kWriting[] = {"--output", "--out",    "--html",
                                    "--trace",  "--header", "--binary"};

// (option, file) of all files that will be written. `-` and its like are standard output.
std::vector<std::pair<std::string, std::string>> FilesToWrite(const Arguments& arguments) {
  std::vector<std::pair<std::string, std::string>> files;
  for (const char* const option : kWriting) {
    for (std::string file : arguments.All(option)) {
      // [NAME=]FILE
      if (option == std::string("--out")) file = file.substr(file.find('=') + 1);
      if (!file.empty() && file[0] != '-') files.emplace_back(option, std::move(file));
    }
  }
  return files;
}

[[noreturn]] void Refuse(const std::string& option, const std::string& file,
                         const std::string& also) {
  throw UsageError(Diagnostic{.name = "cli-bad-value",
                              .message = "option `" + option + "` names a file that is " + also,
                              .expected = "a file of its own",
                              .found = "`" + file + "`",
                              .help = "choose another name"});
}

}  // namespace

bool AreOneFile(const std::string& a, const std::string& b) {
  std::error_code error;
  if (fs::equivalent(a, b, error)) return true;
  const fs::path whole = fs::weakly_canonical(fs::absolute(a, error), error);
  return !whole.empty() && whole == fs::weakly_canonical(fs::absolute(b, error), error);
}

absl::Status CheckOutputs(const Arguments& arguments) {
  const auto files = FilesToWrite(arguments);
  for (size_t i = 0; i < files.size(); ++i) {
    const auto& [option, file] = files[i];
    const std::vector<std::string>& reads = arguments.positional();
    // A result may take the place of an operand: all operands are read before.
    const size_t num_reads = option == "--out" ? std::min<size_t>(1, reads.size()) : reads.size();
    for (size_t read = 0; read < num_reads; ++read) {
      std::error_code error;
      if (fs::is_regular_file(reads[read], error) && AreOneFile(file, reads[read]))
        Refuse(option, file, "read by the command, too");
    }
    for (size_t j = 0; j < i; ++j) {
      if (AreOneFile(file, files[j].second))
        Refuse(option, file, "written by `" + files[j].first + "`, too");
    }
    LATHE_RETURN_IF_ERROR(PartialOutput::Create(file).status());
  }
  return absl::OkStatus();
}

}  // namespace lathe::cli
