// Kernels as text, in C with OpenCL's vectors and in C without vectors.
#include "plugins/sdk/c_source.h"

#include <gtest/gtest.h>

#include <string>

#include "base/error.h"
#include "ir/text/parser.h"

namespace lathe::sdk {
namespace {

// A dialect with scalars only.
class Plain : public CDialect {
 public:
  std::string KernelHead(const CKernel& kernel, const std::vector<std::string>& params) override {
    std::string out = "void " + kernel.symbol + "(";
    for (size_t i = 0; i < params.size(); ++i) out += (i == 0 ? "" : ", ") + params[i];
    return out + ")";
  }
  std::string Parameter(const CParameter& p) override {
    if (!p.is_pointer) return MemoryType(p.dtype) + " " + p.name;
    return Pointer(p.scope, p.dtype, !p.is_written) + " " + p.name;
  }
  std::string ThreadIndex(const std::string& tag) override {
    return "at_" + tag.substr(tag.size() - 1);
  }
  std::string Reinterpret(DataType to, DataType, const std::string& x) override {
    return "bits_" + Type(to) + "(" + x + ")";
  }
  std::string Barrier(const std::string& scope) override { return "wait_" + scope + "()"; }
  Dynamic DynamicShared(const std::string& name) override {
    return {"", "extern char " + name + "[];"};
  }
  std::string Array(const std::string& scope, DataType element, const std::string& name,
                    int64_t count, int64_t alignment) override {
    if (scope != "shared") return CDialect::Array(scope, element, name, count, alignment);
    return "shared " + MemoryType(element) + " " + name + "[" + std::to_string(count) + "];";
  }
};

// A dialect with vectors of 4 and 2.
class Vectors final : public Plain {
 public:
  int PartLanes(int lanes) override { return lanes % 4 == 0 ? 4 : lanes % 2 == 0 ? 2 : 1; }
  std::string Type(DataType type) override {
    if (type.is_scalar()) return Plain::Type(type);
    const DataType element = type.is_bool() ? DataType::Int(32) : type.element_of();
    return Plain::Type(element) + std::to_string(type.lanes());
  }
  std::string Splat(DataType vector, const std::string& x) override {
    return "((" + Type(vector) + ")(" + x + "))";
  }
  std::string Compose(DataType vector, const std::vector<std::string>& lanes) override {
    std::string out = "((" + Type(vector) + ")(" + lanes[0];
    for (size_t i = 1; i < lanes.size(); ++i) out += ", " + lanes[i];
    return out + "))";
  }
  std::string Lane(DataType, const std::string& x, int lane) override {
    return x + ".s" + std::to_string(lane);
  }
  int MemoryLanes(DataType, const std::string&, int lanes, int64_t) override {
    return PartLanes(lanes);
  }
  std::string LoadVector(DataType vector, const std::string&, const std::string& pointer,
                         int64_t) override {
    return "load" + std::to_string(vector.lanes()) + pointer;
  }
  std::string StoreVector(DataType vector, const std::string&, const std::string& pointer,
                          const std::string& x, int64_t) override {
    return "store" + std::to_string(vector.lanes()) + "(" + x + ", " + pointer + ")";
  }
};

template <class Dialect = Plain>
CSource Generate(const std::string& text) {
  Dialect dialect;
  return GenerateC(*ir::ParseModule(text), dialect);
}

template <class Dialect = Plain>
std::string Text(const std::string& body, const std::string& more = "") {
  return Generate<Dialect>(
             "func f(A.p: handle, B.p: handle, n: size, x: int32, y: int32) with "
             "{calling_convention = \"kernel\", launch = \"threadIdx.x\"} {\n" +
             more +
             "decl_buffer A: float32[n] = A.p\n decl_buffer B: float32[n] = B.p\n"
             "thread(\"threadIdx.x\") for t in range(32) {\n" +
             body + "\n}}")
      .text;
}

std::string ErrorOf(const std::string& text) {
  try {
    Generate(text);
  } catch (const Error& e) {
    return e.name();
  }
  return "";
}

void ExpectLine(const std::string& text, const std::string& line) {
  EXPECT_NE(text.find(line + "\n"), std::string::npos) << "no `" << line << "` in\n" << text;
}

TEST(CSource, AKernel) {
  const CSource source = Generate(R"(
func scale_kernel0(B.p: handle, A.p: handle, n: size, on: bool) with {calling_convention = "kernel", launch = "blockIdx.x threadIdx.x"} {
  decl_buffer B: float32[n] = B.p
  decl_buffer A: float32[n] = A.p
  thread("blockIdx.x") for bx in range((n + 31) // 32) {
    thread("threadIdx.x") for tx in range(32) {
      allocate S: float32[32](scope="shared")
      S[tx] = A[tx]
      barrier("shared")
      if bx * 32 + tx < n {
        B[bx * 32 + tx] = S[31 - tx] * 2.0
      }
    }
  }
})");
  EXPECT_EQ(source.text,
            "void scale_kernel0(float* B_p, const float* A_p, int n, unsigned char on) {\n"
            "  shared float S[32];\n"
            "  const int bx = (int)at_x;\n"
            "  const int tx = (int)at_x;\n"
            "  S[tx] = A_p[tx];\n"
            "  wait_shared();\n"
            "  if (((int)((unsigned int)((int)((unsigned int)bx * (unsigned int)32)) + (unsigned "
            "int)tx)) < n) {\n"
            "    B_p[((bx * 32) + tx)] = S[(31 - tx)] * 2.0f;\n"
            "  }\n"
            "}\n");
  ASSERT_EQ(source.kernels.size(), 1u);
  const CKernel& kernel = source.kernels[0];
  EXPECT_EQ(kernel.name, "scale_kernel0");
  ASSERT_EQ(kernel.parameters.size(), 4u);
  EXPECT_TRUE(kernel.parameters[0].is_written);
  EXPECT_FALSE(kernel.parameters[0].is_read);
  EXPECT_TRUE(kernel.parameters[1].is_read);
  EXPECT_FALSE(kernel.parameters[1].is_written);
  EXPECT_EQ(kernel.parameters[1].dtype, DataType::Float(32));
  EXPECT_EQ(kernel.parameters[3].dtype, DataType::Bool());
  ASSERT_EQ(kernel.launch.size(), 2u);
  EXPECT_EQ(kernel.launch[0].extent, 0);
  EXPECT_EQ(kernel.launch[1].extent, 32);
  EXPECT_EQ(kernel.BlockThreads(), 32);
  EXPECT_EQ(kernel.shared_bytes, 128);
}

TEST(CSource, IntegersWrapButForIndices) {
  const std::string text = Text("A[x * y + t] = float32(x * y)");
  ExpectLine(text, "  A_p[((x * y) + t)] = (float)((int)((unsigned int)x * (unsigned int)y));");
}

TEST(CSource, DivisionsRoundDownAndNeverTrap) {
  std::string text = Text("A[x // 8] = float32(x % 8)");
  ExpectLine(text, "  A_p[(x >> 3)] = (float)(x & 7);");
  text = Text("A[t // 3] = float32(n % 3)");
  ExpectLine(text, "  A_p[(t / 3)] = (float)(n % 3);");
  text = Text("A[x // y] = float32(truncmod(x, y))");
  ExpectLine(text, "  A_p[lathe_floordiv_int32(x, y)] = (float)lathe_mod_int32(x, y);");
  ExpectLine(text, "  if (b == 0) return 0;");
  ExpectLine(text, "  return (int)(a / b - (r != 0 && (r < 0) != (b < 0)));");
}

TEST(CSource, ConstantsReadBackExactly) {
  std::string text = Text("A[t] = 0.1\n B[t] = inf\n A[0] = -2.0");
  ExpectLine(text, "  A_p[t] = 0.1f;");
  ExpectLine(text, "  A_p[0] = -2.0f;");
  ExpectLine(text, "  B_p[t] = bits_float(2139095040u);");
  text = Text("A[t] = float32(-2147483648)\n B[t] = float32(3i64)\n B[0] = float32(200u8)");
  ExpectLine(text, "  A_p[t] = (float)(-2147483647 - 1);");
  ExpectLine(text, "  B_p[t] = (float)3LL;");
}

TEST(CSource, ArmsAreEvaluatedOnDemand) {
  std::string text = Text("A[t] = if_then_else(t < n, B[t], 0.0)");
  ExpectLine(text, "  A_p[t] = (t < n) ? B_p[t] : 0.0f;");
  text = Text("A[t] = if_then_else(t < n, let v: float32 = B[t] in v * v, 0.0)");
  ExpectLine(text, "  if (t < n) {");
  ExpectLine(text, "    const float v = B_p[t];");
  ExpectLine(text, "    t_1 = (v * v);");
}

TEST(CSource, LoopsAndBranches) {
  const std::string text = Text(R"(
    for i in range(x, extent=n) with {unroll = 1} {
      if i < y { A[i] = 1.0 } else { A[i] = 2.0 }
    }
    while A[0] < 3.0 { A[0] = A[0] + 1.0 })");
  ExpectLine(text, "  #pragma unroll");
  ExpectLine(text, "  for (int i = x; i < x + n; ++i) {");
  ExpectLine(text, "    if (i < y) {");
  ExpectLine(text, "    } else {");
  ExpectLine(text, "  while (A_p[0] < 3.0f) {");
}

TEST(CSource, VectorsInParts) {
  const std::string body = "A[ramp(t, 1, 8)] = B[ramp(x, 1, 8)] + broadcast(1.0, 8)";
  std::string text = Text<Vectors>(body);
  ExpectLine(text, "  store4(t_2, (A_p + t));");
  ExpectLine(text, "  store4(t_3, (A_p + t + 4));");
  EXPECT_NE(text.find("load4(B_p + x + 4)"), std::string::npos) << text;
  text = Text(body);  // lane by lane
  EXPECT_NE(text.find("B_p[x + 7] + 1.0f;"), std::string::npos) << text;
}

TEST(CSource, MasksAndStrides) {
  std::string text =
      Text<Vectors>("A[ramp(t, 2, 4) where ramp(t, 1, 4) < broadcast(x, 4)] = broadcast(1.0, 4)");
  EXPECT_NE(text.find(".s3) A_p[(t + 6)] = 1.0f;"), std::string::npos) << text;
  text = Text<Vectors>("A[ramp(t, 1, 4) where broadcast(t < x, 4)] = broadcast(1.0, 4)");
  ExpectLine(text, "  if (t < x) {");
  text = Text("A[t] = B[t where t < x]");
  ExpectLine(text, "  A_p[t] = (t < x) ? B_p[t] : 0.0f;");
}

TEST(CSource, NamesThatTheLanguageHas) {
  const std::string text =
      Text("let `double`: int32 = x * 2\n let `double`: int32 = x * 3\n A[0] = float32(`double`)");
  EXPECT_NE(text.find("const int double_ = "), std::string::npos) << text;
  EXPECT_NE(text.find("const int double_1 = "), std::string::npos) << text;
}

TEST(CSource, DeepExpressionsAreCut) {
  std::string sum = "A[0]";
  for (int i = 1; i < 300; ++i) sum += " + A[" + std::to_string(i) + "]";
  const std::string text = Text("B[t] = " + sum);
  int depth = 0, deepest = 0;
  for (const char c : text) {
    depth += c == '(' ? 1 : c == ')' ? -1 : 0;
    deepest = std::max(deepest, depth);
  }
  EXPECT_LT(deepest, 64);
}

TEST(CSource, SmallFloatsWithoutArithmetic) {
  class Half final : public Plain {
    std::string Type(DataType type) override {
      return type == DataType::Float(16) ? "half" : Plain::Type(type);
    }
  };
  const std::string text = Generate<Half>(R"(
func f(A.p: handle) with {calling_convention = "kernel", launch = "threadIdx.x"} {
  decl_buffer A: float16[8] = A.p
  thread("threadIdx.x") for t in range(8) { A[t] = A[t] * A[t] }
})")
                               .text;
  ExpectLine(text, "  A_p[t] = (half)(((float)A_p[t]) * ((float)A_p[t]));");
}

TEST(CSource, WhatIsRefused) {
  EXPECT_EQ(ErrorOf("func f(x: int32) { evaluate x }"), "c-source-unsupported");
  const std::string head =
      "func f(A.p: handle) with {calling_convention = \"kernel\", launch = \"threadIdx.x\"} {\n"
      "thread(\"threadIdx.x\") for t in range(8) {\n";
  EXPECT_EQ(ErrorOf(head + "decl_buffer A: float16[8] = A.p\n A[t] = A[t] }}"),
            "c-source-unsupported");
  EXPECT_EQ(ErrorOf(head + "decl_buffer A: float32[8, 8] = A.p\n A[t, t] = 0.0 }}"),
            "c-source-unsupported");
  EXPECT_EQ(
      ErrorOf(head +
              "vectorized for i in range(4) { decl_buffer A: float32[8] = A.p\n A[i] = 0.0 } }}"),
      "c-source-not-flat");
}

TEST(CSource, ConstantsStandInTheText) {
  float values[] = {1, -0.0f};
  int64_t shape[] = {2};
  const DLTensor tensor{values, {kDLCPU, 0}, 1, {kDLFloat, 32, 1}, shape, nullptr, 0};
  const DLTensor* const constants[] = {&tensor};
  const ir::Module module = ir::ParseModule(R"(
func f(A.p: handle) with {calling_convention = "kernel", launch = "threadIdx.x"} {
  decl_buffer A: float32[2] = A.p
  allocate_const C: float32[2] index 0
  thread("threadIdx.x") for t in range(2) { A[t] = C[t] }
})");
  Plain dialect;
  const std::string text = GenerateC(*module, dialect, constants).text;
  ExpectLine(text, "static const unsigned int lathe_constant0[] = {1065353216u, 2147483648u};");
  ExpectLine(text, "  A_p[t] = ((const float*)lathe_constant0)[t];");
  Plain none;
  EXPECT_THROW(GenerateC(*module, none), Error);
}

// Imported sources come first. No name of the kernel hides what they define.
TEST(CSource, ImportsStandBeforeTheKernels) {
  const std::string text =
      Generate(
          R"ir(module with {"import_c.0" = "float scale(float x) {\n  return 2 * x;\n}", "import_llvm.0" = "declare void @f()"}
func f(scale.p: handle, scale: float32) with {calling_convention = "kernel", launch = "threadIdx.x"} {
  decl_buffer A: float32[4] = scale.p
  thread("threadIdx.x") for t in range(4) {
    A[t] = call_pure_extern<float32>("scale", A[t]) * scale
  }
}
)ir")
          .text;
  EXPECT_TRUE(text.starts_with("float scale(float x) {\n  return 2 * x;\n}\n\nvoid f(")) << text;
  EXPECT_NE(text.find("= scale("), std::string::npos) << text;
  EXPECT_NE(text.find("* scale_1"), std::string::npos) << text;
  EXPECT_EQ(text.find("declare"), std::string::npos) << text;
}

TEST(CSource, EqualModulesGiveEqualTexts) {
  const std::string body = "A[x // y] = exp(B[t]) // B[x // n]";
  EXPECT_EQ(Text(body), Text(body));
}

}  // namespace
}  // namespace lathe::sdk
