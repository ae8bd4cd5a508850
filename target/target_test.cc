#include "target/target.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <memory>
#include <string>

#include "base/error.h"
#include "runtime/status.h"

namespace lathe::target {
namespace {

using runtime::Manifest;
using runtime::StatusName;

std::string ManifestOf(const std::string& target) {
  return R"({"lathe": 1, "name": "acme", "version": "1.2", "abi": [1, 1], "targets": [)" + target +
         "]}";
}

constexpr char kAcme[] = R"({
  "kind": "acme", "doc": "An NPU", "keys": ["acme", "npu"], "device": "acme", "stage": "tile", "ir": [2, 3],
  "outputs": ["module", "assembly"],
  "attributes": [
    {"key": "mtriple", "type": "string", "doc": "Target triple"},
    {"key": "mcpu", "type": "string", "choices": ["v1", "v2"], "default": "v1"},
    {"key": "mattr", "type": "list"},
    {"key": "cores", "type": "int", "default": 4, "range": [1, 64], "doc": "How many cores"},
    {"key": "fast", "type": "bool", "default": false}
  ],
  "machine": {
    "memory": [{"scope": "acme.buf", "bytes": 262144, "alignment": 64, "per": "core", "reachable_by": ["dma"]}],
    "axes": [{"tag": "acme.core", "max": 4}],
    "limits": {"max_threads_per_block": 1024},
    "dtypes": {"*": ["float32"], "matmul": ["int8"]},
    "vector_widths": {"float32": 16},
    "intrinsics": [{"name": "acme.dma", "effect": "write", "body": "text"}],
    "tensor_intrinsics": [{"name": "acme.mm16", "pattern": "p", "body": "b"}]
  }
})";

std::shared_ptr<const TargetSchema> Acme() {
  auto schemas = ReadTargetSchemas(*Manifest::Parse(ManifestOf(kAcme)));
  return std::make_shared<TargetSchema>(schemas->at(0));
}

Target ParseAcme(const std::string& text) { return ParseTargetWith(text, Acme(), "acme 1.2"); }

Diagnostic FailureOf(const std::string& text) {
  try {
    ParseAcme(text);
  } catch (const Error& error) {
    return error.diagnostic();
  }
  ADD_FAILURE() << text << " was accepted";
  return {};
}

TEST(TargetSchema, ReadsTheMachine) {
  const auto schema = Acme();
  EXPECT_EQ(schema->stage, ContractStage::kTile);
  const Machine& machine = schema->machine;
  ASSERT_NE(machine.FindMemory("acme.buf"), nullptr);
  EXPECT_TRUE(machine.FindMemory("acme.buf")->per_core);
  EXPECT_EQ(machine.FindMemory("acme.buf")->bytes, 262144u);
  EXPECT_EQ(machine.FindMemory("other"), nullptr);
  ASSERT_NE(machine.FindAxis("acme.core"), nullptr);
  EXPECT_EQ(machine.FindAxis("acme.core")->max, 4);
  EXPECT_EQ(machine.limits.at("max_threads_per_block"), 1024);
  EXPECT_TRUE(machine.Supports("add", "float32"));
  EXPECT_FALSE(machine.Supports("matmul", "float32"));
  EXPECT_TRUE(Machine().Supports("anything", "float64"));
  EXPECT_EQ(machine.vector_widths.at("float32"), 16);
  EXPECT_EQ(machine.intrinsics.at(0).effect, "write");
  EXPECT_EQ(machine.tensor_intrinsics.at(0).pattern, "p");
}

