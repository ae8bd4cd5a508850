#include <sys/mman.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/file.h"
#include "driver/compile.h"
#include "driver/default_plugins.h"
#include "gtest/gtest.h"
#include "ir/constants.h"
#include "ir/text/parser.h"
#include "ir/walk.h"
#include "lower/constants.h"
#include "lower/pipeline.h"
#include "runtime/artifact/artifact_module.h"
#include "runtime/status.h"
#include "runtime/tensor.h"
#include "schedule/primitives/primitives.h"
#include "target/target.h"
#include "te/operation.h"
#include "tests/check/check_passes.h"

namespace lathe::driver {
namespace {

using ir::Float;
using ir::Int;
using ir::MakeSizeVar;
using runtime::Tensor;

struct VectorAdd {
  VectorAdd() {
    n = MakeSizeVar("n");
    a = te::Placeholder({n}, DataType::Float(32), "A");
    b = te::Placeholder({n}, DataType::Float(32), "B");
    c = te::Compute(
        {n}, [&](const te::Indices& i) { return te::At(a, {i[0]}) + te::At(b, {i[0]}); }, "C");
    s = schedule::CreateSchedule({c->op});
  }
  ir::Var n;
  te::Tensor a, b, c;
  schedule::Schedule s;
};

std::vector<Tensor> Arguments(int64_t n) {
  std::vector<Tensor> out;
  for (int t = 0; t < 3; ++t) {
    Tensor tensor = *Tensor::Empty({n}, DataType::Float(32));
    float* data = tensor.HostData<float>();
    for (int64_t i = 0; i < n; ++i) data[i] = t == 2 ? 0.0f : static_cast<float>(i * (t + 1));
    out.push_back(tensor);
  }
  return out;
}

void ExpectSum(const runtime::Module& module, int64_t n) {
  std::vector<Tensor> t = Arguments(n);
  auto function = module.GetFunction("vector_add");
  ASSERT_TRUE(function.ok()) << function.status();
  (*function)(t[0], t[1], t[2]);
  for (int64_t i = 0; i < n; ++i)
    ASSERT_EQ(t[2].HostData<float>()[i], static_cast<float>(3 * i)) << i;
}

class Driver : public testing::Test {
 protected:
  void SetUp() override { UseDefaultPlugins(); }
  target::Target target() { return target::ParseTarget("llvm"); }
};

TEST_F(Driver, BuildsAndRunsHere) {
  VectorAdd v;
  auto [io, ii] = schedule::Split(v.s[v.c], schedule::AxisOf(v.c, 0), 64);
  schedule::Vectorize(v.s[v.c], schedule::Split(v.s[v.c], ii, 16).second);
  schedule::Parallel(v.s[v.c], io);
  auto module = Build(Lower(v.s, {v.a, v.b, v.c}, "vector_add", {}), target(), {});
  ASSERT_TRUE(module.ok()) << module.status();
  for (int64_t n : {0, 1, 63, 64, 65, 10000}) ExpectSum(*module, n);
}

TEST_F(Driver, ExportedFilesLoadAgain) {
  VectorAdd v;
  auto module = Build(Lower(v.s, {v.a, v.b, v.c}, "vector_add", {}), target(), {});
  ASSERT_TRUE(module.ok()) << module.status();
  for (const char* suffix : {".o", ".so", ".tar"}) {
    const std::string path = std::string(std::getenv("TEST_TMPDIR")) + "/vector_add" + suffix;
    const absl::Status saved = ExportLibrary(*module, path);
    ASSERT_TRUE(saved.ok()) << saved;
    auto loaded = runtime::LoadModuleFile(path);
    ASSERT_TRUE(loaded.ok()) << suffix << loaded.status();
    ExpectSum(*loaded, 100);
  }
  EXPECT_FALSE(ExportLibrary(*module, "x.zip").ok());
  EXPECT_FALSE(ExportLibrary(*module, "/nonexistent/x.o").ok());
}

TEST_F(Driver, ModulesThatWereAddedLaterAreExported) {
  VectorAdd v;
  const auto build = [&](const char* name) {
    return Build(Lower(v.s, {v.a, v.b, v.c}, name, {}), target(), {}).value();
  };
  const runtime::Module module = build("vector_add"), other = build("added"), third = build("more");
  other.Import(third);
  module.Import(other);
  for (const char* suffix : {".o", ".so", ".tar"}) {
    const std::string path = std::string(std::getenv("TEST_TMPDIR")) + "/importing" + suffix;
    const absl::Status saved = ExportLibrary(module, path);
    ASSERT_TRUE(saved.ok()) << saved;
    auto loaded = runtime::LoadModuleFile(path);
    ASSERT_TRUE(loaded.ok()) << suffix << loaded.status();
    ExpectSum(*loaded, 100);
    ASSERT_EQ((*loaded)->imports().size(), 1u);
    EXPECT_TRUE(loaded->GetFunction("added").ok());
    EXPECT_TRUE(loaded->GetFunction("more").ok());
    // Exports once more, with another import. The parts of a loaded shared library cannot be
    // determined, so it cannot be exported again.
    loaded->Import(build("late"));
    const absl::Status again = ExportLibrary(*loaded, path);
    if (std::string(suffix) == ".so") {
      EXPECT_EQ(runtime::StatusName(again), "export-kind") << again;
      continue;
    }
    ASSERT_TRUE(again.ok()) << again;
    loaded = runtime::LoadModuleFile(path);
    ASSERT_TRUE(loaded.ok()) << suffix << loaded.status();
    EXPECT_EQ((*loaded)->imports().size(), 2u);
    EXPECT_TRUE(loaded->GetFunction("late").ok());
  }
  // A module file contains them too.
  const auto saved = module.Serialize();
  ASSERT_TRUE(saved.ok()) << saved.status();
  const auto parts = runtime::ReadParts(*saved + "what follows in a file");
  ASSERT_TRUE(parts.ok()) << parts.status();
  EXPECT_EQ(parts->size(), 3u);
}

TEST_F(Driver, LoadedFilesAreExportedAsTheyAre) {
  VectorAdd v;
  const auto module = Build(Lower(v.s, {v.a, v.b, v.c}, "vector_add", {}), target(), {});
  const std::string folder = std::getenv("TEST_TMPDIR");
  ASSERT_TRUE(ExportLibrary(*module, folder + "/as_it_is.so").ok());
  const auto loaded = runtime::LoadModuleFile(folder + "/as_it_is.so");
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  ASSERT_TRUE(ExportLibrary(*loaded, folder + "/copy.so").ok());
  ExpectSum(*runtime::LoadModuleFile(folder + "/copy.so"), 10);
  EXPECT_EQ(runtime::StatusName(ExportLibrary(*loaded, folder + "/copy.o")), "export-kind");
  const ExportOptions named = {.symbol = "model_a"};
  EXPECT_EQ(runtime::StatusName(ExportLibrary(*module, folder + "/copy.so", named)),
            "export-symbol");
  ASSERT_TRUE(ExportLibrary(*module, folder + "/named.o", named).ok());
  EXPECT_EQ(runtime::StatusName(runtime::LoadModuleFile(folder + "/named.o").status()),
            "artifact-no-symbol");
}

// Flips 250 bits in each kind of file, one at a time. The damage must be found before any of the
// file runs, except in constants, which are checked on request.
TEST_F(Driver, AFlippedBitOfAFileIsFound) {
  const std::string data(8192, 'c');
  const te::Tensor t = te::Constant(Blob::Copy(data), {8192}, DataType::Int(8), "T");
  const te::Tensor a = te::Placeholder({Int(8192)}, DataType::Int(8), "A");
  const te::Tensor c = te::Compute(
      {Int(8192)}, [&](const te::Indices& i) { return te::At(a, {i[0]}) + te::At(t, {i[0]}); },
      "C");
  const ir::Module lowered = Lower(schedule::CreateSchedule({c->op}), {a, c}, "f", {});
  const auto made = CompileModule(lowered, target(), plugins::OutputKind::kModule, {});
  ASSERT_TRUE(made.ok()) << made.status();
  std::mt19937 random(7);
  for (const char* suffix : {".o", ".so", ".tar"}) {
    const std::string path = std::string(std::getenv("TEST_TMPDIR")) + "/flipped" + suffix;
    ASSERT_TRUE(ExportCompiled(*made, path).ok());
    ASSERT_TRUE(runtime::CheckArtifactFile(path).ok());
    std::string bytes;
    ASSERT_TRUE(ReadFile(path, kAnySize, &bytes).ok());
    const size_t constant = bytes.find(data);
    ASSERT_NE(constant, std::string::npos);
    int found = 0, in_constant = 0;
    for (int i = 0; i < 250; ++i) {
      // Does not flip the seal's mark: without it, the file counts as another linker's.
      const size_t at = random() % (bytes.size() - 16);
      std::string flipped = bytes;
      flipped[at] ^= static_cast<char>(1 << random() % 8);
      std::ofstream(path, std::ios::binary | std::ios::trunc) << flipped;
      const absl::Status loaded = runtime::LoadArtifact(path).status();
      const absl::Status checked = runtime::CheckArtifactFile(path);
      EXPECT_EQ(runtime::StatusName(checked), "artifact-damaged") << suffix << " at " << at;
      const bool is_constant = at >= constant && at < constant + data.size();
      EXPECT_EQ(loaded.ok(), is_constant) << suffix << " at " << at << ": " << loaded;
      (is_constant ? in_constant : found) += 1;
    }
    EXPECT_TRUE(found > 20 && in_constant > 20) << suffix << " " << found;
    std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes.substr(0, bytes.size() - 1);
    EXPECT_EQ(runtime::StatusName(runtime::CheckArtifactFile(path)), "artifact-no-digests");
  }
}

// True if a file is mapped into this process.
bool IsMapped(const std::string& path) {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);)
    if (line.ends_with(" " + path)) return true;
  return false;
}

