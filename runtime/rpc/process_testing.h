// For tests of servers: what this process has open, whether others run, and waiting for conditions.
#pragma once

#include <dirent.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>
#include <thread>

namespace lathe::runtime::rpc {

// How many descriptors this process has open.
inline size_t Descriptors() {
  size_t count = 0;
  DIR* const folder = opendir("/proc/self/fd");
  while (readdir(folder) != nullptr) ++count;
  closedir(folder);
  return count;
}

// Whether a process runs; one that ended and was not waited for does not.
inline bool Lives(int64_t pid) {
  std::ifstream state("/proc/" + std::to_string(pid) + "/stat");
  std::string number, name, letter;
  return state >> number >> name >> letter && letter != "Z";
}

// Whether all threads of a process are stopped, as by SIGSTOP: the system stops one at a time.
inline bool Stopped(int64_t pid) {
  const std::filesystem::path threads = "/proc/" + std::to_string(pid) + "/task";
  std::error_code ended;
  for (std::filesystem::directory_iterator at(threads, ended), end; !ended && at != end;
       at.increment(ended)) {
    std::ifstream state(at->path() / "stat");
    std::string number, name, letter;
    if (state >> number >> name >> letter && letter != "T" && letter != "Z") return false;
  }
  return true;
}

// Whether the condition comes true before the limit; asks every 5 ms.
template <class Condition>
bool Within(std::chrono::milliseconds limit, const Condition& condition) {
  const auto end = std::chrono::steady_clock::now() + limit;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return true;
}

}  // namespace lathe::runtime::rpc
