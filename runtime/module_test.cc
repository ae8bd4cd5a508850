#include "runtime/module.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <map>

#include "base/digest.h"
#include "base/error.h"
#include "runtime/cpu_features.h"
#include "runtime/registry.h"
#include "runtime/status.h"

namespace lathe::runtime {
namespace {

// Functions that return numbers: "one=1 two=2".
class Numbers : public ModuleNode {
 public:
  explicit Numbers(std::string text) : text_(std::move(text)) {
    for (size_t at = 0; at < text_.size();) {
      const size_t end = std::min(text_.find(' ', at), text_.size());
      const size_t equals = text_.find('=', at);
      FunctionMetadata function;
      function.name = text_.substr(at, equals - at);
      numbers_[function.name] = std::atoi(text_.substr(equals + 1, end - equals - 1).c_str());
      metadata_.functions.push_back(function);
      at = end + 1;
    }
    ++alive;
  }
  ~Numbers() override { --alive; }
  std::string_view kind() const override { return "numbers"; }
  Function GetFunction(std::string_view name) override {
    const auto at = numbers_.find(std::string(name));
    if (at == numbers_.end()) return nullptr;
    return Function::From(
        [self = Module(Ref<Numbers>(this)), value = at->second] { return value; });
  }
  absl::StatusOr<std::string> Save() const override { return text_; }
  const Metadata& metadata() const override { return metadata_; }

  static inline int alive = 0;

 private:
  std::string text_;
  std::map<std::string, int> numbers_;
  Metadata metadata_;
};

class Unsaved : public ModuleNode {
 public:
  std::string_view kind() const override { return "unsaved"; }
  Function GetFunction(std::string_view) override { return nullptr; }
};

Module Make(const std::string& text) { return Module(lathe::Make<Numbers>(text)); }

template <class F>
std::string Thrown(F body) {
  try {
    body();
  } catch (const Error& error) {
    return error.name();
  }
  return "";
}

class ModuleTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    RegisterGlobal("module.load.numbers",
                   Function::From([](const std::string& bytes) { return Make(bytes); }),
                   Override::kReplace)
        .IgnoreError();
  }
  void TearDown() override { EXPECT_EQ(Numbers::alive, 0); }
};

TEST_F(ModuleTest, FindsFunctionsInItselfAndImports) {
  Module a = Make("one=1 two=2"), b = Make("two=22 three=3"), c = Make("four=4");
  b.Import(c);
  a.Import(b);
  EXPECT_EQ((*a.GetFunction("two"))().As<int>(), 2);
  EXPECT_EQ((*a.GetFunction("three"))().As<int>(), 3);
  EXPECT_EQ((*a.GetFunction("four"))().As<int>(), 4);
  const absl::Status missing = a.GetFunction("thre").status();
  EXPECT_EQ(StatusName(missing), "module-no-function");
  EXPECT_NE(missing.message().find("did you mean `three`"), std::string_view::npos) << missing;
  EXPECT_EQ(StatusName(Module().GetFunction("x").status()), "module-null");
}

TEST_F(ModuleTest, EntryIsStatedSingleOrMain) {
  EXPECT_EQ((*Make("only=7").EntryFunction())().As<int>(), 7);
  EXPECT_EQ((*Make("a=1 main=5").EntryFunction())().As<int>(), 5);
  EXPECT_EQ(StatusName(Make("a=1 b=2").EntryFunction().status()), "module-no-entry");
}

TEST_F(ModuleTest, FunctionsKeepTheirModuleAlive) {
  Function function = Make("x=3").GetFunction("x").value();
  EXPECT_EQ(Numbers::alive, 1);
  EXPECT_EQ(function().As<int>(), 3);
}

TEST_F(ModuleTest, ImportCyclesAreRefused) {
  Module a = Make("a=1"), b = Make("b=1"), c = Make("c=1");
  a.Import(b);
  b.Import(c);
  EXPECT_EQ(Thrown([&] { c.Import(a); }), "module-import-cycle");
  EXPECT_EQ(Thrown([&] { a.Import(a); }), "module-import-cycle");
  EXPECT_EQ(Thrown([&] { a.Import(nullptr); }), "module-import-null");
}