// Constants that are too large for the code generator: symbols, which each file format defines in
// its own way.
TEST_F(Driver, LargeConstantsStandBesideTheCode) {
  constexpr int kRows = 4096;
  std::vector<float> table(kRows * 16);
  for (size_t i = 0; i < table.size(); ++i) table[i] = static_cast<float>(i % 1021);
  const size_t bytes = table.size() * sizeof(float);
  const te::Tensor t =
      te::Constant(Blob::Copy({reinterpret_cast<const char*>(table.data()), bytes}), {kRows, 16},
                   DataType::Float(32), "T");
  const te::Tensor a = te::Placeholder({Int(kRows), Int(16)}, DataType::Float(32), "A");
  const te::Tensor c = te::Compute(
      {Int(kRows), Int(16)},
      [&](const te::Indices& i) { return te::At(a, {i[0], i[1]}) + te::At(t, {i[0], i[1]}); }, "C");
  const ir::Module lowered = Lower(schedule::CreateSchedule({c->op}), {a, c}, "f", {});
  auto expect = [&](const runtime::Module& module) {
    const Tensor x = *Tensor::Empty({kRows, 16}, DataType::Float(32)),
                 y = *Tensor::Empty({kRows, 16}, DataType::Float(32));
    for (size_t i = 0; i < table.size(); ++i) x.HostData<float>()[i] = 0.5f;
    auto function = module.GetFunction("f");
    ASSERT_TRUE(function.ok()) << function.status();
    (*function)(x, y);
    for (size_t i = 0; i < table.size(); ++i)
      ASSERT_EQ(y.HostData<float>()[i], table[i] + 0.5f) << i;
  };
  const auto made = CompileModule(lowered, target(), plugins::OutputKind::kModule, {});
  ASSERT_TRUE(made.ok()) << made.status();
  ASSERT_EQ(made->constants.size(), 1u);
  EXPECT_LT(made->bytes.size(), bytes / 4);
  auto module = Load(*made);
  ASSERT_TRUE(module.ok()) << module.status();
  expect(*module);
  // Without its constant, loading fails and names what is missing.
  const auto without = runtime::LoadModuleBytes(made->module_kind, made->bytes);
  EXPECT_EQ(runtime::StatusName(without.status()), "artifact-unresolved-symbol");
  // Saves and loads it, exports it in each form, and exports each of those again.
  const auto saved = module->Serialize();
  ASSERT_TRUE(saved.ok()) << saved.status();
  expect(*runtime::Module::Deserialize(*saved));
  for (const char* suffix : {".o", ".so", ".tar"}) {
    const std::string path = std::string(std::getenv("TEST_TMPDIR")) + "/large" + suffix;
    absl::Status exported = ExportLibrary(*module, path);
    ASSERT_TRUE(exported.ok()) << exported;
    EXPECT_LT(std::filesystem::file_size(path), bytes + 100'000) << "the constant is there twice";
    auto loaded = runtime::LoadModuleFile(path);
    ASSERT_TRUE(loaded.ok()) << suffix << loaded.status();
    EXPECT_TRUE(IsMapped(path)) << suffix << ": the constant was copied";
    expect(*loaded);
    exported = ExportLibrary(*loaded, path);
    ASSERT_TRUE(exported.ok()) << exported;
    expect(*runtime::LoadModuleFile(path));
    exported = ExportCompiled(*made, path);
    ASSERT_TRUE(exported.ok()) << exported;
    expect(*runtime::LoadModuleFile(path));
  }
  // For another machine, it can be exported and saved, and lists its functions, which fail.
#ifdef __aarch64__
  const std::string other = "riscv64-linux-gnu";
#else
  const std::string other = "aarch64-linux-gnu";
#endif
  const auto foreign =
      Build(lowered, target::ParseTarget("llvm -mtriple=" + other), lower::PassContext());
  ASSERT_TRUE(foreign.ok()) << foreign.status();
  EXPECT_EQ(foreign->get()->FunctionNames(), std::vector<std::string>{"f"});
  const auto refused = foreign->GetFunction("f")->TryCallPacked(nullptr, 0);
  EXPECT_EQ(runtime::StatusName(refused.status()), "artifact-machine");
  EXPECT_GT(foreign->Serialize()->size(), bytes);
  for (const char* suffix : {".o", ".so", ".tar"}) {
    const std::string path = std::string(std::getenv("TEST_TMPDIR")) + "/foreign" + suffix;
    const absl::Status exported = ExportLibrary(*foreign, path);
    ASSERT_TRUE(exported.ok()) << exported;
    EXPECT_GT(std::filesystem::file_size(path), bytes);
    EXPECT_EQ(runtime::StatusName(runtime::LoadModuleFile(path).status()), "artifact-machine");
  }
  // The bytes of an object alone are complete.
  const auto alone = Compile(lowered, target(), plugins::OutputKind::kObject, {});
  ASSERT_TRUE(alone.ok()) << alone.status();
  expect(*runtime::LoadModuleBytes("elf", *alone));
}

// Data that is known at compile time: it is stored once, in the code, and read in place.
TEST_F(Driver, ConstantsTravelInTheCode) {
  std::vector<float> table(64 * 3);
  for (size_t i = 0; i < table.size(); ++i) table[i] = static_cast<float>(i) / 4;
  const std::string bytes(reinterpret_cast<const char*>(table.data()), table.size() * 4);
  const te::Tensor t = te::Constant(Blob::Copy(bytes), {64, 3}, DataType::Float(32), "T"),
                   same = te::Constant(Blob::Copy(bytes), {64, 3}, DataType::Float(32), "S");
  const ir::Var n = MakeSizeVar("n");
  const te::Tensor a = te::Placeholder({n, Int(3)}, DataType::Float(32), "A");
  const te::Tensor c = te::Compute(
      {n, Int(3)},
      [&](const te::Indices& i) {
        const ir::Expr row = ir::FloorModulo(ir::Expr(i[0]), 64);
        return te::At(a, {i[0], i[1]}) * te::At(t, {row, i[1]}) + te::At(same, {row, Int(0)});
      },
      "C");
  schedule::Schedule s = schedule::CreateSchedule({c->op});
  schedule::Parallel(s[c], schedule::AxisOf(c, 0));
  const ir::Module lowered = Lower(s, {a, c}, "f", {});
  EXPECT_EQ(ir::ConstantsIn(lowered->functions[0]->attrs).size(), 1u);
  int allocations = 0;
  ir::ForEach<ir::Allocate>(lowered, [&](const ir::Allocate&) { ++allocations; });
  EXPECT_EQ(allocations, 0);
  auto expect = [&](const runtime::Module& module) {
    const Tensor x = *Tensor::Empty({100, 3}, DataType::Float(32)),
                 y = *Tensor::Empty({100, 3}, DataType::Float(32));
    for (int64_t i = 0; i < 300; ++i) x.HostData<float>()[i] = static_cast<float>(i % 7);
    auto function = module.GetFunction("f");
    ASSERT_TRUE(function.ok()) << function.status();
    (*function)(x, y);
    for (int64_t i = 0; i < 300; ++i) {
      const auto row = static_cast<size_t>(i / 3 % 64), column = static_cast<size_t>(i % 3);
      ASSERT_EQ(y.HostData<float>()[i],
                x.HostData<float>()[i] * table[row * 3 + column] + table[row * 3])
          << i;
    }
  };
  auto module = Build(lowered, target(), {});
  ASSERT_TRUE(module.ok()) << module.status();
  expect(*module);
  for (const char* suffix : {".o", ".so", ".tar"}) {
    const std::string path = std::string(std::getenv("TEST_TMPDIR")) + "/constants" + suffix;
    const absl::Status saved = ExportLibrary(*module, path);
    ASSERT_TRUE(saved.ok()) << saved;
    auto loaded = runtime::LoadModuleFile(path);
    ASSERT_TRUE(loaded.ok()) << suffix << loaded.status();
    expect(*loaded);
  }
  // The interpreter takes the constants from the module, before and after every pass.
  try {
    lower::CheckPasses(lowered, lower::FlatPasses(), {100}, 3);
    const ir::Module gathered = lower::GatherConstants(lowered);
    EXPECT_EQ(lower::SeparateConstants(gathered).constants.size(), 1u);
    EXPECT_TRUE(lower::GatherConstants(gathered).same_as(gathered));
    lower::CheckPasses(gathered, lower::FlatPasses(), {100}, 3);
  } catch (const Error& error) {
    FAIL() << error.what();
  }
}

// A constant that is an argument is filled with the values of the table.
TEST_F(Driver, ConstantAsAnArgumentIsFilled) {
  const te::Tensor t = te::Constant(Blob::Copy("abcd"), {2, 2}, DataType::Int(8), "T");
  const te::Tensor c =
      te::Compute({Int(2)}, [&](const te::Indices& i) { return te::At(t, {i[0], Int(1)}); }, "C");
  auto module =
      Build(Lower(schedule::CreateSchedule({c->op, t->op}), {t, c}, "f", {}), target(), {});
  ASSERT_TRUE(module.ok()) << module.status();
  const Tensor x = *Tensor::Empty({2, 2}, DataType::Int(8)),
               y = *Tensor::Empty({2}, DataType::Int(8));
  (*module->GetFunction("f"))(x, y);
  EXPECT_EQ(std::string(x.HostData<char>(), 4), "abcd");
  EXPECT_EQ(std::string(y.HostData<char>(), 2), "bd");
}

TEST_F(Driver, ConstantsThatTheCodeDoesNotHoldAreAnError) {
  const ir::Module module = ir::ParseModule(R"(
func f(C: int32[2]) { allocate_const T: int32[2] index 1; C[0] = T[0] })");
  const std::vector<ir::ConstantRef> table(
      2, ir::MakeConstant(DataType::Int(32), {2}, Blob::Copy("abcdefgh")));
  EXPECT_TRUE(ConstantsNotHeld(module, table, {}, {false, true})->empty());
  const absl::Status left = ConstantsNotHeld(module, table, {}, {true, false}).status();
  EXPECT_NE(left.message().find("constant-not-held"), std::string::npos) << left;
  EXPECT_FALSE(ConstantsNotHeld(module, table, {}, {true}).ok());
  EXPECT_FALSE(ConstantsNotHeld(module, table, {nullptr, nullptr}, {}).ok());
  const auto by_symbol = ConstantsNotHeld(module, table, {nullptr, "symbol"}, {});
  ASSERT_TRUE(by_symbol.ok()) << by_symbol.status();
  ASSERT_EQ(by_symbol->size(), 1u);
  EXPECT_EQ((*by_symbol)[0].symbol, "symbol");
}

// S29: more elements than int32 counts. In other compilers such an index wraps and reads before the
// tensor. The memory is reserved, but only two of its pages are touched.
TEST_F(Driver, S29_TensorsOfMoreThan2To31Elements) {
  const ir::Module tile = ir::ParseModule(R"(
func f(A: uint8[65536, 65537], C: uint8[4], i: int32, j: int32) {
  C[0] = A[i, j]
  for k in range(2) { C[k + 1] = A[65535, 65535 + k] }
  C[3] = A[2, 3]
})");
  auto module = Build(tile, target(), {});
  ASSERT_TRUE(module.ok()) << module.status();
  constexpr size_t kRows = 65536, kColumns = 65537;
  void* memory = mmap(nullptr, kRows * kColumns, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  ASSERT_NE(memory, MAP_FAILED) << "4 GB of addresses";
  auto* bytes = static_cast<uint8_t*>(memory);
  bytes[kRows * kColumns - 1] = 7;
  bytes[kRows * kColumns - 2] = 6;
  bytes[2 * kColumns + 3] = 5;
  const int64_t shape[] = {65536, 65537};
  const Tensor a = Tensor::Wrap(
                   memory, 0, shape, {}, DataType::UInt(8), runtime::Device::Cpu(), [](void*) {},
                   nullptr),
               c = *Tensor::Empty({4}, DataType::UInt(8));
  (*module->GetFunction("f"))(a, c, 65535, 65536);
  const uint8_t* found = c.HostData<uint8_t>();
  EXPECT_EQ(found[0], 7);
  EXPECT_EQ(found[1], 6);
  EXPECT_EQ(found[2], 7);
  EXPECT_EQ(found[3], 5);
  munmap(memory, kRows * kColumns);
}

TEST_F(Driver, MisuseOfACallIsExplained) {
  VectorAdd v;
  auto module = Build(Lower(v.s, {v.a, v.b, v.c}, "vector_add", {}), target(), {});
  ASSERT_TRUE(module.ok()) << module.status();
  runtime::Function f = *module->GetFunction("vector_add");
  auto failure = [&](auto... args) -> std::string {
    auto result = f.TryCall(args...);
    return result.ok() ? "no error" : std::string(result.status().message());
  };
  Tensor good = *Tensor::Empty({4}, DataType::Float(32));
  Tensor other = *Tensor::Empty({5}, DataType::Float(32));
  Tensor wrong = *Tensor::Empty({4}, DataType::Float(64));
  Tensor flat = *Tensor::Empty({2, 2}, DataType::Float(32));
  EXPECT_NE(failure(good, good).find("call-argument-count"), std::string::npos)
      << failure(good, good);
  EXPECT_NE(failure(good, wrong, good).find("float64"), std::string::npos)
      << failure(good, wrong, good);
  EXPECT_NE(failure(good, flat, good).find("call-argument-rank"), std::string::npos);
  EXPECT_NE(failure(good, other, good).find("call-argument-shape"), std::string::npos);
  EXPECT_NE(failure(good, 3, good).find("call-argument-kind"), std::string::npos);
  EXPECT_NE(failure(good, nullptr, good).find("call-argument-null"), std::string::npos);
  EXPECT_NE(failure(good, wrong, good).find("`B`"), std::string::npos);
}

}  // namespace
}  // namespace lathe::driver
