// The text of modules at stage `flat`. tests/c compiles and runs such texts.
#include "backends/c/codegen.h"

#include <gtest/gtest.h>

#include <limits>

#include "backends/c/dialect.h"
#include "base/error.h"
#include "ir/text/parser.h"

namespace lathe::c_backend {
namespace {

std::string Text(const std::string& body, std::span<const DLTensor* const> constants = {}) {
  const std::string text =
      "func f(self: handle, args: handle, n: int32, ret: handle) -> int32 with "
      "{calling_convention = \"packed\"} {\n" +
      body + "\n}";
  return Generate(*ir::ParseModule(text), constants).source;
}

// With A, a float32 buffer.
std::string Body(const std::string& body) {
  return Text(
      "let t: handle = arg_value<handle>(args, 0)\n"
      "let p: handle = tensor_field<handle>(t, \"data\")\n"
      "decl_buffer A: float32[64] = p\n" +
      body + "\n`return`(0)");
}

std::string ErrorOf(const std::string& body) {
  try {
    Text(body);
  } catch (const Error& error) {
    return error.name() + ": " + error.diagnostic().message;
  }
  return "no error";
}

void ExpectHas(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << "no `" << part << "` in\n" << text;
}

TEST(CText, AFunction) {
  const std::string text = Body("for i in range(64) {\n A[i] = A[i] * 2.0\n }");
  ExpectHas(text, R"(
static int f(void* self, const lathe_value* args, int32_t n, lathe_value* ret) {
  DLTensor* const t = args[0].v_pointer;
  void* const p = t->data;
  float* A = (float*)p;
  for (int32_t i = 0; i < 64; ++i) {
    A[i] = A[i] * 2.0f;
  }
  return 0;
}
)");
  ExpectHas(text, "  {\"f\", f},\n");
  ExpectHas(text, "const lathe_artifact lathe_artifact_v1 = {\n");
}

TEST(CText, NumbersAreExact) {
  const std::string text =
      Body("A[0] = 0.1\n A[1] = -2.5\n A[2] = 1e30\n A[3] = -inf<float32>\n A[4] = -0.0");
  ExpectHas(text, "A[0] = 0x1.99999ap-4f /* 0.1 */;");
  ExpectHas(text, "A[1] = -2.5f;");
  ExpectHas(text, "A[2] = 0x1.93e594p+99f /* 1e+30 */;");
  ExpectHas(text, "A[3] = -INFINITY;");
  ExpectHas(text, "A[4] = -0.0f;");
  ExpectHas(text, "#include <math.h>\n");
}

TEST(CText, ErrorsAreRaised) {
  const std::string text = Text(
      "if n != 1 {\n raise(\"call-argument-count\", \"takes one\\n  found: {0}\", n)\n"
      " `return`(runtime_call<int32>(\"take_error\", ret))\n }\n`return`(0)");
  ExpectHas(text, R"(  if (n != 1) {
    lathe_table->raise("call-argument-count",
        "takes one\n"
        "  found: {0}",
        (const lathe_value[]){lathe_int(n)}, 1);
    return lathe_table->take_error(ret);
  }
)");
}

// Unsigned arithmetic wraps; what is an index needs none.
TEST(CText, OnlyDataWraps) {
  const std::string text =
      Body("for i in range(8) {\n let k: int32 = i * 8 + 1\n A[k] = float32(n * n - 1)\n }");
  ExpectHas(text, "const int32_t k = (i * 8) + 1;");
  ExpectHas(text, "A[k] = (float)((int32_t)(((uint32_t)n * (uint32_t)n) - 1u));");
}

TEST(CText, ConstantsHaveTheirTypes) {
  float values[] = {0.5f, 0.1f, -std::numeric_limits<float>::infinity()};
  int64_t shape[] = {3};
  const DLTensor tensor = {values, {kDLCPU, 0}, 1, {kDLFloat, 32, 1}, shape, nullptr, 0};
  const DLTensor* const constants[] = {&tensor};
  const std::string text = Text(
      "let t: handle = arg_value<handle>(args, 0)\ndecl_buffer A: float32[3] = t\n"
      "allocate_const T: float32[3] index 0\nA[n] = T[n]\n`return`(0)",
      constants);
  ExpectHas(text,
            "static const float lathe_constant0[] = {0.5f, 0x1.99999ap-4f /* 0.1 */, "
            "(-INFINITY)};\n");
  ExpectHas(text, "A[n] = lathe_constant0[n];");
}

TEST(CText, FunctionsOutsideAreDeclared) {
  const std::string text = Body(
      "A[0] = call_extern<float32>(\"scale_by\", A, 3, \"x\")\n"
      "A[1] = call_pure_extern<float32>(\"fabsf\", A[0])");
  ExpectHas(text, "extern float scale_by(void*, int32_t, const char*);\n");
  ExpectHas(text, "scale_by(A, 3, \"x\")");
  EXPECT_EQ(text.find("extern float fabsf"), std::string::npos) << text;
}

// What cannot be written says so.
TEST(CText, Refusals) {
  EXPECT_EQ(ErrorOf("`return`(llvm_intrinsic<int32>(\"llvm.ctpop.i32\", n))"),
            "c-source-unsupported: the target's language has no intrinsic llvm_intrinsic");
  EXPECT_EQ(ErrorOf("`return`(runtime_call<int32>(\"dance\", n))"),
            "c-source-unsupported: the target's language has no entry `dance` of 1 arguments in "
            "the runtime's table");
  EXPECT_EQ(ErrorOf("`return`(call_plain<int32>(\"g\", n))"),
            "c-source-not-flat: in `f` a function is named that the module does not have");
  EXPECT_EQ(ErrorOf("let x: int32 = call_extern<int32>(\"g\", n)\n"
                    "`return`(call_extern<int32>(\"g\", int64(n)) + x)"),
            "c-source-unsupported: the target's language has no function `g` with two signatures");
}

TEST(CText, Strings) {
  EXPECT_EQ(StringLiteral("a\"\\\t\x01?"
                          "?/"),
            "\"a\\\"\\\\\\011\\001?\\?/\"");
  EXPECT_EQ(StringLiteral("one\ntwo\n"), "\"one\\n\"\n        \"two\\n\"");
  EXPECT_EQ(StringLiteral("\xc3\xa9"
                          "1"),
            "\"\\303\\2511\"");
}

}  // namespace
}  // namespace lathe::c_backend
