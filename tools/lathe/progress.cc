#include "tools/lathe/progress.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "tools/lathe/command.h"
#include "tools/lathe/printable.h"

namespace lathe::cli {

namespace {

// A line that is wider than the terminal would wrap, and only its last part would be replaced.
int MostBytes() {
  constexpr int kMost = 100, kOthers = 4;  // "..." and the cursor
  winsize size{};
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return 76;
  return std::clamp(size.ws_col - kOthers, 0, kMost);
}

}  // namespace

Progress::Progress() : terminal_(TakesEscapes(STDERR_FILENO)) {}

Progress::~Progress() { Clear(); }

void Progress::Show(const std::string& what) {
  if (!terminal_) return;
  std::fprintf(stderr, "\r\033[K%.*s...", MostBytes(), Printable(what).c_str());
  shown_ = true;
}

void Progress::Clear() {
  if (shown_) std::fputs("\r\033[K", stderr);
  shown_ = false;
}

}  // namespace lathe::cli
