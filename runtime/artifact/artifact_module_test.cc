#include "runtime/artifact/artifact_module.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>

#include "gtest/gtest.h"
#include "runtime/artifact/machine.h"
#include "runtime/artifact/static_artifact.h"
#include "runtime/artifact/test_objects.h"
#include "runtime/error_object.h"
#include "runtime/registry.h"
#include "runtime/status.h"

// artifact.c again, linked into this program.
extern "C" const lathe_artifact lathe_artifact_v1;

namespace lathe::runtime {
namespace {

std::string WriteFile(const std::string& name, const std::string& bytes) {
  const std::string path = ::testing::TempDir() + "/" + name;
  std::ofstream(path, std::ios::binary) << bytes;
  return path;
}

std::string ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file.good()) << path;
  return std::string(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
}

// artifact.c as a shared library, and in an archive with callee.c, for this machine.
std::string LibraryPath() { return "runtime/artifact/artifact_library.so"; }
std::string ArchivePath() {
  return WriteFile("archive", TestTarEntry("lib/artifact.o", ReadTestObject("artifact")) +
                                  TestTarEntry("lib/callee.o", ReadTestObject("callee")) +
                                  kTestTarEnd);
}

// Takes the error that a C function has left.
absl::Status FailureOf(const lathe_value& ret) {
  return StatusFromError(*ErrorRef::Adopt(reinterpret_cast<lathe_error*>(ret.v_object)).get());
}

void CheckModule(const Module& module) {
  auto add = module.GetFunction("add");
  ASSERT_TRUE(add.ok()) << add.status();
  EXPECT_EQ((*add)(40, 2).As<int64_t>(), 42);
  auto entry = module.EntryFunction();
  ASSERT_TRUE(entry.ok()) << entry.status();
  EXPECT_EQ((*entry)(1, 2).As<int64_t>(), 3);
  EXPECT_EQ(module->FunctionNames(), (std::vector<std::string>{"add", "call_twice"}));
  ASSERT_NE(module->metadata().FindFunction("add"), nullptr);
  EXPECT_EQ(module->metadata().FindFunction("add")->arguments.size(), 2u);
  EXPECT_EQ(StatusName(module.GetFunction("sub").status()), "module-no-function");
  // An error raised through the runtime's table.
  const auto failed = add->TryCall(1);
  EXPECT_EQ(StatusName(failed.status()), "call-wrong-argument-kind") << failed.status();
}

TEST(ArtifactModuleTest, RunsAnObject) {
  const std::string path = WriteFile("any.name", ReadTestObject("artifact"));
  auto module = LoadArtifact(path);
  ASSERT_TRUE(module.ok()) << module.status();
  EXPECT_EQ((*module)->kind(), "elf");
  CheckModule(*module);
}

TEST(ArtifactModuleTest, RunsASharedLibrary) {
  auto module = LoadArtifact(LibraryPath());
  ASSERT_TRUE(module.ok()) << module.status();
  EXPECT_EQ((*module)->kind(), "so");
  CheckModule(*module);
}

TEST(ArtifactModuleTest, RunsAnArchive) {
  auto module = LoadArtifact(ArchivePath());
  ASSERT_TRUE(module.ok()) << module.status();
  EXPECT_EQ((*module)->kind(), "tar");
  CheckModule(*module);
}

TEST(ArtifactModuleTest, SavesAndLoadsThroughTheRegistry) {
  ASSERT_TRUE(RegisterArtifactLoaders().ok());
  ASSERT_TRUE(RegisterArtifactLoaders().ok());
  const std::string object = WriteFile("object.bin", ReadTestObject("artifact"));
  for (const std::string& path : {object, LibraryPath(), ArchivePath()}) {
    auto module = LoadModuleFile(path);
    ASSERT_TRUE(module.ok()) << module.status();
    const auto saved = (*module)->Save();
    ASSERT_TRUE(saved.ok()) << saved.status();
    EXPECT_EQ(*saved, ReadFile(path));
    const std::string kind((*module)->kind());
    auto loaded = LoadModuleBytes(kind, *saved);
    ASSERT_TRUE(loaded.ok()) << loaded.status();
    CheckModule(*loaded);
    // As part of a module file.
    const auto file = module->Serialize();
    ASSERT_TRUE(file.ok()) << file.status();
    auto again = Module::Deserialize(*file);
    ASSERT_TRUE(again.ok()) << again.status();
    CheckModule(*again);
  }
}

TEST(ArtifactModuleTest, EveryLoadHasItsOwnImports) {
  ArtifactOptions options;
  auto twice = [](int factor) {
    struct Provider : ModuleNode {
      explicit Provider(int f) : factor(f) {}
      std::string_view kind() const override { return "test"; }
      Function GetFunction(std::string_view name) override {
        if (name != "twice") return Function();
        return Function::From([f = factor](int64_t x) { return x * f; });
      }
      int factor;
    };
    return Module(Make<Provider>(factor));
  };
  const std::string object = WriteFile("imports.o", ReadTestObject("artifact"));
  for (const std::string& path : {object, LibraryPath()}) {
    auto one = LoadArtifact(path), two = LoadArtifact(path), none = LoadArtifact(path);
    ASSERT_TRUE(one.ok() && two.ok() && none.ok()) << one.status() << two.status();
    one->Import(twice(2));
    two->Import(twice(20));
    EXPECT_EQ((*one->GetFunction("call_twice"))(4).As<int64_t>(), 8);
    EXPECT_EQ((*two->GetFunction("call_twice"))(4).As<int64_t>(), 80);
    EXPECT_EQ((*one->GetFunction("call_twice"))(5).As<int64_t>(), 10);
    EXPECT_FALSE(none->GetFunction("call_twice")->TryCall(4).ok());
  }
}

TEST(ArtifactModuleTest, FunctionsKeepTheCode) {
  Function add;
  {
    auto module = LoadArtifact(LibraryPath());
    ASSERT_TRUE(module.ok());
    add = *module->GetFunction("add");
  }
  EXPECT_EQ(add(1, 1).As<int64_t>(), 2);
}

TEST(ArtifactModuleTest, LibrariesGiveSymbols) {
  ArtifactOptions options;
  // kernels.c needs callee.c and TestCallback, and does not define a module.
  const std::string path = WriteFile("kernels.o", ReadTestObject("kernels"));
  auto module = LoadArtifact(path, options);
  EXPECT_EQ(StatusName(module.status()), "artifact-unresolved-symbol");
  static int32_t table[4];
  auto function = reinterpret_cast<void*>(+[](int32_t) -> int32_t { return 0; });
  options.libraries.push_back(
      SymbolTable("mine", {{"CalleeScale", function}, {"TestCallback", function}}));
  RegisterArtifactLibrary(
      SymbolTable("everybody's", {{"CalleeCount", function}, {"callee_table", table}}));
  EXPECT_EQ(StatusName(LoadArtifact(path, options).status()), "artifact-no-symbol");
}

TEST(ArtifactModuleTest, StaticallyLinked) {
  lathe_value ret{};
  ASSERT_EQ(lathe_register_artifact("mine", &lathe_artifact_v1, &ret), 0);
  const Function get = FindGlobal("module.static.mine");
  ASSERT_TRUE(get);
  const Module module = get().As<Module>();
  CheckModule(module);
  EXPECT_EQ(StatusName(module->Save().status()), "module-not-saveable");
  // The name is taken now.
  EXPECT_NE(lathe_register_artifact("mine", &lathe_artifact_v1, &ret), 0);
  EXPECT_EQ(StatusName(FailureOf(ret)), "registry-name-taken");
  ret = {};
  EXPECT_NE(lathe_register_artifact("", &lathe_artifact_v1, &ret), 0);
  EXPECT_EQ(StatusName(FailureOf(ret)), "artifact-null");
}

// A model in this program: its function `scale_N` calls `kernel` of an imported module.
template <int kModel>
struct LinkedModel {
  static inline const lathe_runtime_table* table = nullptr;
  static inline void* call_sites[1] = {};
  static int Scale(void*, const lathe_value* args, int32_t n, lathe_value* ret) {
    lathe_value own{};
    if (table->call_packed("kernel", call_sites, args, n, &own) != 0) return table->take_error(ret);
    *ret = own;
    return 0;
  }
  // The model's artefact, with the struct_size that a compiler of that time wrote.
  static lathe_artifact Artifact(uint32_t struct_size) {
    static const std::string imports = [] {
      const ModulePart part = {"linkedtest", std::to_string(kModel)};
      return SerializeParts({&part, 1});
    }();
    static const lathe_artifact_function functions[] = {{"scale", Scale}};
    lathe_artifact artifact{};
    artifact.struct_size = struct_size;
    artifact.kernel_abi = LATHE_KERNEL_ABI_FIRST;
    artifact.table = &table;
    artifact.functions = functions;
    artifact.num_functions = 1;
    artifact.imports = reinterpret_cast<const unsigned char*>(imports.data());
    artifact.imports_size = imports.size();
    artifact.call_sites = call_sites;
    artifact.num_call_sites = 1;
    return artifact;
  }
};

// `kernel` multiplies by the number saved with the module.
class LinkedKernels final : public ModuleNode {
 public:
  explicit LinkedKernels(int factor) : factor_(factor) {}
  std::string_view kind() const override { return "linkedtest"; }
  Function GetFunction(std::string_view name) override {
    if (name != "kernel") return Function();
    return Function::From([factor = factor_](int x) { return factor * x; });
  }
  std::vector<std::string> FunctionNames() const override { return {"kernel"}; }

