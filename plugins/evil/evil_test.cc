// Every plugin of this folder is refused with a reason, and the process continues.
#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <iostream>
#include <iterator>
#include <string>

#include "base/address_sanitizer.h"
#include "base/file.h"
#include "plugins/host/codegen.h"
#include "plugins/host/list.h"
#include "runtime/device_api.h"
#include "runtime/module.h"
#include "runtime/plugin_loader/host_table.h"
#include "runtime/plugin_loader/plugin_loader.h"
#include "runtime/registry.h"
#include "runtime/status.h"
#include "target/target.h"

const pid_t kTestProcess = getpid();

// The leak sanitizer calls this at exit. A plugin that exits while it is probed leaks the memory of
// the child process. That is not our error, so only the test's own process is checked.
extern "C" int __lsan_is_turned_off() { return getpid() != kTestProcess; }

namespace lathe::plugins {
namespace {

using runtime::PluginInfo;
using runtime::PluginLoader;
using runtime::PluginOptions;
using runtime::PluginState;
using runtime::StatusName;

std::string PathOf(const std::string& name) {
  return (std::filesystem::current_path() / ("plugins/evil/evil_" + name + ".so")).string();
}

bool Says(const absl::Status& status, std::string_view text) {
  return status.message().find(text) != std::string_view::npos;
}

PluginOptions Quick() {
  PluginOptions options;
  options.probe_time_limit = std::chrono::milliseconds(1000);
  return options;
}

struct Case {
  const char* plugin;
  const char* name;
  const char* says;
};

class Evil : public testing::TestWithParam<Case> {};

TEST_P(Evil, EndsAsAReason) {
  PluginOptions options = Quick();
  // Time limits catch plugins that hang. On a slow machine they must not stop the others.
  if (std::string_view(GetParam().name) != "plugin-probe-hung")
    options.probe_time_limit = std::chrono::seconds(60);
  PluginLoader loader(options);
  const absl::Status status = loader.Load(PathOf(GetParam().plugin));
  EXPECT_EQ(StatusName(status), GetParam().name) << status;
  EXPECT_TRUE(Says(status, GetParam().says)) << status;
  // The same again: the plugin is listed with the reason, and nothing of it is registered.
  EXPECT_EQ(loader.Load(PathOf(GetParam().plugin)), status);
  const std::vector<PluginInfo> listed = loader.List();
  ASSERT_EQ(listed.size(), 1u);
  // A plugin that failed for a temporary reason is tried again. One with a wrong file is not.
  const std::string_view name = StatusName(status);
  const bool for_good = name == "plugin-no-entry" || name == "plugin-refused" ||
                        name == "plugin-bad-table" || name == "plugin-missing-member" ||
                        name == "plugin-missing-interface" || name == "plugin-too-old" ||
                        name == "plugin-too-new" || name == "plugin-manifest-mismatch" ||
                        name == "manifest-malformed";
  EXPECT_EQ(listed[0].state, for_good ? PluginState::kDisabled : PluginState::kFound);
  EXPECT_EQ(listed[0].reason, status);
  for (const std::string prefix : {"device_api.evil_", "module.load.evil_", "codegen.evil_"}) {
    EXPECT_FALSE(runtime::FindGlobal(prefix + GetParam().plugin));
  }
}

const Case kCases[] = {
    {"tiny_size", "plugin-bad-table", "struct_size of 4"},
    {"huge_size", "plugin-bad-table", "struct_size of 18446744073709551615"},
    {"giant_device", "plugin-bad-table", "lathe_device_api a struct_size of"},
    {"short_table", "plugin-missing-member", "lacks required member `shutdown` of lathe_plugin"},
    {"null_init", "plugin-missing-member", "lacks required member `init` of lathe_plugin"},
    {"null_version", "plugin-missing-member", "lacks required member `sdk_version`"},
    {"null_copy", "plugin-missing-member", "lacks required member `copy` of lathe_device_api"},
    {"short_device", "plugin-missing-member", "lacks required member `alloc` of lathe_device_api"},
    {"null_load", "plugin-missing-member", "lacks required member `load` of lathe_module_api"},
    {"null_compile", "plugin-missing-member",
     "lacks required member `compile` of lathe_codegen_api"},
    {"no_interface", "plugin-missing-interface", "no interface lathe.device.1"},
    {"no_entry", "plugin-no-entry", "does not export lathe_plugin_query_v1"},
    {"refuses", "plugin-refused", "cannot serve Lathe"},
    {"old_abi", "plugin-too-old", "rebuild the plugin with SDK"},
    {"lies_about_abi", "plugin-too-new", "serves version 2"},
    {"newer_abi", "plugin-too-new", "serves version 2 to 3"},
    {"other_manifest", "plugin-manifest-mismatch", "another manifest"},
    {"open_symbol", "plugin-not-loadable", "evil_symbol_that_nobody_defines"},
    {"init_fails", "evil-init", "reported by plugin evil_init_fails 6.6.6"},
    {"init_fails_silently", "plugin-silent-failure", "without saying why"},
    {"init_fails_with_rubbish", "plugin-unnamed-error",
     "reported by plugin evil_init_fails_with_rubbish"},
    {"init_throws", "plugin-exception", "evil-init throws"},
    {"init_crashes", "plugin-probe-crashed", "in init"},
    {"init_aborts", "plugin-probe-crashed", "in init"},
    {"init_exits", "plugin-probe-exited", "in init with exit code 0"},
    {"init_hangs", "plugin-probe-hung", "return from init within 1000 ms"},
    {"constructor_exits", "plugin-probe-exited", "in dlopen"},
    {"constructor_crashes", "plugin-probe-crashed", "in dlopen"},
    {"shutdown_fails", "evil-shutdown", "by intent"},
    {"shutdown_crashes", "plugin-probe-crashed", "in shutdown"},
    {"leaks", "plugin-leaks", "4096 bytes"},
    {"kinds_of_the_host", "manifest-malformed", "devices[0].kind must not be `cpu`"},
    {"corrupt_json", "manifest-malformed", "expected a key in quotes"},
    {"corrupt_kind", "manifest-malformed", "devices[0].kind is missing"},
    {"corrupt_format", "manifest-malformed", "newer than this Lathe"},
    {"corrupt_nothing", "manifest-malformed", ""},
    {"corrupt_twice", "manifest-malformed", "twice"},
    {"corrupt_range", "manifest-malformed", "abi"},
    {"corrupt_member", "manifest-malformed", "device"},
    {"corrupt_depth", "manifest-malformed", ""},
    {"constructor_hangs", "plugin-probe-hung", "return from dlopen"},
    {"query_crashes", "plugin-probe-crashed", "in lathe_plugin_query_v1"},
    {"query_exits", "plugin-probe-exited", "in lathe_plugin_query_v1"},
    {"query_hangs", "plugin-probe-hung", "return from lathe_plugin_query_v1"},
    {"query_throws", "plugin-exception", "evil-query throws"},
    {"interface_crashes", "plugin-probe-crashed", "in get_interface"},
    {"interface_throws", "plugin-exception", "evil-interface throws"},
    {"shutdown_exits", "plugin-probe-exited", "in shutdown with exit code 7"},
    {"shutdown_hangs", "plugin-probe-hung", "return from shutdown within 1000 ms"},
    {"shutdown_throws", "plugin-exception", "evil-shutdown throws"},
};

INSTANTIATE_TEST_SUITE_P(All, Evil, testing::ValuesIn(kCases),
                         [](const auto& info) { return std::string(info.param.plugin); });

TEST(EvilFiles, ThatAreNoPluginsAreNamed) {
  PluginLoader loader(Quick());
  EXPECT_EQ(StatusName(loader.Load("plugins/evil/absent.so")), "file-unreadable");
  EXPECT_EQ(StatusName(loader.Load("plugins/evil")), "file-unreadable");
  const std::string text = std::string(getenv("TEST_TMPDIR")) + "/text.so";
  std::ofstream(text) << "this is no library";
  EXPECT_EQ(StatusName(loader.Load(text)), "elf-malformed");
  const std::string fifo = std::string(getenv("TEST_TMPDIR")) + "/fifo.so";
  ASSERT_EQ(mkfifo(fifo.c_str(), 0700), 0);
  alarm(20);  // nobody writes to it
  const absl::Status waits = loader.Load(fifo);
  alarm(0);
  EXPECT_EQ(StatusName(waits), "file-unreadable");
  EXPECT_TRUE(Says(waits, "it is a FIFO")) << waits;
  // A file cut off in the middle, as after an interrupted copy.
  const std::string cut = std::string(getenv("TEST_TMPDIR")) + "/cut.so";
  std::ifstream whole(PathOf("good"), std::ios::binary);
  std::string bytes(5000, '\0');
  whole.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  std::ofstream(cut, std::ios::binary) << bytes;
  EXPECT_EQ(StatusName(loader.Load(cut)), "elf-malformed");
}

TEST(EvilFiles, ForOtherProcessorsAreNamed) {
  const std::string path = std::string(getenv("TEST_TMPDIR")) + "/foreign.so";
  std::ifstream whole(PathOf("good"), std::ios::binary);
  std::string bytes((std::istreambuf_iterator<char>(whole)), std::istreambuf_iterator<char>());
  bytes.at(18) = 0x16;  // e_machine: s390
  bytes.at(19) = 0;
  std::ofstream(path, std::ios::binary) << bytes;
  PluginLoader loader(Quick());
  const absl::Status status = loader.Load(path);
  EXPECT_EQ(StatusName(status), "plugin-wrong-machine");
  EXPECT_TRUE(Says(status, "is built for machine 22")) << status;
  // Looking for what the plugin would provide gives the reason.
  const absl::Status kind = loader.LoadKind(runtime::PluginKind::kModule, "evil_good");
  EXPECT_EQ(StatusName(kind), "plugin-disabled");
  EXPECT_TRUE(Says(kind, "is built for machine 22")) << kind;
}

TEST(EvilVerdicts, AreRememberedWhereTheyAreRefusals) {
  PluginOptions options = Quick();
  options.verdict_folder = std::string(getenv("TEST_TMPDIR")) + "/verdicts";
  for (const auto& [plugin, name, remembered] :
       {std::tuple("no_interface", "plugin-missing-interface", true),
        std::tuple("init_crashes", "plugin-probe-crashed", false)}) {
    PluginLoader first(options);
    EXPECT_EQ(StatusName(first.Load(PathOf(plugin))), name);
    PluginLoader second(options);
    const absl::Status again = second.Load(PathOf(plugin));
    EXPECT_EQ(StatusName(again), name);
    EXPECT_EQ(Says(again, "remembered from an earlier probe"), remembered) << again;
  }
}

// Runs `body` in a child, so that what it loads does not stay. Returns 0 if `body` returns true.
int InChild(const std::function<bool()>& body) {
  const pid_t child = fork();
  if (child == 0) _exit(body() ? 0 : 1);
  int state = -1;
  Uninterrupted([&] { return waitpid(child, &state, 0); });
  return state;
}

// A probe that fails because of its environment says nothing about the plugin. Afterwards the same
// loader, and the next process, must find that the plugin works.
TEST(EvilPassing, FailuresAreTriedAgain) {
  struct Passing {
    const char* mood;
    const char* name;
  };
  for (const Passing& passing :
       {Passing{"kill", "plugin-probe-crashed"}, Passing{"stop", "plugin-probe-hung"},
        Passing{"memory", ""}, Passing{"no child", "plugin-probe-failed"}}) {
    if (kAddressSanitizer && passing.mood[0] == 'm') {
      fputs("not tried: the address sanitizer does not work in 512 MiB of addresses\n", stderr);
      continue;
    }
    PluginOptions options = Quick();
    options.verdict_folder =
        std::string(getenv("TEST_TMPDIR")) + "/passing_" + std::string(passing.mood, 2);
    EXPECT_EQ(InChild([&] {
                PluginLoader loader(options);
                setenv("EVIL_PASSES", passing.mood, 1);
                rlimit memory{}, files{};
                getrlimit(RLIMIT_AS, &memory);
                getrlimit(RLIMIT_NOFILE, &files);
                const rlimit room{size_t{512} << 20, memory.rlim_max}, none{16, files.rlim_max};
                if (passing.mood[0] == 'm') setrlimit(RLIMIT_AS, &room);
                // Leaves room for the files that the loader reads, but not for two pipes.
                std::vector<int> held;
                if (passing.mood[0] == 'n') {
                  setrlimit(RLIMIT_NOFILE, &none);
                  for (int fd = dup(0); fd >= 0; fd = dup(0)) held.push_back(fd);
                  close(held.back());
                  held.pop_back();
                }
                const absl::Status failed = loader.Load(PathOf("passes"));
                setrlimit(RLIMIT_AS, &memory);
                setrlimit(RLIMIT_NOFILE, &files);
                for (const int fd : held) close(fd);
                unsetenv("EVIL_PASSES");
                if (failed.ok() || (*passing.name != '\0' && StatusName(failed) != passing.name)) {
                  fprintf(stderr, "%s: %s\n", passing.mood, failed.ToString().c_str());
                  return false;
                }
                if (InChild([&] { return PluginLoader(options).Load(PathOf("passes")).ok(); }) != 0)
                  return false;
                return loader.LoadKind(runtime::PluginKind::kDevice, "evil_passes").ok();
              }),
              0)
        << passing.mood;
  }
}

// Copies a plugin into a folder inside of `folder`, and returns the copy's path.
std::string CopyOf(const std::string& plugin, const std::string& folder) {
  namespace fs = std::filesystem;
  fs::remove_all(folder);
  fs::create_directories(folder + "/inner");
  const std::string path = folder + "/inner/" + plugin + ".so";
  fs::copy_file(PathOf(plugin), path);
  chmod(path.c_str(), 0755);
  return path;
}

// Plugins are code. A plugin that others could have written does not run, even if the user names
// it.
TEST(EvilNeighbours, GetNoCodeIn) {
  const std::string folder = std::string(getenv("TEST_TMPDIR")) + "/open";
  const std::string path = CopyOf("passes", folder);
  PluginOptions options = Quick();
  options.search_path = folder + "/inner";
  for (const std::string& open : {path, folder + "/inner", folder}) {
    chmod(open.c_str(), 0777);
    PluginLoader loader(options);
    const absl::Status named = loader.Load(path);
    EXPECT_EQ(StatusName(named), "plugin-untrusted");
    EXPECT_TRUE(Says(named, open + " (user ")) << named;
    EXPECT_TRUE(Says(named, "may be written to by everybody")) << named;
    EXPECT_TRUE(Says(named, "help: chmod go-w " + open)) << named;
    PluginLoader other(options);
    const absl::Status found = other.LoadKind(runtime::PluginKind::kDevice, "evil_passes");
    EXPECT_EQ(StatusName(found), "plugin-disabled");
    EXPECT_TRUE(Says(found, open + " (user ")) << found;
    chmod(open.c_str(), 0755);
  }
  // The permissions change between finding and loading the plugin.
  EXPECT_EQ(InChild([&] {
              PluginLoader loader(options);
              if (loader.List().at(0).state != PluginState::kFound) return false;
              chmod(folder.c_str(), 0777);
              const absl::Status status =
                  loader.LoadKind(runtime::PluginKind::kDevice, "evil_passes");
              chmod(folder.c_str(), 0755);
              return StatusName(status) == "plugin-untrusted";
            }),
            0);
  EXPECT_EQ(InChild([&] { return PluginLoader(options).Load(path).ok(); }), 0);
}

// If others could write the list of good plugins, that is reported once, and the plugin is probed
// again.
TEST(EvilNeighbours, GetNoVerdictIn) {
  std::vector<std::string> lines;
  runtime::SetPluginLogSink(
      [&](int, std::string_view, std::string_view line) { lines.emplace_back(line); });
  PluginOptions options = Quick();
  options.verdict_folder = std::string(getenv("TEST_TMPDIR")) + "/open_verdicts";
  std::filesystem::create_directory(options.verdict_folder);
  chmod(options.verdict_folder.c_str(), 0777);
  PluginLoader loader(options);
  for (const char* plugin : {"no_interface", "no_entry"})
    EXPECT_FALSE(loader.Load(PathOf(plugin)).ok());
  runtime::SetPluginLogSink(nullptr);
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_EQ(
      lines[0].find("[plugin-verdict-untrusted] what probes of plugins found is not remembered"),
      0u)
      << lines[0];
  EXPECT_TRUE(std::filesystem::is_empty(options.verdict_folder));
}

// A wrong entry is reported once, however often plugins are looked up. A relative entry would
// depend on the current folder.
TEST(EvilSearchPath, SaysAWrongEntryOnce) {
  std::vector<std::string> lines;
  runtime::SetPluginLogSink(
      [&](int, std::string_view, std::string_view line) { lines.emplace_back(line); });
  PluginOptions options = Quick();
  options.search_path = "plugins/evil/evil_passes.so:/absent/x.so";
  PluginLoader loader(options);
  for (const char* folder : {"/absent/one", "/absent/two"}) {
    loader.AddFolder(folder);
    EXPECT_EQ(StatusName(loader.LoadKind(runtime::PluginKind::kDevice, "evil_passes")),
              "plugin-missing");
  }
  runtime::SetPluginLogSink(nullptr);
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0],
            "[plugin-path-relative] LATHE_PLUGIN_PATH: "
            "`plugins/evil/evil_passes.so` depends on the current folder, which may be anybody's, "
            "and is not looked at\nhelp: name it from the root: "
            "LATHE_PLUGIN_PATH=\"$PWD/plugins/evil/evil_passes.so\"");
  EXPECT_EQ(lines[1], "[file-unreadable] cannot read /absent/x.so: No such file or directory");
  const std::vector<PluginInfo> listed = loader.List();
  ASSERT_EQ(listed.size(), 2u);
  EXPECT_EQ(StatusName(listed[0].reason), "plugin-path-relative");
  EXPECT_EQ(StatusName(listed[1].reason), "file-unreadable");
}

