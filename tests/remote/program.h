// A program that a test starts, in this network or in another one, and what it prints.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "base/file.h"

namespace lathe::runtime::rpc {

class Program {
 public:
  struct Options {
    std::vector<std::string> words;  // the first is a path
    int network = -1;                // the descriptor of a network namespace; -1: this one
    std::string temporary;           // its TMPDIR; empty: this process's
    int descriptors = 0;             // so many at most; 0: as this process
  };
  explicit Program(Options options);
  ~Program();  // kills it
  Program(const Program&) = delete;

  pid_t pid() const { return pid_; }
  void Send(int signal) const;
  // A line on its standard input.
  void Write(const std::string& line) const;
  // What stands behind `text` at the begin of a line of its output, once that line is complete.
  std::optional<std::string> LineAfter(const std::string& text, std::chrono::milliseconds limit);
  // Its exit status, or 128 and the signal's number; nothing if it still runs after `limit`.
  std::optional<int> Wait(std::chrono::milliseconds limit);
  // All lines so far.
  const std::string& output();

 private:
  void Read();

  pid_t pid_ = 0;
  std::optional<int> status_;
  FileHandle input_, output_;
  std::string printed_;
};

// Of another process of this user.
size_t DescriptorsOf(pid_t pid);
// 0 if there is no such process.
pid_t ParentOf(pid_t pid);
// Its children, by their states: "S", "Z"...
std::string ChildrenOf(pid_t pid);
// Of memory that it holds, in KiB.
size_t ResidentKiB(pid_t pid);

}  // namespace lathe::runtime::rpc