// Each level imports the level below through two modules: 2^64 paths lead to the last one.
TEST_F(ModuleTest, SharedImportsAreWalkedOnce) {
  constexpr int kLevels = 64;
  Module root = Make("bottom=7");
  for (int level = 0; level < kLevels; ++level) {
    const std::string number = std::to_string(level);
    const Module left = Make("left" + number + "=1"), right = Make("right" + number + "=2"),
                 above = Make("level" + number + "=" + number);
    left.Import(root);
    right.Import(root);
    above.Import(left);
    above.Import(right);
    root = above;
  }
  EXPECT_EQ(ModulesOf(root).size(), 3u * kLevels + 1);
  EXPECT_TRUE(ModulesOf(Module()).empty());
  EXPECT_EQ((*root.GetFunction("bottom"))().As<int>(), 7);
  EXPECT_EQ(StatusName(root.GetFunction("nothing").status()), "module-no-function");
  EXPECT_EQ(Thrown([&] { root->imports()[0]->imports()[0].Import(root); }), "module-import-cycle");
  const std::string bytes = root.Serialize().value();
  const Module again = Module::Deserialize(bytes).value();
  EXPECT_EQ(ModulesOf(again).size(), 3u * kLevels + 1);
  EXPECT_EQ((*again.GetFunction("bottom"))().As<int>(), 7);
}

std::string Tree() {
  Module root = Make("root=1"), left = Make("left=2"), right = Make("right=3"),
         shared = Make("shared=4");
  left.Import(shared);
  right.Import(shared);
  root.Import(left);
  root.Import(right);
  return root.Serialize().value();
}

TEST_F(ModuleTest, TreesRoundTripAndShare) {
  const std::string bytes = Tree();
  Module root = Module::Deserialize(bytes).value();
  EXPECT_EQ(Numbers::alive, 4);
  for (const char* name : {"root", "left", "right", "shared"})
    EXPECT_TRUE(root.GetFunction(name).ok()) << name;
  EXPECT_EQ(root->imports()[0]->imports()[0].get(), root->imports()[1]->imports()[0].get());
  EXPECT_EQ(root.Serialize().value(), bytes);
}

TEST_F(ModuleTest, ImportsAloneRoundTrip) {
  Module root = Make("root=1");
  EXPECT_EQ(root.SerializeImports().value(), "");
  EXPECT_TRUE(Module::DeserializeImports("")->empty());
  root.Import(Make("a=1"));
  root.Import(Make("b=2"));
  const auto imports = Module::DeserializeImports(root.SerializeImports().value()).value();
  ASSERT_EQ(imports.size(), 2u);
  EXPECT_TRUE(imports[1].GetFunction("b").ok());
}

TEST_F(ModuleTest, EveryDamagedByteIsFound) {
  const std::string bytes = Tree();
  for (size_t i = 0; i < bytes.size(); ++i) {
    std::string damaged = bytes;
    damaged[i] = static_cast<char>(damaged[i] ^ 0x10);
    const std::string name(StatusName(Module::Deserialize(damaged).status()));
    EXPECT_TRUE(name == "module-file-corrupt" ||
                (name == "module-file-version" && i >= 8 && i < 12))
        << i << name;
    EXPECT_EQ(StatusName(Module::Deserialize(bytes.substr(0, i)).status()), "module-file-corrupt")
        << i;
  }
  EXPECT_EQ(StatusName(Module::Deserialize(bytes + "x").status()), "module-file-corrupt");
}

TEST_F(ModuleTest, MissingLoadersAndUnsaveableModulesAreNamed) {
  Module unsaved(lathe::Make<Unsaved>());
  EXPECT_EQ(StatusName(unsaved.Serialize().status()), "module-not-saveable");
  EXPECT_EQ(StatusName(unsaved->Source("").status()), "module-no-source");
  const std::string bytes = Make("x=1").Serialize().value();
  const Function loader = FindGlobal("module.load.numbers");
  RemoveGlobal("module.load.numbers");
  const absl::Status status = Module::Deserialize(bytes).status();
  ASSERT_TRUE(RegisterGlobal("module.load.numbers", loader).ok());
  EXPECT_EQ(StatusName(status), "module-loader-missing");
  EXPECT_NE(status.message().find("`numbers`"), std::string_view::npos);
}