TEST(EvilTwins, AreAnErrorUnlessOneIsNamed) {
  PluginOptions options = Quick();
  const std::string folder = std::string(getenv("TEST_TMPDIR")) + "/twins";
  ASSERT_EQ(system(("mkdir -p " + folder + " && cp " + PathOf("good") + " " + PathOf("twin") + " " +
                    folder)
                       .c_str()),
            0);
  options.search_path = folder;
  PluginLoader loader(options);
  const absl::Status several = loader.LoadKind(runtime::PluginKind::kDevice, "evil_good");
  EXPECT_EQ(StatusName(several), "plugin-duplicate-kind");
  EXPECT_TRUE(Says(several, "twins/evil_good.so` or `")) << several;
  const absl::Status missing = loader.LoadKind(runtime::PluginKind::kDevice, "evil_goode");
  EXPECT_EQ(StatusName(missing), "plugin-missing");
  EXPECT_TRUE(Says(missing, "did you mean `evil_good`")) << missing;

  EXPECT_TRUE(loader.Load(folder + "/evil_twin.so").ok());
  EXPECT_TRUE(loader.LoadKind(runtime::PluginKind::kDevice, "evil_good").ok());
  const absl::Status late = loader.Load(folder + "/evil_good.so");
  EXPECT_EQ(StatusName(late), "plugin-duplicate-kind") << late;
  for (const PluginInfo& info : loader.List()) {
    const bool twin = info.manifest.name == "evil_twin";
    EXPECT_EQ(info.state, twin ? PluginState::kLoaded : PluginState::kFound) << info.path;
  }
  EXPECT_TRUE(loader.Shutdown().ok());
  EXPECT_TRUE(loader.Shutdown().ok());
  const auto device = runtime::FindGlobal("device_api.evil_good")().As<void*>();
  auto* api = static_cast<runtime::DeviceAPI*>(device);
  EXPECT_EQ(StatusName(api->Count().status()), "plugin-shut-down");
  EXPECT_EQ(StatusName(runtime::LoadModuleBytes("evil_good", "x").status()), "plugin-shut-down");
}

