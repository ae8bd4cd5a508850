// Sources that a schedule attaches with the pragmas import_LANGUAGE, up to code that runs.
#include <cstdlib>
#include <string>
#include <vector>

#include "base/error.h"
#include "driver/compile.h"
#include "driver/default_plugins.h"
#include "gtest/gtest.h"
#include "ir/imports.h"
#include "ir/text/parser.h"
#include "ir/text/printer.h"
#include "runtime/module.h"
#include "runtime/tensor.h"
#include "schedule/primitives/primitives.h"
#include "schedule/trace.h"
#include "target/target.h"
#include "te/operation.h"

namespace lathe::driver {
namespace {

using runtime::Tensor;

// What clang generates for `float halve_then_add_seven(float x) { return x * 0.5f + seven(); }`,
// with a function and a variable that it needs.
constexpr const char* kSource = R"(
@seven_kept = global float 7.0
define float @seven() {
  %v = load float, ptr @seven_kept
  ret float %v
}
define float @halve_then_add_seven(float %x) {
  %half = fmul float %x, 0.5
  %seven = call float @seven()
  %sum = fadd float %half, %seven
  ret float %sum
}
)";

// B[i] = name(A[i])
struct Program {
  explicit Program(const std::string& name = "halve_then_add_seven") {
    n = ir::MakeSizeVar("n");
    a = te::Placeholder({n}, DataType::Float(32), "A");
    b = te::Compute(
        {n},
        [&](const te::Indices& i) {
          return ir::MakeCall(DataType::Float(32), "call_pure_extern",
                              {ir::String(name), te::At(a, {i[0]})});
        },
        "B");
    s = schedule::CreateSchedule({b->op});
  }
  ir::IterVar axis() const { return schedule::AxisOf(b, 0); }
  Program& Import(const std::string& key, const std::string& source) {
    schedule::Pragma(s[b], axis(), key, source);
    return *this;
  }
  ir::Module Loops() const { return Lower(s, {a, b}, "f", {}); }
  ir::Var n;
  te::Tensor a, b;
  schedule::Schedule s;
};

class Imports : public testing::Test {
 protected:
  void SetUp() override { UseDefaultPlugins(); }
};

void ExpectRuns(const runtime::Module& module, float scale, float bias) {
  Tensor a = *Tensor::Empty({5}, DataType::Float(32)), b = *Tensor::Empty({5}, a.dtype());
  for (int i = 0; i < 5; ++i) a.HostData<float>()[i] = static_cast<float>(i - 2);
  auto f = module.GetFunction("f");
  ASSERT_TRUE(f.ok()) << f.status();
  (*f)(a, b);
  for (int i = 0; i < 5; ++i)
    EXPECT_EQ(b.HostData<float>()[i], static_cast<float>(i - 2) * scale + bias) << i;
}

std::string Refused(const ir::Module& module, const std::string& target, const char* name) {
  const auto built = [&]() -> absl::Status {
    try {
      return Build(module, target::ParseTarget(target), {}).status();
    } catch (const Error& error) {
      return absl::InternalError(error.name() + ": " + error.what());
    }
  }();
  const std::string text(built.message());
  EXPECT_NE(text.find(name), std::string::npos) << built;
  return text;
}

TEST_F(Imports, LlvmRunsWhatTheSourceDefines) {
  Program p;
  // Parallel loops become separate functions. The import belongs to the whole module.
  auto [outer, inner] = schedule::Split(p.s[p.b], p.axis(), 2);
  schedule::Pragma(p.s[p.b], inner, "import_llvm", kSource);
  schedule::Pragma(p.s[p.b], outer, "import_llvm", kSource);
  schedule::Parallel(p.s[p.b], outer);
  const ir::Module loops = p.Loops();
  EXPECT_EQ(ir::ImportsOf(loops->functions[0]->attrs, "llvm"), std::vector<std::string>{kSource});
  auto module = Build(loops, target::ParseTarget("llvm"), {});
  ASSERT_TRUE(module.ok()) << module.status();
  ExpectRuns(*module, 0.5f, 7);
  // The same after a round trip through text, and through the schedule's trace.
  module = Build(ir::ParseModule(ir::ToText(loops)), target::ParseTarget("llvm"), {});
  ASSERT_TRUE(module.ok()) << module.status();
  ExpectRuns(*module, 0.5f, 7);
  const auto program = schedule::ToProgram(p.s, {p.a, p.b}, "f");
  const schedule::Loaded loaded = schedule::FromProgram(ir::ParseProgram(ir::ToText(program)));
  module = Build(Lower(loaded.schedule, loaded.args, "f", {}), target::ParseTarget("llvm"), {});
  ASSERT_TRUE(module.ok()) << module.status();
  ExpectRuns(*module, 0.5f, 7);
}

TEST_F(Imports, WhatIsDefinedIsTheModulesOwn) {
  // Two modules of one process whose functions have the same name and nothing else in common.
  auto one =
           Build(Program().Import("import_llvm", kSource).Loops(), target::ParseTarget("llvm"), {}),
       other = Build(Program()
                         .Import("import_llvm",
                                 "define float @halve_then_add_seven(float %x) {\n ret float %x\n}")
                         .Loops(),
                     target::ParseTarget("llvm"), {});
  ASSERT_TRUE(one.ok() && other.ok()) << one.status() << other.status();
  ExpectRuns(*other, 1, 0);
  ExpectRuns(*one, 0.5f, 7);
  // A library file contains them, too.
  const std::string path = std::string(std::getenv("TEST_TMPDIR")) + "/imports.so";
  const absl::Status saved = ExportLibrary(*one, path);
  ASSERT_TRUE(saved.ok()) << saved;
  auto loaded = runtime::LoadModuleFile(path);
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  ExpectRuns(*loaded, 0.5f, 7);
}

TEST_F(Imports, SeveralSourcesThatCallEachOther) {
  Program p;
  auto [outer, inner] = schedule::Split(p.s[p.b], p.axis(), 2);
  schedule::Pragma(p.s[p.b], outer, "import_llvm",
                   "declare float @add(float, float)\n"
                   "define float @halve_then_add_seven(float %x) {\n"
                   " %y = call float @add(float %x, float 7.0)\n ret float %y\n}");
  schedule::Pragma(p.s[p.b], inner, "import_llvm",
                   "define float @add(float %x, float %y) {\n"
                   " %z = fadd float %x, %y\n ret float %z\n}");
  auto module = Build(p.Loops(), target::ParseTarget("llvm"), {});
  ASSERT_TRUE(module.ok()) << module.status();
  ExpectRuns(*module, 1, 7);
}

TEST_F(Imports, SourcesMayDefineTheSameCodeTwice) {
  Program p;
  auto [outer, inner] = schedule::Split(p.s[p.b], p.axis(), 2);
  const std::string source = "define float @halve_then_add_seven(float %x) {\n ret float %x\n}";
  schedule::Pragma(p.s[p.b], outer, "import_llvm", source);
  schedule::Pragma(p.s[p.b], inner, "import_llvm", "; once more\n" + source);
  auto module = Build(p.Loops(), target::ParseTarget("llvm"), {});
  ASSERT_TRUE(module.ok()) << module.status();
  ExpectRuns(*module, 1, 0);
}

// As compilers write it: each loop has a note of its own.
TEST_F(Imports, SourcesMayDefineTheSameLoopTwice) {
  const auto source = [](const std::string& property) {
    return "define float @halve_then_add_seven(float %x) {\nentry:\n br label %next\nnext:\n"
           " %i = phi i32 [ 0, %entry ], [ %j, %next ]\n %j = add i32 %i, 1\n"
           " %more = icmp slt i32 %j, 9\n br i1 %more, label %next, label %end, !llvm.loop !0\n"
           "end:\n ret float %x\n}\n!0 = distinct !{!0, !1}\n!1 = !{!\"" +
           property + "\"}\n";
  };
  for (const bool same : {true, false}) {
    Program p;
    auto [outer, inner] = schedule::Split(p.s[p.b], p.axis(), 2);
    schedule::Pragma(p.s[p.b], outer, "import_llvm", source("llvm.loop.mustprogress"));
    schedule::Pragma(
        p.s[p.b], inner, "import_llvm",
        "; again\n" + source(same ? "llvm.loop.mustprogress" : "llvm.loop.unroll.disable"));
    if (!same) {
      EXPECT_NE(Refused(p.Loops(), "llvm", "llvm-import").find("defined already"),
                std::string::npos);
      continue;
    }
    auto module = Build(p.Loops(), target::ParseTarget("llvm"), {});
    ASSERT_TRUE(module.ok()) << module.status();
    ExpectRuns(*module, 1, 0);
  }
}

// Functions of the same text that mean different things.
TEST_F(Imports, CodeThatOnlyLooksTheSame) {
  const std::string head = "define float @halve_then_add_seven(float %x)";
  const std::string pairs[][2] = {
      {"@c = private constant float 7.0\n" + head +
           " {\n %c = load float, ptr @c\n ret float %c\n}",
       "@c = private constant float 8.0\n" + head +
           " {\n %c = load float, ptr @c\n ret float %c\n}"},
      {head + " {\n call void asm sideeffect \"nop ; a\", \"\"()\n ret float %x\n}",
       head + " {\n call void asm sideeffect \"nop ; b\", \"\"()\n ret float %x\n}"},
      {head + " #0 {\n ret float %x\n}\nattributes #0 = { noinline }",
       head + " #0 {\n ret float %x\n}\nattributes #0 = { cold }"},
      {head + " {\n %y = fmul float %x, 3.0, !fpmath !0\n ret float %y\n}\n!0 = !{float 1.0}",
       head + " {\n %y = fmul float %x, 3.0, !fpmath !0\n ret float %y\n}\n!0 = !{float 2.5}"},
  };
  for (const auto& [first, second] : pairs) {
    Program p;
    auto [outer, inner] = schedule::Split(p.s[p.b], p.axis(), 2);
    schedule::Pragma(p.s[p.b], outer, "import_llvm", first);
    schedule::Pragma(p.s[p.b], inner, "import_llvm", second);
    const std::string text = Refused(p.Loops(), "llvm", "llvm-import");
    EXPECT_NE(text.find("`halve_then_add_seven` is defined already"), std::string::npos) << text;
  }
}

TEST_F(Imports, ASourceThatLlvmRefuses) {
  const auto text = [](const std::string& source) {
    return Refused(Program().Import("import_llvm", source).Loops(), "llvm", "llvm-import");
  };
  // The parser's message, with the position in the source.
  const std::string broken = text("define float @f(float %x) {\n  ret floot %x\n}");
  EXPECT_NE(broken.find("import_llvm:2:7"), std::string::npos) << broken;
  EXPECT_NE(text("define float @f(i32 %x) {\n %y = add i32 %x, 1\n ret i32 %y\n}").find("float"),
            std::string::npos);
  EXPECT_NE(text("target triple = \"sparc-unknown-linux\"").find("sparc"), std::string::npos);
  // A function with other types than the call has, and a function that two sources define.
  EXPECT_NE(text("define i32 @halve_then_add_seven(i32 %x) {\n ret i32 %x\n}").find("other types"),
            std::string::npos);
  Program twice;
  auto [outer, inner] = schedule::Split(twice.s[twice.b], twice.axis(), 2);
  schedule::Pragma(twice.s[twice.b], outer, "import_llvm", kSource);
  schedule::Pragma(twice.s[twice.b], inner, "import_llvm", "define void @seven() {\n ret void\n}");
  const std::string again = Refused(twice.Loops(), "llvm", "llvm-import");
  EXPECT_NE(again.find("`seven` is defined already"), std::string::npos) << again;
}

TEST_F(Imports, ALanguageThatTheTargetDoesNotTake) {
  const std::string text =
      Refused(Program().Import("import_c", "float halve_then_add_seven(float x);").Loops(), "llvm",
              "import-unsupported");
  EXPECT_NE(text.find("`import_llvm`"), std::string::npos) << text;
  Refused(Program().Import("import_fortran", "").Loops(), "opencl", "import-unsupported");
}

}  // namespace
}  // namespace lathe::driver
