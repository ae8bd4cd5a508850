// Running a program in a fork: once with a failure, once more without.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "tests/faults/programs.h"

namespace lathe::faults {

// Memory that forks share with their parent, all zeros. Never freed.
void* SharedBytes(size_t bytes);
template <class T>
T* SharedMemory(size_t count) {
  return static_cast<T*>(SharedBytes(count * sizeof(T)));
}

// What a child writes for its parent.
struct Report {
  bool failed_one;  // the failure was met
  Ending first, again;
  char text[600];  // of the second run where it went wrong, else of the first
};

// In a child: runs with the failure that `fail` arranges, then again without. `stop` ends the
// failing and says whether there was one. A run of more than a minute ends the process (SIGALRM).
void RunTwice(const Program& program, const std::function<void()>& fail,
              const std::function<bool()>& stop, Report* report);

// Forks without the handlers of pthread_atfork: plugins refuse to work in forks, for their threads'
// sake, and here are none. Flushes standard output before.
int Fork();
// Runs `work` in a fork, and gives its status as waitpid does: 0 where `work` returned true.
template <class Work>
int InChild(const Work& work);

// How a child ended that was to run to its end, in words; "" where it did and the second run was
// right.
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
