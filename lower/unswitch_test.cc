// Statements as text in and text out.
#include "lower/unswitch.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "ir/text/parser.h"
#include "ir/text/printer.h"

namespace lathe::lower {
namespace {

class UnswitchTest : public testing::Test {
 protected:
  ir::Var n = ir::MakeSizeVar("n"), m = ir::MakeSizeVar("m");
  ir::Buffer a = ir::MakeBuffer("A", DataType::Int(32), {ir::Int(8)});
  std::vector<ir::NodeRef> free_{n, m, a};
  PassContext context_;

  ir::Stmt Parse(const std::string& text) { return ir::ParseStmt(text, "test", free_); }
  ir::Stmt Unswitched(const ir::Stmt& stmt) {
    const ir::Module module = ir::MakeModule({ir::MakeFunc("f", free_, stmt)});
    return Unswitch(module, context_)->functions[0]->body;
  }
  void Check(const std::string& in, const std::string& out) {
    EXPECT_EQ(ir::ToText(Unswitched(Parse(in))), ir::ToText(Parse(out))) << "of\n" << in;
  }
  void Unchanged(const std::string& in) {
    const ir::Stmt before = Parse(in);
    EXPECT_TRUE(Unswitched(before).same_as(before)) << ir::ToText(Unswitched(before));
  }
};

TEST_F(UnswitchTest, TheFirstGuardDecidesThoseThatItImplies) {
  Check(R"(
    for k in range(m) {
      A[0] = k
      if likely(m * 8 + 1 < n) { A[1] = k }
      if likely(m * 8 + 2 < n) { A[2] = k }
      if likely(m < 3) { A[3] = k }
    })",
        R"(
    if m * 8 + 1 < n {
      for k in range(m) {
        A[0] = k
        if likely(m * 8 + 1 < n) { A[1] = k }
        if likely(m * 8 + 2 < n) { A[2] = k }
        if likely(m < 3) { A[3] = k }
      }
    } else {
      for k in range(m) {
        A[0] = k
        if likely(m < 3) { A[3] = k }
      }
    })");
}

TEST_F(UnswitchTest, NothingElseIsLeft) {
  Check("for k in range(m) { if likely(1 < n) { A[1] = k }; if likely(2 < n) { A[2] = k } }",
        "if 1 < n { for k in range(m) { if likely(1 < n) { A[1] = k }\n"
        "if likely(2 < n) { A[2] = k } } }");
}

TEST_F(UnswitchTest, OnlyTheInnermostLoop) {
  Check(R"(
    for j in range(m) {
      for k in range(m) {
        A[0] = k
        if likely(j + 1 < n) { A[1] = k }
      }
    })",
        R"(
    for j in range(m) {
      if j + 1 < n {
        for k in range(m) {
          A[0] = k
          if likely(j + 1 < n) { A[1] = k }
        }
      } else {
        for k in range(m) { A[0] = k }
      }
    })");
}

TEST_F(UnswitchTest, MustNotChange) {
  for (const char* guard : {
           "if likely(k + 1 < n) { A[1] = k }",   // changes with the loop
           "if likely(A[2] < n) { A[1] = k }",    // the loop may store there
           "if likely(8 // m < n) { A[1] = k }",  // m is 0 where the loop does not run
           "if 1 < n { A[1] = k }",               // no bound guard
           "if likely(1 < n) { A[1] = k } else { A[1] = 0 }",
       })
    Unchanged("for k in range(m) { A[0] = k\n" + std::string(guard) + " }");
  Unchanged("for k in range(m) { if likely(1 < n) { A[1] = k } }");
  Unchanged("unrolled for k in range(4) { A[0] = k\nif likely(1 < n) { A[1] = k }\n A[2] = k }");
}

}  // namespace
}  // namespace lathe::lower
