#include "plugins/host/tensor_intrinsics.h"

#include "base/error.h"
#include "gtest/gtest.h"

namespace lathe::plugins {
namespace {

constexpr const char* kPattern = R"(program p {
  var scale: int32
  placeholder a: int32[4]
  placeholder b: int32[4]
  compute c[] over [k in range(4)] = sum(a[k] * b[k] * scale, axis=[k])
  args [a, b, c, scale]
})";
constexpr const char* kBody =
    R"(func reset(a: int32[4](offset_factor=4), b: int32[4](offset_factor=1), c: int32[](offset_factor=1), scale: int32) {
  c[] = 0
}

func update(a: int32[4](offset_factor=4), b: int32[4](offset_factor=1), c: int32[](offset_factor=1), scale: int32) {
  for i in range(4) {
    c[] = c[] + a[i] * b[i] * scale
  }
}
)";

std::string NameOf(const std::string& pattern, const std::string& body,
                   std::string* text = nullptr) {
  try {
    ReadTensorIntrinsic({"acme.dot4", pattern, body, ""}, "acme 1.0");
  } catch (const Error& error) {
    if (text != nullptr) *text = error.what();
    return error.name();
  }
  return "";
}

std::string With(std::string text, const std::string& from, const std::string& to) {
  for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
  return text;
}

TEST(ManifestTensorIntrinsics, ReadAndRegistered) {
  std::string text;
  ASSERT_EQ(NameOf(kPattern, kBody, &text), "") << text;
  target::TargetSchema schema;
  schema.kind = "acme_npu";
  schema.machine.tensor_intrinsics = {{"acme.dot4", kPattern, kBody, ""}};
  RegisterTensorIntrinsics(schema, "acme 1.0");
  RegisterTensorIntrinsics(schema, "acme 1.0");
  const te::TensorIntrin intrin = te::GetTensorIntrin("acme.dot4", "acme_npu");
  EXPECT_EQ(intrin->inputs.size(), 2u);
  EXPECT_EQ(intrin->buffers.size(), 3u);
  EXPECT_EQ(intrin->buffers[0]->offset_factor, 4);
  EXPECT_EQ(intrin->scalar_params.size(), 1u);
  EXPECT_FALSE(intrin->body);
  EXPECT_TRUE(intrin->reset && intrin->update);
  EXPECT_FALSE(te::FindTensorIntrin("acme.dot4", "llvm"));
}

TEST(ManifestTensorIntrinsics, WhatDoesNotFit) {
  const char* wrong = "manifest-tensor-intrin";
  std::string text;
  EXPECT_EQ(NameOf(With(kPattern, "[a, b, c, scale]", "[b, a, c, scale]"), kBody, &text), wrong);
  EXPECT_NE(text.find("acme 1.0"), std::string::npos) << text;
  EXPECT_EQ(NameOf(With(kPattern, "[a, b, c, scale]", "[scale, a, b, c]"), kBody), wrong);
  EXPECT_EQ(NameOf(With(kPattern, "[a, b, c, scale]", "[a, b]"), kBody), wrong);
  EXPECT_EQ(NameOf(kPattern, With(kBody, "func update", "func more")), wrong);
  EXPECT_EQ(NameOf(kPattern, With(kBody, ", scale: int32)", ")")).empty(), false);
  const std::string body = kBody;
  std::string other = body;
  other.replace(other.rfind("offset_factor=4"), 15, "offset_factor=2");
  EXPECT_EQ(NameOf(kPattern, other), wrong);
  EXPECT_EQ(NameOf(kPattern, body.substr(0, body.find("func update"))), "tensor-intrin-invalid");
  EXPECT_NE(NameOf("program p {", kBody), "");
}

}  // namespace
}  // namespace lathe::plugins