TEST(EvilVersions, TwoOfOnePluginAreAnErrorUnlessOneIsNamed) {
  PluginOptions options = Quick();
  options.probe_time_limit = std::chrono::seconds(60);
  options.search_path = PathOf("older") + ":" + PathOf("newer");
  PluginLoader loader(options);
  const absl::Status several = loader.LoadKind(runtime::PluginKind::kModule, "evil_versions");
  EXPECT_EQ(StatusName(several), "plugin-duplicate-kind");
  EXPECT_TRUE(Says(several, "evil_older.so")) << several;
  EXPECT_TRUE(Says(several, "evil_newer.so")) << several;
  EXPECT_TRUE(loader.Load(PathOf("older")).ok());
  EXPECT_TRUE(loader.LoadKind(runtime::PluginKind::kModule, "evil_versions").ok());
  // Loading the other version by its name: there is still only one plugin of a kind.
  EXPECT_EQ(StatusName(loader.Load(PathOf("newer"))), "plugin-duplicate-kind");
  for (const PluginInfo& info : loader.List()) {
    const bool older = info.manifest.version == "6.6.5";
    EXPECT_EQ(info.manifest.name, "evil_versions");
    EXPECT_EQ(info.state, older ? PluginState::kLoaded : PluginState::kFound) << info.path;
  }
  EXPECT_TRUE(loader.Shutdown().ok());
}