TEST_F(ModuleTest, FilesAreToldApartByTheirFirstBytes) {
  const std::string folder = std::getenv("TEST_TMPDIR");
  const auto write = [&](const std::string& name, const std::string& bytes) {
    std::ofstream(folder + "/" + name, std::ios::binary) << bytes;
    return folder + "/" + name;
  };
  EXPECT_TRUE(
      LoadModuleFile(write("m.lathe", Make("x=1").Serialize().value()))->GetFunction("x").ok());
  EXPECT_EQ(StatusName(LoadModuleFile(folder + "/none").status()), "module-file-unreadable");
  EXPECT_EQ(StatusName(LoadModuleFile(write("text", "hello")).status()), "module-file-unknown");
  EXPECT_EQ(StatusName(LoadModuleFile(write("empty", "")).status()), "module-file-unknown");
  std::string object(
      "\x7f"
      "ELF",
      4);
  object.resize(16);
  object += std::string("\1\0", 2);
  std::string asked;
  ASSERT_TRUE(RegisterGlobal("module.load_file.o", Function::From([&](const std::string& path) {
                               asked = path;
                               return Make("o=1");
                             }))
                  .ok());
  EXPECT_TRUE(LoadModuleFile(write("k.o", object)).ok());
  EXPECT_EQ(asked, folder + "/k.o");
  RemoveGlobal("module.load_file.o");
}

TEST_F(ModuleTest, CrossesAsAValue) {
  Module module = Make("x=1");
  EXPECT_EQ(Value(module).As<Module>().get(), module.get());
  EXPECT_EQ(Value(module).ToString(), "module");
  EXPECT_TRUE(Value(Module()).is_none());
}

TEST(Digest, DependsOnEveryByteAndTheSize) {
  const std::string zeros(100, '\0');
  std::map<std::string, size_t> seen;
  for (size_t size = 0; size <= 100; ++size)
    EXPECT_TRUE(seen.emplace(DigestOf(zeros.substr(0, size)).ToString(), size).second);
  for (size_t i = 0; i < 100; ++i)
    for (int bit = 0; bit < 8; ++bit) {
      std::string changed = zeros;
      changed[i] = static_cast<char>(1 << bit);
      EXPECT_TRUE(seen.emplace(DigestOf(changed).ToString(), i).second) << i;
    }
  // These digests are stored in files: they must never change.
  EXPECT_EQ(DigestOf("").ToString(), "4a66c670ea459c24c0575413b0e8ddb0");
  EXPECT_EQ(DigestOf("lathe").ToString(), "43aadf87ffd09dd873da201eaec508db");
  EXPECT_EQ(DigestOf(std::string(1000, 'x')).ToString(), "bbe0ad9cc5b081d0c484ec34a511c507");
}

constexpr char kMetadata[] =
    R"({"lathe": 1, "compiler": "0.1", "target": "llvm", "kind": "elf", "entry": "add", "devices": ["cpu"], )"
    R"("functions": [{"name": "add", "device": "cpu", "arguments": [{"name": "A", "kind": "tensor", )"
    R"("dtype": "float32", "rank": 2, "shape": ["n", 4]}, {"name": "n", "kind": "int", "dtype": "int32"}], )"
    R"("outputs": ["A"]}]})";

TEST(Metadata, RoundTrips) {
  const Metadata metadata = Metadata::FromJson(kMetadata).value();
  EXPECT_EQ(metadata.ToJson(), kMetadata);
  ASSERT_NE(metadata.FindFunction("add"), nullptr);
  EXPECT_EQ(metadata.FindFunction("add")->Signature(), "add(A: float32[n, 4], n: int32)");
  EXPECT_EQ(metadata.FindFunction("sub"), nullptr);
}