TEST(TargetSchema, SaysWhatIsWrongAndWhere) {
  const std::pair<const char*, const char*> cases[] = {
      {R"({"kind": "x", "ir": [1, 1]})", "targets[0].stage is missing"},
      {R"({"kind": "x", "stage": "graph", "ir": [1, 1]})",
       "targets[0].stage must be `flat` or `tile`, not `graph`"},
      {R"({"kind": "x", "stage": "flat"})", "targets[0].ir is missing"},
      {R"({"kind": "x", "stage": "flat", "ir": [1, 1], "outputs": ["exe"]})", "lists `exe`"},
      {R"({"kind": "x", "stage": "flat", "ir": [1, 1], "machin": {}})", "did you mean `machine`?"},
      {R"({"kind": "x", "stage": "flat", "ir": [1, 1], "attributes": [{"key": "a", "type": "int", "default": "b"}]})",
       "attributes[0].default must be of the attribute's type int"},
      {R"({"kind": "x", "stage": "flat", "ir": [1, 1], "attributes": [{"key": "a", "range": [1, 2]}]})",
       "attributes[0].range is for attributes of type int"},
      {R"({"kind": "x", "stage": "flat", "ir": [1, 1], "attributes": [{"key": "a"}, {"key": "a"}]})",
       "has key `a` twice"},
      {R"({"kind": "x", "stage": "flat", "ir": [1, 1], "machine": {"memory": [{"scope": "s", "alignment": 3}]}})",
       "machine.memory[0].alignment must be a power of two"},
      {R"({"kind": "x", "stage": "flat", "ir": [1, 1], "machine": {"dtypes": {"*": ["float33"]}}})",
       "machine.dtypes.* lists `float33`"},
      {R"({"kind": "x", "stage": "flat", "ir": [1, 1], "machine": {"axes": [{"tag": "a"}, {"tag": "a"}]}})",
       "machine.axes names `a` twice"},
      {R"({"kind": "x", "stage": "flat", "ir": [1, 1], "machine": {"vector_widths": {"float32": 0}}})",
       "machine.vector_widths.float32 must be in"},
  };
  for (const auto& [target, expected] : cases) {
    const auto manifest = Manifest::Parse(ManifestOf(target));
    ASSERT_TRUE(manifest.ok()) << manifest.status();
    const auto schemas = ReadTargetSchemas(*manifest);
    ASSERT_FALSE(schemas.ok()) << target;
    EXPECT_EQ(StatusName(schemas.status()), "manifest-malformed");
    EXPECT_NE(schemas.status().message().find(expected), std::string_view::npos)
        << schemas.status();
  }
}

TEST(Target, IsDataWithDefaultsAndPrintsBack) {
  const Target target = ParseAcme(
      "acme -target=aarch64-linux-gnu -device=acme_small -keys=x -libs=blas -model=m -mattr=,+a,+b "
      "-cores=08");
  EXPECT_EQ(target.kind, "acme");
  EXPECT_EQ(target.plugin, "acme 1.2");
  EXPECT_EQ(target.keys, (std::vector<std::string>{"acme_small", "x", "acme", "npu"}));
  EXPECT_EQ(target.libs, std::vector<std::string>{"blas"});
  EXPECT_EQ(target.Get("mtriple"), "aarch64-linux-gnu");
  EXPECT_EQ(target.Get("mcpu"), "v1");
  EXPECT_EQ(target.Get("mattr"), "+a,+b");
  EXPECT_EQ(target.GetInt("cores", 0), 8);
  EXPECT_EQ(target.Get("fast"), "0");
  EXPECT_TRUE(target.HasKey("npu"));
  EXPECT_EQ(ParseAcme(target.ToString()).ToString(), target.ToString());
  EXPECT_EQ(target.ToString(),
            "acme -cores=8 -device=acme_small -fast=0 -keys=acme_small,x,acme,npu -libs=blas "
            "-mattr=+a,+b -mcpu=v1 "
            "-model=m -mtriple=aarch64-linux-gnu");
}

TEST(Target, MistakesAreNamedWithTheNearestKnown) {
  const Diagnostic attribute = FailureOf("acme -mcppu=v1");
  EXPECT_EQ(attribute.name, "target-unknown-attribute");
  EXPECT_EQ(attribute.help, "did you mean `mcpu`?");
  const Diagnostic choice = FailureOf("acme -mcpu=v3");
  EXPECT_EQ(choice.name, "target-bad-value");
  EXPECT_EQ(choice.expected, "`v1` or `v2`");
  const Diagnostic range = FailureOf("acme -cores=65");
  EXPECT_EQ(range.name, "target-bad-value");
  EXPECT_EQ(range.expected, "an integer in [1, 64]");
  EXPECT_EQ(range.help, "-cores: How many cores");
  EXPECT_EQ(FailureOf("acme -cores=4x").name, "target-bad-value");
  EXPECT_EQ(FailureOf("acme -fast=maybe").name, "target-bad-value");
  EXPECT_EQ(FailureOf("acme -mtriple=a -target=b").name, "target-malformed");
  EXPECT_EQ(FailureOf("acme -mcpu").name, "target-bad-value");
}

TEST(Target, OfNoPluginIsNamedWithWhereItWasLookedFor) {
  const std::string folder = getenv("TEST_TMPDIR");
  setenv("LATHE_PLUGIN_PATH", folder.c_str(), 1);
  try {
    ParseTarget("acme");
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_EQ(error.name(), "target-unknown-kind");
    ASSERT_FALSE(error.diagnostic().notes.empty());
    EXPECT_NE(error.diagnostic().notes[0].find("`" + folder + "`"), std::string::npos);
  }
}

}  // namespace
}  // namespace lathe::target
