// One line on the terminal that says what long work is doing. Nothing is shown where standard error
// is no terminal, or one that knows no escape sequences.
#pragma once

#include <string>

namespace lathe::cli {

// One thread at a time uses it. The destructor removes the line.
class Progress {
 public:
  Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress();

  void Show(const std::string& what);
  // Before other output to the terminal.
  void Clear();

 private:
  bool terminal_;
  bool shown_ = false;
};

}  // namespace lathe::cli