TEST(Metadata, BadOnesAreNamed) {
  const auto name = [](std::string text) {
    return std::string(StatusName(Metadata::FromJson(text).status()));
  };
  EXPECT_EQ(name(R"({"lathe":2})"), "metadata-version");
  EXPECT_EQ(name("{}"), "metadata-version");
  for (const char* bad :
       {"", "[]", "{", R"({"lathe":1,"target":3})", R"({"lathe":1,"functions":{}})",
        R"({"lathe":1,"functions":[{}]})",
        R"({"lathe":1,"functions":[{"name":"f","arguments":[{"kind":"car"}]}]})",
        R"({"lathe":1,"functions":[{"name":"f","arguments":[{"dtype":"float33"}]}]})",
        R"({"lathe":1,"functions":[{"name":"f","arguments":[{"rank":99}]}]})",
        R"({"lathe":1,"functions":[{"name":"f","arguments":[{"rank":1,"shape":[1,2]}]}]})",
        R"({"lathe":1,"devices":[true]})"})
    EXPECT_EQ(name(bad), "metadata-invalid") << bad;
  const std::string whole = kMetadata;
  for (size_t i = 0; i < whole.size(); ++i) EXPECT_NE(name(whole.substr(0, i)), "") << i;
}

TEST(Metadata, ChecksWhatThisMachineHas) {
  Metadata metadata;
  metadata.target = "llvm";
  metadata.devices = {"cpu"};
  EXPECT_TRUE(CheckMetadata(metadata).ok());
  metadata.devices = {"cpu", "vulkan"};
  EXPECT_EQ(StatusName(CheckMetadata(metadata)), "module-missing-device");
  metadata.devices = {"cpu"};
  metadata.needs = {"nothing-known"};
  EXPECT_EQ(StatusName(CheckMetadata(metadata)), "module-processor-state");
  // Granted if the processor has tiles (unless a sandbox refuses), else refused by name.
  metadata.needs = {"amx-tile"};
  const absl::Status tiles = CheckMetadata(metadata);
  if (!tiles.ok()) EXPECT_EQ(StatusName(tiles), "module-processor-state");
  if (HostSupports("amx-tile") != Support::kYes) EXPECT_FALSE(tiles.ok());
  EXPECT_EQ(Metadata::FromJson(metadata.ToJson())->needs, metadata.needs);
  metadata.needs.clear();
  metadata.devices = {"nobodys"};
  EXPECT_EQ(StatusName(CheckMetadata(metadata)), "module-missing-device");
  metadata.devices.clear();
  const std::string other = HostArchitecture() == "x86_64" ? "aarch64" : "x86_64";
  metadata.target = "llvm -mtriple=" + other + "-linux-gnu";
  const absl::Status wrong = CheckMetadata(metadata);
  EXPECT_EQ(StatusName(wrong), "module-wrong-target");
  EXPECT_NE(wrong.message().find(HostArchitecture()), std::string_view::npos);
  EXPECT_NE(wrong.message().find(other), std::string_view::npos);
  metadata.target =
      "llvm -mtriple=" + std::string(HostArchitecture()) + "-linux-gnu -mattr=+unheard-of";
  EXPECT_TRUE(CheckMetadata(metadata).ok());
  metadata.target = "cuda -arch=sm_90a";
  EXPECT_TRUE(CheckMetadata(metadata).ok());
  // For any kind of module, CPU code must be for this processor's architecture.
  metadata.target = "acme -mtriple=" + other + "-linux-gnu";
  metadata.devices = {"cpu"};
  EXPECT_EQ(StatusName(CheckMetadata(metadata)), "module-wrong-target");
  metadata.devices = {"nobodys"};  // the plugin of the other device checks its code
  EXPECT_EQ(StatusName(CheckMetadata(metadata)), "module-missing-device");
}

TEST(CpuFeatures, MissingOnesAreNamed) {
  for (const std::string& feature : HostFeatures()) {
    EXPECT_EQ(HostSupports(feature), Support::kYes);
    EXPECT_TRUE(CheckTargetRunsHere("llvm -mattr=+" + feature).ok());
  }
  EXPECT_EQ(HostSupports("unheard-of"), Support::kUnknown);
#if defined(__x86_64__)
  for (const char* feature : {"sse4.2", "avx2", "avx512f", "amx-int8", "avx512fp16"}) {
    const std::string target = std::string("llvm -mattr=+") + feature;
    EXPECT_EQ(CheckTargetRunsHere(target).ok(), HostSupports(feature) == Support::kYes) << feature;
    EXPECT_TRUE(CheckTargetRunsHere(target + ",-" + feature).ok()) << feature;
  }
#endif
}

}  // namespace
}  // namespace lathe::runtime
