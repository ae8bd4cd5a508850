// Compares the schedules that templates make with testdata/schedules.txt. It has for each target
// and kernel the number of steps of the trace, a digest of the trace in canonical names, and the
// structural hash of the lowered loops. A change that only moves code must not change the file. If
// a template is improved, the difference shows which targets and kernels change:
//
//   bazel run //tests/topi:schedules_test -- --autoupdate
//
// Times are not recorded here: bench/run measures them.
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "base/digest.h"
#include "base/error.h"
#include "gtest/gtest.h"
#include "ir/structural.h"
#include "lower/pipeline.h"
#include "schedule/canonical_trace.h"
#include "schedule/loop_nest.h"
#include "target/machine_of.h"
#include "target/target_schema.h"
#include "tests/topi/known_kernels.h"

namespace lathe::topi {
namespace {

constexpr const char* kTable = "tests/topi/testdata/schedules.txt";

// Written out in full, so that the record depends neither on this machine nor on what a code
// generator knows about processors.
const std::string kX86 = "llvm -mtriple=x86_64-linux-gnu", kAvx2 = "+avx,+avx2,+fma",
                  kAvx512 = kAvx2 + ",+avx512f,+avx512bw,+avx512vl";
const std::vector<std::string> kTargets = {
    kX86 + " -vector-width=256 -mattr=" + kAvx2,
    kX86 + " -vector-width=512 -l1-cache-bytes=49152 -l2-cache-bytes=2097152 -mattr=" + kAvx512 +
        ",+avx512vnni,+avx512bf16",
    kX86 + " -vector-width=512 -mattr=" + kAvx512 + ",+amx-tile,+amx-int8,+amx-bf16",
    "llvm -mtriple=aarch64-linux-gnu -vector-width=128 -mattr=+neon,+dotprod,+i8mm,+bf16",
};

target::Machine MachineOfText(const std::string& text) {
  const auto manifest = runtime::Manifest::Parse(R"({
    "lathe": 1, "name": "llvm", "version": "1", "abi": [1, 1],
    "targets": [{"kind": "llvm", "keys": ["cpu"], "stage": "flat", "ir": [1, 1],
      "attributes": [{"key": "mtriple", "type": "string"}, {"key": "mattr", "type": "list"},
        {"key": "vector-width", "type": "int"}, {"key": "num-cores", "type": "int"},
        {"key": "l1-cache-bytes", "type": "int"}, {"key": "l2-cache-bytes", "type": "int"}]}]})");
  if (!manifest.ok()) throw std::runtime_error(std::string(manifest.status().message()));
  const auto schemas = target::ReadTargetSchemas(*manifest);
  if (!schemas.ok()) throw std::runtime_error(std::string(schemas.status().message()));
  return target::MachineOf(target::ParseTargetWith(
      text, std::make_shared<target::TargetSchema>(schemas->at(0)), "llvm 1"));
}

std::string Hexadecimal(uint64_t value) {
  char text[17];
  std::snprintf(text, sizeof(text), "%016llx", static_cast<unsigned long long>(value));
  return text;
}

// Leaves out names of operations and attributes: only what the schedule does counts.
std::string TraceDigest(const cpu::Kernel& kernel) {
  const ir::Program program =
      schedule::ToProgram(kernel.schedule, {kernel.args.begin(), kernel.args.end()}, "kernel");
  std::string steps;
  const ir::Program canonical = schedule::CanonicalWithTrace(program);
  for (const auto& step : canonical->trace) steps += Hexadecimal(ir::StructuralHash(step)) + "\n";
  return Hexadecimal(DigestOf(steps).low);
}

std::string LoopsHash(const cpu::Kernel& kernel) {
  const ir::Func loops =
      schedule::LowerSchedule(kernel.schedule, {kernel.args.begin(), kernel.args.end()}, "kernel",
                              schedule::Claims::kTrusted);
  const ir::Module module =
      lower::RunPasses(ir::MakeModule({loops}), lower::TilePasses(), lower::PassContext());
  return Hexadecimal(ir::StructuralHash(module));
}

std::string Describe(const KnownKernel& known, const target::Machine& machine) {
  try {
    const cpu::Kernel kernel = known.make(machine);
    return "steps=" + std::to_string(kernel.schedule->trace.size()) +
           " trace=" + TraceDigest(kernel) + " loops=" + LoopsHash(kernel);
  } catch (const Error& error) {
    return "refused=" + error.name();
  }
}

std::vector<std::string> Lines(std::istream& text) {
  std::vector<std::string> lines;
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  return lines;
}

std::vector<std::string> Record() {
  const std::vector<KnownKernel> kernels = KnownKernels();
  std::vector<std::string> lines = {
      "Schedules of templates: bazel run //tests/topi:schedules_test -- --autoupdate"};
  for (const std::string& target : kTargets) {
    lines.insert(lines.end(), {"", target});
    const target::Machine machine = MachineOfText(target);
    for (const KnownKernel& known : kernels) {
      lines.push_back("  " + known.name + " " + Describe(known, machine));
    }
  }
  return lines;
}

TEST(Schedules, AreAsRecorded) {
  std::ifstream file(kTable);
  ASSERT_TRUE(file) << kTable;
  const std::vector<std::string> expected = Lines(file), found = Record();
  std::string target;
  int differences = 0;
  for (size_t i = 0; i < std::max(expected.size(), found.size()); ++i) {
    const std::string was = i < expected.size() ? expected[i] : "(nothing)",
                      is = i < found.size() ? found[i] : "(nothing)";
    if (is.rfind("llvm", 0) == 0) target = is;
    if (was == is) continue;
    if (++differences <= 10) ADD_FAILURE() << target << "\n  was:" << was << "\n  is: " << is;
  }
  EXPECT_EQ(differences, 0) << "lines differ. Where that is intended: "
                            << "bazel run //tests/topi:schedules_test -- --autoupdate";
}

TEST(Schedules, NamesDiffer) {
  std::set<std::string> names;
  for (const KnownKernel& known : KnownKernels())
    EXPECT_TRUE(names.insert(known.name).second) << known.name;
}

int Update() {
  const char* workspace = std::getenv("BUILD_WORKSPACE_DIRECTORY");
  const std::string path = (workspace == nullptr ? "" : std::string(workspace) + "/") + kTable;
  std::ofstream file(path);
  for (const std::string& line : Record()) file << line << "\n";
  file.close();
  std::cout << (file ? "wrote " : "cannot write ") << path << "\n";
  return file ? 0 : 1;
}

}  // namespace
}  // namespace lathe::topi

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  if (argc == 2 && std::string_view(argv[1]) == "--autoupdate") return lathe::topi::Update();
  return RUN_ALL_TESTS();
}
