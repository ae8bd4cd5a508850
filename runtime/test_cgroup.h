// Control groups with a limit, for tests, where this machine lets the user make one: version 2 with
// the controller handed down to the groups below, or version 1.
#pragma once

#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <memory>
#include <sstream>
#include <string>
#include <utility>

namespace lathe::runtime {

class TestCgroup {
 public:
  // A new group below this process's. `controller` is "pids" or "memory", `limit` a number of tasks
  // or bytes. Null, and why, if there can be none.
  static std::unique_ptr<TestCgroup> Make(const std::string& controller, const std::string& limit,
                                          std::string* why) {
    bool version_2 = false;
    const std::string parent = ParentOf(controller, &version_2);
    if (parent.empty()) {
      *why = "this process's control groups have no controller `" + controller + "`";
      return nullptr;
    }
    std::string folder = parent + "/lathe-test-XXXXXX";
    if (mkdtemp(folder.data()) == nullptr) {
      *why = "no control group can be made in " + parent;
      return nullptr;
    }
    std::unique_ptr<TestCgroup> made(new TestCgroup(folder));
    const bool bytes_of_1 = controller == "memory" && !version_2;
    const std::string file = bytes_of_1 ? "memory.limit_in_bytes" : controller + ".max";
    if (!Write(folder + "/" + file, limit)) {
      *why = folder + "/" + file + " takes no limit";
      return nullptr;
    }
    return made;
  }

  ~TestCgroup() { rmdir(folder_.c_str()); }
  TestCgroup(const TestCgroup&) = delete;
  TestCgroup& operator=(const TestCgroup&) = delete;

  // The file to which a process writes its number to join.
  std::string procs() const { return folder_ + "/cgroup.procs"; }
  // This process and its children from now on.
  bool Join() const { return Write(procs(), "0"); }

 private:
  explicit TestCgroup(std::string folder) : folder_(std::move(folder)) {}

  static std::string Read(const std::string& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  static bool Write(const std::string& path, const std::string& text) {
    std::ofstream file(path);
    file << text;
    file.close();
    return file.good();
  }
  // Whether `list` ("cpu,pids" or "cpu pids") has the name.
  static bool Has(std::string list, const std::string& name) {
    for (char& c : list) c = c == ',' || c == '\n' ? ' ' : c;
    return (" " + list + " ").find(" " + name + " ") != std::string::npos;
  }

  // This process's group in the hierarchy of that controller; empty if there is none.
  static std::string ParentOf(const std::string& controller, bool* version_2) {
    std::istringstream mounts(Read("/proc/self/mounts"));
    std::string device, place, type, options, rest;
    while (mounts >> device >> place >> type >> options && std::getline(mounts, rest)) {
      *version_2 = type == "cgroup2";
      if (!*version_2 && (type != "cgroup" || !Has(options, controller))) continue;
      std::istringstream groups(Read("/proc/self/cgroup"));
      // "4:memory:/a/b" of version 1, "0::/a/b" of version 2
      for (std::string line; std::getline(groups, line);) {
        const size_t names = line.find(':') + 1, path = line.find(':', names);
        const std::string list = line.substr(names, path - names);
        if (*version_2 ? !list.empty() : !Has(list, controller)) continue;
        std::string parent = place + line.substr(path + 1);
        if (!*version_2 || Has(Read(parent + "/cgroup.subtree_control"), controller)) return parent;
      }
    }
    return "";
  }

  const std::string folder_;
};

}  // namespace lathe::runtime
