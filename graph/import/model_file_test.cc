#include "graph/import/model_file.h"

#include <cmath>
#include <cstdlib>
#include <functional>
#include <limits>

#include "base/error.h"
#include "base/file.h"
#include "graph/import/lathe_file.h"
#include "graph/import/onnx/test_models.h"
#include "graph/import/tensorflow/test_models.h"
#include "graph/import/values.h"
#include "gtest/gtest.h"
#include "ir/constants.h"
#include "ir/structural.h"
#include "ir/text/printer.h"
#include "runtime/status.h"

namespace lathe::graph {
namespace {

std::string PathOf(const std::string& name) {
  return std::string(std::getenv("TEST_TMPDIR")) + "/" + name;
}

void Write(const std::string& path, const std::string& bytes) {
  ASSERT_TRUE(WriteFile(path, bytes).ok());
}

std::string NameOf(const std::function<void()>& run) {
  try {
    run();
  } catch (const Error& error) {
    return error.diagnostic().name;
  }
  return "";
}

// y = x * w + w, with a size `n` and a weight.
std::string Model() {
  return onnx::ModelBytes({.nodes = {{"Mul", {"x", "w"}, {"t"}}, {"Add", {"t", "w"}, {"y"}}},
                           .inputs = {{"x", {-1, 3}}},
                           .outputs = {"y"},
                           .initializers = {onnx::FloatTensor("w", {3}, {1, 2, 3})}});
}

std::string Text(const ModelFile& model) {
  return ir::ToText(model.module, {.max_data = size_t{1} << 20});
}

TEST(ModelFileTest, FormatsAreFoundByContentAndSuffix) {
  Write(PathOf("a.onnx"), Model());
  Write(PathOf("no_suffix"), Model());
  Write(PathOf("a.txt"), "something else\n");
  Write(PathOf("text.lathe"), "graph main(x: float32[3]) {\n  return %x\n}\n");
  EXPECT_STREQ((*FormatOfFile(PathOf("a.onnx")))->name, "ONNX");
  EXPECT_STREQ((*FormatOfFile(PathOf("no_suffix")))->name, "ONNX");
  EXPECT_STREQ((*FormatOfFile(PathOf("text.lathe")))->name, "a graph as text");
  const std::string graph =
      tensorflow::GraphBytes({tensorflow::Input("x", {-1, 3}), {"y", "Relu", {"x"}}});
  Write(PathOf("frozen.pb"), graph);
  Write(PathOf("frozen"), graph);
  EXPECT_STREQ((*FormatOfFile(PathOf("frozen")))->name, "TensorFlow");
  EXPECT_EQ((*ImportModelFile(PathOf("frozen.pb"), {})).outputs, std::vector<std::string>{"y"});
  EXPECT_EQ(*FormatOfFile(PathOf("a.txt")), nullptr);
  EXPECT_EQ(NameOf([] { (void)ImportModelFile(PathOf("a.txt"), {}); }), "model-format");
  const auto missing = FormatOfFile(PathOf("missing.onnx"));
  EXPECT_EQ(runtime::StatusName(missing.status()), "model-file");
  EXPECT_EQ(runtime::StatusName(ImportModelFile(PathOf("missing.onnx"), {}).status()),
            "model-file");
}

TEST(ModelFileTest, LatheFilesKeepGraphAndWeights) {
  Write(PathOf("b.onnx"), Model());
  std::string text;
  {
    const ModelFile model = *ImportModelFile(PathOf("b.onnx"), {});
    EXPECT_EQ(model.function, "main");
    EXPECT_EQ(model.outputs, std::vector<std::string>{"y"});
    text = Text(model);
    ASSERT_TRUE(WriteLatheFile(model.module, PathOf("b.lathe")).ok());
  }
  // The data is no longer in this process.
  const ModelFile again = *ImportModelFile(PathOf("b.lathe"), {});
  EXPECT_EQ(again.function, "main");
  EXPECT_EQ(Text(again), text);
  EXPECT_STREQ((*FormatOfFile(PathOf("b.lathe")))->name, "Lathe's model file");
  ASSERT_TRUE(WriteLatheFile(again.module, PathOf("c.lathe")).ok());
  std::string first, second;
  ASSERT_TRUE(ReadFile(PathOf("b.lathe"), kAnySize, &first).ok());
  ASSERT_TRUE(ReadFile(PathOf("c.lathe"), kAnySize, &second).ok());
  EXPECT_EQ(first, second);
}

TEST(ModelFileTest, DamageIsFoundWhereverItIs) {
  Write(PathOf("d.onnx"), Model());
  std::string bytes;
  {
    const ModelFile model = *ImportModelFile(PathOf("d.onnx"), {});
    ASSERT_TRUE(WriteLatheFile(model.module, PathOf("d.lathe")).ok());
    ASSERT_TRUE(ReadFile(PathOf("d.lathe"), kAnySize, &bytes).ok());
  }
  const auto read = [](std::string changed) {
    const auto owner = std::make_shared<const std::string>(std::move(changed));
    return NameOf([&] { ReadLatheFile({*owner, owner}, "d.lathe"); });
  };
  EXPECT_EQ(read(bytes), "");
  // Between the head and the first constant there are zeros that nothing reads.
  int unread = 0;
  for (size_t i = 0; i < bytes.size(); ++i) {
    std::string changed = bytes;
    changed[i] = static_cast<char>(changed[i] ^ 0x10);
    const std::string name = read(changed);
    unread += name.empty() ? 1 : 0;
    if (!name.empty()) EXPECT_TRUE(name == "model-file-corrupt" || name == "model-file-version");
  }
  EXPECT_LT(unread, 64);
  for (size_t size = 0; size < bytes.size(); ++size)
    EXPECT_EQ(read(bytes.substr(0, size)), "model-file-corrupt") << size;
  std::string other = bytes;
  other[12] = 9;
  EXPECT_EQ(read(other), "model-file-version");
}

TEST(ModelFileTest, InputsAreWhatTheCallerSays) {
  Write(PathOf("e.onnx"), Model());
  const auto import = [](const std::string& file, const std::string& name, ModelInput input) {
    return NameOf([&] { (void)ImportModelFile(PathOf(file), {.inputs = {{name, input}}}); });
  };
  const ModelFile fixed = *ImportModelFile(PathOf("e.onnx"), {.inputs = {{"x", {{{4}, {3}}, {}}}}});
  EXPECT_NE(Text(fixed).find("float32[4, 3]"), std::string::npos) << Text(fixed);
  const ModelFile named =
      *ImportModelFile(PathOf("e.onnx"), {.inputs = {{"x", {{{"rows"}, {3}}, {}}}}});
  EXPECT_NE(Text(named).find("float32[rows, 3]"), std::string::npos) << Text(named);
  EXPECT_EQ(import("e.onnx", "x", {{{4}, {3}}, DataType::Float(32)}), "");
  EXPECT_EQ(import("e.onnx", "x", {{{4}, {3}}, DataType::Int(8)}), "model-input-mismatch");
  EXPECT_EQ(import("e.onnx", "z", {{{4}, {3}}, {}}), "onnx-input-unknown");
  ASSERT_TRUE(WriteLatheFile(fixed.module, PathOf("e.lathe")).ok());
  EXPECT_EQ(import("e.lathe", "x", {{{4}, {3}}, {}}), "");
  EXPECT_EQ(import("e.lathe", "x", {{{5}, {3}}, {}}), "model-input-mismatch");
  EXPECT_EQ(import("e.lathe", "xx", {{{4}, {3}}, {}}), "model-input-unknown");
  EXPECT_EQ(NameOf([] { (void)ImportModelFile(PathOf("e.onnx"), {.function = "other"}); }),
            "model-function");
}

TEST(Values, IntegersOfAnyFloat) {
  const double infinite = std::numeric_limits<double>::infinity();
  const TensorValue floats =
      MakeFloats({2.75, -2.75, 1e30, -1e30, infinite, std::nan("")}, {6}, DataType::Float(64));
  constexpr int64_t kMost = INT64_MAX, kLeast = INT64_MIN;
  EXPECT_EQ(IntsOf(floats), (std::vector<int64_t>{2, -2, kMost, kLeast, kMost, 0}));
  EXPECT_EQ(IntsOf(MakeFloats({1e30, -7.5}, {2}, DataType::Int(64))),
            (std::vector<int64_t>{kMost, -7}));
}

}  // namespace
}  // namespace lathe::graph
