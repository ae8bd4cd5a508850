// `lathe board`: the boards that have an entry, and programs that are tried on one.
#include "tools/lathe/board.h"

#include <cstdio>
#include <vector>

namespace lathe::cli {
namespace {

constexpr Board kBoards[] = {
#include "boards/list.inc"
};

absl::Status List() {
  std::printf("%-10s %-8s %-48s %s\n", "board", "cpu", "what", "server");
  for (const Board& board : kBoards)
    std::printf("%-10s %-8s %-48s %s\n", board.name, board.cpu, board.what,
                *board.address == '\0' ? "-" : board.address);
  return absl::OkStatus();
}

absl::Status Run(const std::vector<std::string>& words) {
  const std::string part = words.empty() ? "" : words[0];
  const std::span rest = std::span(words).subspan(words.empty() ? 0 : 1);
  const size_t board = LeadingOptions(rest);
  if (part == "run" && board < rest.size()) {
    // The board is an option in disguise: the first of the targets, which --target may follow.
    std::vector<std::string> with_target = {"--target", FindBoard(rest[board]).target};
    with_target.insert(with_target.end(), rest.begin(), rest.end());
    return RunWords(kBoardRun, with_target);
  }
  if (part == "run") return RunWords(kBoardRun, rest);
  if (part == "ls" || part == "target") {
    const int names = part == "target" ? 1 : 0;
    const Arguments arguments = ParseArguments("board " + part, {}, names, names, rest);
    if (arguments.Has("--help")) {
      PrintHelp(kBoard);
      return absl::OkStatus();
    }
    if (part == "ls") return List();
    std::printf("%s\n", FindBoard(arguments.positional()[0]).target);
    return absl::OkStatus();
  }
  throw UsageError(Diagnostic{
      .name = "cli-unknown-command",
      .message = part.empty() ? "`lathe board` needs to know what to do"
                              : "there is no such `lathe board " + part + "`",
      .expected = "`ls`, `target BOARD` or `run BOARD PROGRAM ...`",
      .found = part.empty() ? "nothing"
                            : "`" + part + "` and " + std::to_string(rest.size()) + " arguments",
      .help = "`lathe help board` says what each does"});
}

}  // namespace

std::span<const Board> Boards() { return kBoards; }

const Board& FindBoard(std::string_view name) {
  std::vector<std::string> names;
  for (const Board& board : kBoards) {
    if (name == board.name) return board;
    names.emplace_back(board.name);
  }
  throw UsageError(Diagnostic{.name = "cli-unknown-board",
                              .message = "there is no board `" + std::string(name) + "`",
                              .expected = NearOrAll(std::string(name), names),
                              .found = "`" + std::string(name) + "`",
                              .help = "`lathe board ls` lists them; an entry in "
                                      "boards/BUILD.bazel adds one"});
}

const Command kBoard = {
    .name = "board",
    .arguments = "ls|target|run ...",
    .what = "try a program on a board: compile, upload, run, compare, time",
    .details =
        "  ls                        the boards that have an entry\n"
        "  target BOARD              the target string of its kernels\n"
        "  run BOARD PROGRAM ...     compiles for the board, runs there, compares with the "
        "interpreter\n"
        "                            here, and prints times; it has a --help of its own\n",
    .example =
        "  lathe board run rk3399 gemm.lathe random random --host rk3399.lab:9090\n"
        "  lathe compile gemm.lathe --target \"$(lathe board target rpi4)\" -o gemm.tar\n",
    .options = {},
    .fewest = 0,
    .most = 0,
    .run = nullptr,
    .run_words = Run,
};

}  // namespace lathe::cli