// A plugin that opens correctly, and then gives invalid answers.
TEST(EvilAnswers, AreStatuses) {
  setenv("LATHE_PLUGIN_PATH", PathOf("answers").c_str(), 1);
  const target::Target target = target::ParseTarget("evil_answers");
  auto codegen = CodeGen::For(target, 1, 1);
  ASSERT_TRUE(codegen.ok()) << codegen.status();

  const auto api = runtime::FindGlobal("device_api.evil_answers")().As<void*>();
  auto& device = *static_cast<runtime::DeviceAPI*>(api);
  EXPECT_EQ(StatusName(device.Count().status()), "plugin-contract");
  EXPECT_EQ(StatusName(device.Attribute(0, "name").status()), "plugin-silent-failure");
  EXPECT_EQ(StatusName(device.Alloc(0, {.bytes = 64}).status()), "plugin-contract");
  EXPECT_EQ(StatusName(device.NewStream(0, runtime::StreamKind::kCompute).status()),
            "device-unsupported");
  EXPECT_TRUE(device.SyncStream(0, nullptr).ok());

  EXPECT_EQ(StatusName(runtime::LoadModuleBytes("evil_answers", "").status()), "plugin-contract");
  const absl::Status old = runtime::LoadModuleBytes("evil_answers", "old").status();
  EXPECT_EQ(StatusName(old), "module-recompile");
  EXPECT_TRUE(Says(old, "by intent")) << old;
  const absl::Status rubbish = runtime::LoadModuleBytes("evil_answers", "rubbish").status();
  EXPECT_EQ(StatusName(rubbish), "module-refused");
  EXPECT_TRUE(Says(rubbish, "by intent")) << rubbish;
  const auto module = runtime::LoadModuleBytes("evil_answers", "x");
  ASSERT_TRUE(module.ok()) << module.status();
  EXPECT_THROW((*module)->GetFunction("f"), Error);
  EXPECT_EQ(StatusName((*module)->Save().status()), "plugin-contract");

  const auto check = codegen->Check("ir");
  ASSERT_TRUE(check.ok());
  EXPECT_FALSE(check->accepted);
  EXPECT_EQ(check->reason, "no reason was given");
  EXPECT_EQ(StatusName(codegen->Compile({.ir = ""}).status()), "plugin-contract");
  EXPECT_EQ(StatusName(codegen->Compile({.ir = "1"}).status()), "plugin-silent-failure");
  EXPECT_EQ(StatusName(codegen->Compile({.ir = "12"}).status()), "plugin-contract");
  EXPECT_EQ(StatusName(codegen->Compile({.ir = "123"}).status()), "plugin-contract");
  EXPECT_EQ(StatusName(codegen->Compile({.ir = "", .output = OutputKind::kObject}).status()),
            "output-unsupported");
  EXPECT_EQ(StatusName(codegen->Link({"a"}, OutputKind::kObject).status()), "link-unsupported");
  EXPECT_EQ(
      StatusName(CodeGen::For(target::ParseTarget("evil_answers -model=canonical"), 1, 1).status()),
      "plugin-contract");
}

TEST(EvilPlugins, AreListedWithTheirReasons) {
  EXPECT_EQ(StatusName(PluginLoader::Global().Load(PathOf("init_crashes"))),
            "plugin-probe-crashed");
  const std::string text = ListPluginsText();
  EXPECT_NE(text.find("evil_init_crashes 6.6.6 (disabled)"), std::string::npos) << text;
  EXPECT_NE(text.find("reason: [plugin-probe-crashed] it crashed in init"), std::string::npos)
      << text;
  EXPECT_NE(ListPluginsJson().find("\"state\": \"disabled\""), std::string::npos);
  EXPECT_EQ(StatusName(PluginLoader::Global().Load(PathOf("no_interface"))),
            "plugin-missing-interface");
  try {
    target::ParseTarget("evil_no_interface");
    ADD_FAILURE() << "a disabled plugin's target was accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.name(), "target-plugin-disabled");
    EXPECT_NE(error.diagnostic().found.find("no interface lathe.device.1"), std::string::npos);
  }
  // A crash may be temporary: the target is known, and using it tries the plugin again.
  EXPECT_EQ(target::ParseTarget("evil_init_crashes").kind, "evil_init_crashes");
}

}  // namespace
}  // namespace lathe::plugins