 private:
  int factor_;
};

TEST(ArtifactModuleTest, LinkedModelsCallTheKernelsThatTheyImport) {
  ASSERT_TRUE(RegisterGlobal("module.load.linkedtest", Function::From([](const std::string& bytes) {
                               return Module(Make<LinkedKernels>(std::stoi(bytes)));
                             }))
                  .ok());
  static const lathe_artifact first = LinkedModel<2>::Artifact(sizeof(lathe_artifact)),
                              second = LinkedModel<3>::Artifact(sizeof(lathe_artifact));
  const auto a = StaticArtifact(&first), b = StaticArtifact(&second);
  ASSERT_TRUE(a.ok() && b.ok()) << a.status() << b.status();
  for (int time = 0; time < 2; ++time) {
    EXPECT_EQ(a->GetFunction("scale").value()(7).As<int64_t>(), 14);
    EXPECT_EQ(b->GetFunction("scale").value()(7).As<int64_t>(), 21);
  }
  EXPECT_FALSE(FindGlobal("kernel"));
  // Artefacts that do not list their call sites still share the registry.
  static const lathe_artifact old = LinkedModel<5>::Artifact(offsetof(lathe_artifact, parts)),
                              other = LinkedModel<7>::Artifact(offsetof(lathe_artifact, parts));
  const auto c = StaticArtifact(&old);
  ASSERT_TRUE(c.ok()) << c.status();
  EXPECT_EQ(c->GetFunction("scale").value()(7).As<int64_t>(), 35);
  EXPECT_EQ(StatusName(StaticArtifact(&other).status()), "registry-name-taken");
  EXPECT_TRUE(RemoveGlobal("kernel"));
}

TEST(ArtifactModuleTest, WhatIsNoArtefactIsNamed) {
  EXPECT_EQ(StatusName(LoadArtifact("/no/such/file").status()), "module-file-unreadable");
  EXPECT_EQ(StatusName(LoadArtifact(WriteFile("empty", "")).status()), "module-file-unreadable");
  EXPECT_EQ(StatusName(LoadArtifact(WriteFile("text.so", "int main() {}")).status()),
            "artifact-unknown-kind");
  EXPECT_EQ(StatusName(LoadArtifact(WriteFile("callee.o", ReadTestObject("callee"))).status()),
            "artifact-no-symbol");
}

// Opening a FIFO without a writer would wait forever.
TEST(ArtifactModuleTest, WhatIsNoFileIsRefusedByItsKind) {
  const std::string fifo = ::testing::TempDir() + "/fifo.so";
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  alarm(20);
  for (const auto& [path, kind] : {std::pair<std::string, const char*>(fifo, "it is a FIFO"),
                                   {"/dev/zero", "it is a device"},
                                   {::testing::TempDir(), "it is a folder"}}) {
    for (const absl::Status& status :
         {LoadArtifact(path).status(), LoadModuleFile(path).status()}) {
      EXPECT_EQ(StatusName(status), "module-file-unreadable");
      EXPECT_NE(StatusText(status).find(kind), std::string_view::npos) << status;
    }
  }
  alarm(0);
}

TEST(ArtifactModuleTest, LibrariesOfOtherMachinesAndCutOnes) {
  const std::string whole = ReadFile(LibraryPath());
  std::string foreign = whole;
  foreign[18] = 21;  // e_machine
  const absl::Status status = LoadArtifact(WriteFile("foreign.so", foreign)).status();
  EXPECT_EQ(StatusName(status), "artifact-machine");
  EXPECT_NE(StatusText(status).find(HostMachine()->name), std::string_view::npos) << status;
  std::string program = whole;
  program[16] = 2;  // e_type
  EXPECT_EQ(StatusName(LoadArtifact(WriteFile("program.so", program)).status()),
            "artifact-not-a-library");
  for (size_t size = 20; size < whole.size(); size += 97) {
    EXPECT_EQ(StatusName(LoadArtifact(WriteFile("cut.so", whole.substr(0, size))).status()),
              "artifact-corrupt")
        << size;
  }
}

// Loads the artefact with one field of its structure changed. Offsets are those of 64-bit machines.
absl::Status LoadChanged(size_t field, size_t bytes, uint64_t value) {
  std::string object = ReadTestObject("artifact");
  // struct_size and kernel_abi as the compiler wrote them. Only these are in the file; pointers are
  // relocations.
  const std::string head("\x40\0\0\0\1\0\0\0", 8);
  const size_t at = object.find(head);
  if (at == std::string::npos) return absl::InternalError("the structure is not where it was");
  for (size_t i = 0; i < bytes; ++i) object[at + field + i] = static_cast<char>(value >> (8 * i));
  return LoadArtifactBytes(object, "changed").status();
}

TEST(ArtifactModuleTest, NewerKernelAbiNamesBothSides) {
  if (sizeof(void*) != 8) GTEST_SKIP() << "offsets below are those of 64-bit structures";
  const absl::Status status = LoadChanged(4, 4, 7);
  EXPECT_EQ(StatusName(status), "artifact-kernel-abi");
  EXPECT_NE(StatusText(status).find("expected kernel ABI " + std::to_string(LATHE_KERNEL_ABI)),
            std::string_view::npos)
      << status;
  EXPECT_NE(StatusText(status).find("found 7"), std::string_view::npos) << status;
}

TEST(ArtifactModuleTest, DamagedTablesAreRefused) {
  if (sizeof(void*) != 8) GTEST_SKIP() << "offsets below are those of 64-bit structures";
  static_assert(sizeof(void*) != 8 || offsetof(lathe_artifact, parts) == 0x40);
  EXPECT_TRUE(LoadChanged(0, 0, 0).ok()) << LoadChanged(0, 0, 0);
  EXPECT_EQ(StatusName(LoadChanged(0, 4, 8)), "artifact-corrupt");            // struct_size
  EXPECT_EQ(StatusName(LoadChanged(4, 4, 0)), "artifact-corrupt");            // kernel_abi
  EXPECT_EQ(StatusName(LoadChanged(24, 8, UINT64_MAX)), "artifact-corrupt");  // num_functions
  EXPECT_EQ(StatusName(LoadChanged(24, 8, 1000)), "artifact-corrupt");
  EXPECT_EQ(StatusName(LoadChanged(24, 8, 0)), "artifact-corrupt");  // metadata names `add`
  EXPECT_EQ(StatusName(LoadChanged(40, 8, UINT64_MAX)), "artifact-corrupt");  // metadata_size
  EXPECT_EQ(StatusName(LoadChanged(40, 8, 5)), "metadata-invalid");
  EXPECT_EQ(StatusName(LoadChanged(48, 8, 0x1234)), "");              // imports, of size 0
  EXPECT_EQ(StatusName(LoadChanged(56, 8, 16)), "artifact-corrupt");  // imports_size
}

}  // namespace
}  // namespace lathe::runtime
