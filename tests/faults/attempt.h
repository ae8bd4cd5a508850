// Runs a program in a fork: once with a failure, once again without.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "tests/faults/program.h"

namespace lathe::faults {

// Returns memory that forks share with their parent, filled with zeros. It is never freed.
void* SharedBytes(size_t bytes);
template <class T>
T* SharedMemory(size_t count) {
  return static_cast<T*>(SharedBytes(count * sizeof(T)));
}

// What a child reports to its parent.
struct Report {
  bool failed_one;  // the failure was met
  Ending first, again;
  char text[600];  // of the second run if that went wrong, else of the first
};

// In a child: runs the program with the failure that `fail` arranges, then again without. `stop`
// ends the failures and says whether one occurred. SIGALRM ends the process if a run takes over a
// minute.
void RunTwice(const Program& program, const std::function<void()>& fail,
              const std::function<bool()>& stop, Report* report);

// Forks without the handlers of pthread_atfork. Plugins refuse to work in forks because of their
// threads, but here they have none. Flushes standard output first.
int Fork();
// Runs `work` in a fork, and returns its status as waitpid does: 0 if `work` returned true.
template <class Work>
int InChild(const Work& work);

// Says how a child ended that should have run to its end. Returns "" if it did and its second run
// was right.
std::string HowItEnded(int status, const Report& report);

// --- Implementation ------------------------------------------------------------------------------

[[noreturn]] void Leave(bool well);
int Wait(int child);

template <class Work>
int InChild(const Work& work) {
  const int child = Fork();
  if (child == 0) Leave(work());
  return Wait(child);
}

}  // namespace lathe::faults
