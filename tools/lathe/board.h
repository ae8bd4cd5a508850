// The boards that this program knows by name (boards/BUILD.bazel), and the commands of `lathe
// board` that are commands like others.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "tools/lathe/command.h"

namespace lathe::cli {

struct Board {
  const char* name;
  const char* cpu;      // of its programs: "aarch64"
  const char* target;   // of its kernels
  const char* address;  // HOST:PORT of its server; "" if the entry names none
  const char* what;     // one line for people
};

std::span<const Board> Boards();
// Throws UsageError `cli-unknown-board`, with the nearest names.
const Board& FindBoard(std::string_view name);

extern const Command kBoardRun;

}  // namespace lathe::cli
