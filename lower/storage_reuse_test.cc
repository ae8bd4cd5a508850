// Statements as text in and text out.
#include "lower/storage_reuse.h"

#include <gtest/gtest.h>

#include "ir/module.h"
#include "ir/text/parser.h"
#include "ir/text/printer.h"
#include "ir/walk.h"

namespace lathe::lower {
namespace {

using ir::Expr;
using ir::Int;
using ir::Stmt;

class StorageReuseTest : public testing::Test {
 protected:
  ir::Buffer out = ir::MakeBuffer("out", DataType::Float(32), {Int(8)});

  static ir::Buffer Buffer(const char* name, int64_t size, DataType dtype = DataType::Float(32),
                           std::string scope = "") {
    return ir::MakeBuffer(name, dtype, {Int(size)}, std::move(scope));
  }
  // to[0] = from[0] + 1
  static Stmt Copy(const ir::Buffer& from, const ir::Buffer& to) {
    return ir::MakeStore(to, ir::MakeCast(to->dtype, ir::MakeLoad(from, {Int(0)}) + 1), {Int(0)});
  }
  // a = out; b = a; c = b; out = c. Each is allocated when it is first needed.
  Stmt Chain(const ir::Buffer& a, const ir::Buffer& b, const ir::Buffer& c, const Stmt& end = {}) {
    const Stmt inner = ir::MakeAllocate(c, ir::MakeSeq({Copy(b, c), Copy(c, out), end}));
    return ir::MakeAllocate(
        a, ir::MakeSeq({Copy(out, a), ir::MakeAllocate(b, ir::MakeSeq({Copy(a, b), inner}))}));
  }
  int Allocations(const Stmt& stmt) {
    const ir::Module module =
        StorageReuse(ir::MakeModule({ir::MakeFunc("f", {out}, stmt)}), PassContext());
    int count = 0;
    ir::ForEach<ir::Allocate>(module, [&](const ir::Allocate&) { ++count; });
    return count;
  }
};

TEST_F(StorageReuseTest, LaterBufferTakesTheMemoryOfADeadOne) {
  const ir::Buffer a = Buffer("a", 8), b = Buffer("b", 8), c = Buffer("c", 4);
  const ir::Module module =
      StorageReuse(ir::MakeModule({ir::MakeFunc("f", {out}, Chain(a, b, c))}), PassContext());
  const Stmt inner = ir::MakeAllocate(b, ir::MakeSeq({Copy(a, b), Copy(b, a), Copy(a, out)}));
  EXPECT_EQ(ir::ToText(module->functions[0]->body),
            ir::ToText(ir::MakeAllocate(a, ir::MakeSeq({Copy(out, a), inner}))));
}

TEST_F(StorageReuseTest, WhatIsAliveLargerOrOfAnotherKindKeepsItsOwn) {
  const ir::Buffer a = Buffer("a", 8), b = Buffer("b", 8), c = Buffer("c", 4);
  EXPECT_EQ(Allocations(Chain(a, b, c)), 2);
  EXPECT_EQ(Allocations(Chain(a, b, c, Copy(a, out))), 3);
  EXPECT_EQ(Allocations(Chain(a, b, Buffer("c", 9))), 3);
  EXPECT_EQ(Allocations(Chain(a, b, Buffer("c", 4, DataType::Int(32)))), 3);
  EXPECT_EQ(Allocations(Chain(a, b, Buffer("c", 4, DataType::Float(32), "local"))), 3);
}

TEST_F(StorageReuseTest, BuffersWhoseAddressIsTakenKeepTheirMemory) {
  const ir::Buffer a = Buffer("a", 8), b = Buffer("b", 8), c = Buffer("c", 4);
  const ir::Buffer view = ir::CopyBuffer(Buffer("view", 8), [](ir::BufferNode&) {});
  const Stmt use = ir::MakeDeclBuffer(view, Expr(a->data), Copy(view, out));
  const Stmt inner = ir::MakeAllocate(c, ir::MakeSeq({Copy(b, c), Copy(c, out)}));
  EXPECT_EQ(Allocations(ir::MakeAllocate(
                a, ir::MakeSeq({use, ir::MakeAllocate(b, ir::MakeSeq({Copy(a, b), inner}))}))),
            3);
}

}  // namespace
}  // namespace lathe::lower
