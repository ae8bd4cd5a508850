#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include "base/error.h"
#include "runtime/cpu_features.h"
#include "target/canonical.h"
#include "target/host_machine.h"
#include "target/host_target.h"
#include "target/machine_of.h"

namespace lathe::target {
namespace {

constexpr char kProcessors[] = R"(
  {"kind": "chip", "stage": "flat", "ir": [1, 1], "attributes": [
    {"key": "mtriple", "type": "string"}, {"key": "mcpu", "type": "string"},
    {"key": "mattr", "type": "list"}, {"key": "vector-width", "type": "int"},
    {"key": "num-cores", "type": "int", "range": [1, 1000000]},
    {"key": "l1-cache-bytes", "type": "int"},
    {"key": "l2-cache-bytes", "type": "int", "default": 1000000},
    {"key": "l2-cache-shared", "type": "bool"}]},
  {"kind": "gpu", "stage": "flat", "ir": [1, 1], "device": "gpu",
   "attributes": [{"key": "mattr", "type": "list"}, {"key": "max-shared-memory-per-block", "type": "int"},
                  {"key": "num-cores", "type": "int"}],
   "machine": {"limits": {"max_shared_memory_per_block": 100, "warp_size": 32,
                          "max_registers_per_block": 65536},
               "vector_widths": {"float32": 8}, "grid_barrier": false}})";

Target Of(const std::string& text) {
  const auto manifest = runtime::Manifest::Parse(
      R"({"lathe": 1, "name": "acme", "version": "1", "abi": [1, 1], "targets": [)" +
      std::string(kProcessors) + "]}");
  const auto schemas = ReadTargetSchemas(*manifest);
  const size_t which = text.rfind("gpu", 0) == 0 ? 1 : 0;
  return ParseTargetWith(text, std::make_shared<TargetSchema>(schemas->at(which)), "acme 1");
}

TEST(Machine, BlocksMeetUnlessTheManifestSaysOtherwise) {
  EXPECT_TRUE(MachineOf(Of("chip -mtriple=x86_64-linux-gnu")).grid_barrier);
  EXPECT_FALSE(MachineOf(Of("gpu")).grid_barrier);
}

TEST(Machine, IsWhatTheTargetSays) {
  const Machine machine = MachineOf(
      Of("chip -mtriple=x86_64-linux-gnu -mattr=+avx2,+avx512f,-amx-int8 -vector-width=512 "
         "-num-cores=6 -l1-cache-bytes=49152 -l2-cache-bytes=2097152 -l2-cache-shared"));
  EXPECT_EQ(machine.architecture, Architecture::kX86);
  EXPECT_EQ(machine.vector_bytes, 64);
  EXPECT_EQ(machine.vector_registers, 32);
  EXPECT_TRUE(machine.Has("avx512f"));
  EXPECT_FALSE(machine.Has("amx-int8"));
  EXPECT_EQ(machine.cores, 6);
  EXPECT_EQ(machine.l1.bytes, 49152);
  EXPECT_EQ(machine.l2.bytes, 2097152);
  EXPECT_TRUE(machine.l2.shared);
  EXPECT_EQ(MachineOf(Of("chip -mtriple=x86_64-linux-gnu")).vector_registers, 16);
  const Machine arm = MachineOf(Of("chip -mtriple=arm64-linux-gnu"));
  EXPECT_EQ(arm.architecture, Architecture::kAArch64);
  EXPECT_EQ(arm.vector_registers, 32);
}

// The user's value, then the manifest's, then the smallest.
TEST(Machine, OfWhatTheTargetDoesNotSay) {
  const Machine machine = MachineOf(Of("chip -mtriple=x86_64-linux-gnu -mcpu=some"));
  EXPECT_EQ(machine.l1.bytes, 32 * 1024);
  EXPECT_EQ(machine.l2.bytes, 1000000) << "the manifest's default";
  EXPECT_FALSE(machine.l2.shared);
  EXPECT_EQ(machine.cores, 1);
  EXPECT_EQ(machine.vector_bytes, 16);
}

TEST(Machine, StreamsWhatItsLastCacheCannotHold) {
  struct Case {
    int64_t l2, l3;  // MiB
    int cores;
    int64_t streamed;
  };
  for (const Case& c : {Case{1, 0, 16, 32},  // no value is known
                        {1, 8, 4, 8},
                        {1, 8, 64, 8},
                        {1, 32, 2, 32},
                        {2, 1, 2, 2},  // a small part of the third cache
                        {1, 96, 16, 64},
                        {2, 260, 4, 32},  // a small virtual machine on a large processor
                        {2, 260, 48, 192},
                        {2, 260, 96, 260}}) {
    Machine machine;
    machine.l2.bytes = c.l2 << 20;
    machine.l3.bytes = c.l3 << 20;
    machine.cores = c.cores;
    EXPECT_EQ(machine.StreamedBytes(), c.streamed << 20) << c.l3 << " MiB, " << c.cores;
  }
}

TEST(Machine, OfAGpuHasItsManifestsLimits) {
  const Machine machine = MachineOf(Of("gpu -mattr=+mma"));
  EXPECT_EQ(machine.limits.at("warp_size"), 32);
  EXPECT_EQ(machine.limits.at("max_shared_memory_per_block"), 100);
  EXPECT_EQ(machine.limits.at("max_registers_per_block"), 65536);
  EXPECT_EQ(machine.Limit("warp_size"), 32);
  EXPECT_EQ(machine.Limit("max_vector_bytes"), 0) << "not limited";
  EXPECT_EQ(machine.vector_bytes, 32);
  EXPECT_TRUE(machine.Has("mma"));
  const Machine given = MachineOf(Of("gpu -max-shared-memory-per-block=70"));
  EXPECT_EQ(given.limits.at("max_shared_memory_per_block"), 70);
}

TEST(IsThisMachine, WhereNobodyNamesAnother) {
  const std::string here(runtime::HostArchitecture());
  const std::string other = here == "x86_64" ? "aarch64" : "x86_64";
  EXPECT_TRUE(IsThisMachine(Of("chip")));
  EXPECT_TRUE(IsThisMachine(Of("chip -mcpu=native -mattr=+avx2")));
  EXPECT_TRUE(IsThisMachine(Of("chip -mtriple=" + here + "-linux-gnu")));
  EXPECT_FALSE(IsThisMachine(Of("chip -mtriple=" + here + "-apple-darwin")));
  EXPECT_FALSE(IsThisMachine(Of("chip -mtriple=" + other + "-linux-gnu")));
  EXPECT_FALSE(IsThisMachine(Of("chip -mtriple=" + other + "-linux-gnu -mcpu=native")));
  EXPECT_FALSE(IsThisMachine(Of("chip -mcpu=x86-64-v3")));
  EXPECT_FALSE(IsThisMachine(Of("gpu")));
}

TEST(WithHostFigures, AddsThisMachinesToItsTargetsAlone) {
  const auto figures = HostFigures();
  const Target here = WithHostFigures(Of("chip"), Of("chip"));
  EXPECT_EQ(here.Get("num-cores"), figures.at("num-cores"));
  EXPECT_EQ(here.Get("l2-cache-bytes"), "1000000") << "the manifest said it";
  EXPECT_EQ(here.Get("l3-cache-bytes"), "") << "no attribute of this kind";
  EXPECT_EQ(WithHostFigures(here, here).ToString(), here.ToString());
  const Target given = Of("chip -num-cores=77 -l1-cache-bytes=4096");
  EXPECT_EQ(WithHostFigures(given, given).Get("num-cores"), "77");
  EXPECT_EQ(WithHostFigures(given, given).Get("l1-cache-bytes"), "4096");
  const Target cross = Of("chip -mcpu=another");
  EXPECT_EQ(WithHostFigures(cross, cross).ToString(), cross.ToString());
}

// A folder in the form of the system's folder for a processor.
class Caches : public testing::Test {
 protected:
  void Write(const std::string& file, const std::string& text) {
    const std::filesystem::path path = folder_ + "/" + file;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << text << "\n";
  }
  void Cache(int index, const char* level, const char* type, const char* size, const char* cores) {
    const std::string at = "cache/index" + std::to_string(index) + "/";
    Write(at + "level", level);
    Write(at + "type", type);
    Write(at + "size", size);
    Write(at + "shared_cpu_list", cores);
  }
  const std::string folder_ = std::string(getenv("TEST_TMPDIR")) + "/" +
                              testing::UnitTest::GetInstance()->current_test_info()->name();
};

TEST_F(Caches, AreReadByLevel) {
  Write("topology/thread_siblings_list", "0,4");
  Cache(0, "1", "Data", "48K", "0,4");
  Cache(1, "1", "Instruction", "32K", "0,4");
  Cache(2, "2", "Unified", "2M", "0,4");
  Cache(3, "3", "Unified", "32768K", "0-7");
  const std::map<std::string, std::string> expected = {{"l1-cache-bytes", "49152"},
                                                       {"l2-cache-bytes", "2097152"},
                                                       {"l2-cache-shared", "0"},
                                                       {"l3-cache-bytes", "33554432"}};
  EXPECT_EQ(CachesIn(folder_), expected);
  Cache(2, "2", "Unified", "2M", "0-1,4-5");
  EXPECT_EQ(CachesIn(folder_).at("l2-cache-shared"), "1");
}

TEST_F(Caches, ThatSayNonsenseAreNotThere) {
  EXPECT_TRUE(CachesIn(folder_).empty());
  Cache(0, "1", "Data", "-3K", "0");
  Cache(1, "2", "Unified", "99999999999999999999K", "0");
  Cache(2, "9", "Unified", "32K", "0");
  Cache(3, "3", "Unified", "", "5-1");
  EXPECT_TRUE(CachesIn(folder_).empty());
  Cache(4, "2", "Unified", "64K", "9-1");
  const std::map<std::string, std::string> expected = {{"l2-cache-bytes", "65536"}};
  EXPECT_EQ(CachesIn(folder_), expected) << "who shares it nobody knows";
}

TEST(HostFigures, CountTheProcessorsThatLoopsUse) {
  EXPECT_GE(std::stoi(HostFigures().at("num-cores")), 1);
}

TEST(HostTarget, IsNamedWhereThereIsNone) {
  setenv("LATHE_PLUGIN_PATH", getenv("TEST_TMPDIR"), 1);
  try {
    HostTarget();
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_EQ(error.name(), "target-no-host");
    EXPECT_NE(error.diagnostic().found.find(getenv("TEST_TMPDIR")), std::string::npos);
  }
}

}  // namespace
}  // namespace lathe::target
