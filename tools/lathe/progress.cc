#include "tools/lathe/progress.h"

#include <unistd.h>

#include <cstdio>

#include "tools/lathe/printable.h"

namespace lathe::cli {

Progress::Progress() : terminal_(isatty(STDERR_FILENO) != 0) {}

Progress::~Progress() { Clear(); }

void Progress::Show(const std::string& what) {
  if (!terminal_) return;
  std::fprintf(stderr, "\r\033[K%.100s...", Printable(what).c_str());
  shown_ = true;
}

void Progress::Clear() {
  if (shown_) std::fputs("\r\033[K", stderr);
  shown_ = false;
}

}  // namespace lathe::cli
