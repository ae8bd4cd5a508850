// Statements. The contract of expr.h holds here, too. A null Stmt means "nothing", and only where a
// field says that it may be null.
#pragma once

#include <string>
#include <vector>

#include "ir/buffer.h"

namespace lathe::ir {

// buffer[indices] = value, in the lanes whose mask is true (null mask: all lanes).
struct Store final : NodeOf<Store, StmtNode> {
  Buffer buffer;
  Expr value;
  std::vector<Expr> indices;
  Expr mask;
  template <class F>
  static void Fields(F f) {
    f.Refer("buffer", &Store::buffer);
    f.Field("value", &Store::value);
    f.Field("indices", &Store::indices);
    f.Optional("mask", &Store::mask);
  }
};

enum class ForKind : uint8_t {
  kSerial,
  kParallel,    // iterations are independent; any thread may run one
  kVectorized,  // iterations become lanes
  kUnrolled,
  // Bound to the thread axis `thread_tag`: all iterations exist at the same time. Loops of one tag
  // within a kernel, nested or side by side, are one hardware axis. Until barriers are inserted in
  // a nest, each statement ends for all threads of the block before the next one begins. In a
  // function of calling convention "kernel", only barriers order the statements
  // (docs/design/threads.md).
  kThread,
};

// for var in [min, min + extent). An extent <= 0 runs nothing. var, min and extent share one
// integer type.
struct For final : NodeOf<For, StmtNode> {
  Expr min, extent;
  Var var;
  ForKind for_kind = ForKind::kSerial;
  std::string thread_tag;
  Dict annotations;  // hints; they never change the meaning
  Stmt body;
  static constexpr const char* kForKindNames[] = {"serial", "parallel", "vectorized", "unrolled",
                                                  "thread"};
  template <class F>
  static void Fields(F f) {
    f.Field("min", &For::min);
    f.Field("extent", &For::extent);
    f.Define("var", &For::var);
    f.Enum("for_kind", &For::for_kind, kForKindNames);
    f.Field("thread_tag", &For::thread_tag);
    f.Field("annotations", &For::annotations);
    f.Field("body", &For::body);
  }
};

struct While final : NodeOf<While, StmtNode> {
  Expr condition;
  Stmt body;
  template <class F>
  static void Fields(F f) {
    f.Field("condition", &While::condition);
    f.Field("body", &While::body);
  }
};

struct If final : NodeOf<If, StmtNode> {
  Expr condition;  // scalar bool; `likely(...)` marks a bound guard
  Stmt then_case;
  Stmt else_case;  // may be null
  template <class F>
  static void Fields(F f) {
    f.Field("condition", &If::condition);
    f.Field("then_case", &If::then_case);
    f.Optional("else_case", &If::else_case);
  }
};

// Statements in order. Factories flatten nested Seqs. An empty Seq is "nothing".
struct Seq final : NodeOf<Seq, StmtNode> {
  std::vector<Stmt> stmts;
  template <class F>
  static void Fields(F f) {
    f.Field("stmts", &Seq::stmts);
  }
};

struct Evaluate final : NodeOf<Evaluate, StmtNode> {
  Expr value;
  template <class F>
  static void Fields(F f) {
    f.Field("value", &Evaluate::value);
  }
};

struct LetStmt final : NodeOf<LetStmt, StmtNode> {
  Expr value;
  Var var;
  Stmt body;
  template <class F>
  static void Fields(F f) {
    f.Field("value", &LetStmt::value);
    f.Define("var", &LetStmt::var);
    f.Field("body", &LetStmt::body);
  }
};

// Ends the function with the error `name` unless `condition` holds. `message` may contain {0} ...
// {7}, which print `values`. Later statements of the same Seq may rely on the condition.
struct Assert final : NodeOf<Assert, StmtNode> {
  Expr condition;
  std::string name;
  std::string message;
  std::vector<Expr> values;
  template <class F>
  static void Fields(F f) {
    f.Field("condition", &Assert::condition);
    f.Field("name", &Assert::name);
    f.Field("message", &Assert::message);
    f.Field("values", &Assert::values);
  }
};

// `buffer` exists within body, for the indices in `bounds` (one range per dimension, in the
// buffer's own coordinates). The lowering of a schedule makes it. A later pass turns it into
// Allocate and rebases the indices.
struct Realize final : NodeOf<Realize, StmtNode> {
  Buffer buffer;
  std::vector<Range> bounds;
  Stmt body;
  template <class F>
  static void Fields(F f) {
    f.Field("bounds", &Realize::bounds);
    f.Define("buffer", &Realize::buffer);
    f.Field("body", &Realize::body);
  }
};

// Memory for the whole of `buffer` within body, in the buffer's scope. Its contents are undefined
// at first.
struct Allocate final : NodeOf<Allocate, StmtNode> {
  Buffer buffer;
  Dict annotations;
  Stmt body;
  template <class F>
  static void Fields(F f) {
    f.Define("buffer", &Allocate::buffer);
    f.Field("annotations", &Allocate::annotations);
    f.Field("body", &Allocate::body);
  }
};

// Within body, `buffer` is the constant number `index` of the module's constant table. Read-only.
struct AllocConst final : NodeOf<AllocConst, StmtNode> {
  Buffer buffer;
  int64_t index = 0;
  Stmt body;
  template <class F>
  static void Fields(F f) {
    f.Define("buffer", &AllocConst::buffer);
    f.Field("index", &AllocConst::index);
    f.Field("body", &AllocConst::body);
  }
};

// Within body, `buffer` is a view of memory that already exists. Its `data` variable may be defined
// outside, not by this buffer.
struct DeclBuffer final : NodeOf<DeclBuffer, StmtNode> {
  Expr data;  // a handle: a Var, address_of or access_ptr; becomes buffer->data
  Buffer buffer;
  Stmt body;
  template <class F>
  static void Fields(F f) {
    f.Field("data", &DeclBuffer::data);
    f.Define("buffer", &DeclBuffer::buffer);
    f.Field("body", &DeclBuffer::body);
  }
};

// A hint that the region will be read soon.
struct Prefetch final : NodeOf<Prefetch, StmtNode> {
  Buffer buffer;
  std::vector<Range> bounds;
  template <class F>
  static void Fields(F f) {
    f.Refer("buffer", &Prefetch::buffer);
    f.Field("bounds", &Prefetch::bounds);
  }
};

// An open statement: a note on body for plugins, users and passes. It does not change the meaning
// by itself.
struct Attr final : NodeOf<Attr, StmtNode> {
  NodeRef node;  // what the note is about; may be null
  std::string key;
  Expr value;
  Stmt body;
  template <class F>
  static void Fields(F f) {
    f.OptionalRefer("node", &Attr::node);
    f.Field("key", &Attr::key);
    f.Field("value", &Attr::value);
    f.Field("body", &Attr::body);
  }
};

// -- Making statements. These functions check types and ranks, and throw Error.

Stmt MakeStore(Buffer buffer, Expr value, std::vector<Expr> indices, Expr mask = {});
Stmt MakeFor(Var var, Expr min, Expr extent, ForKind kind, Stmt body, std::string thread_tag = "",
             Dict annotations = {});
Stmt MakeWhile(Expr condition, Stmt body);
Stmt MakeIf(Expr condition, Stmt then_case, Stmt else_case = {});
// Flattens nested Seqs and drops nulls. One statement is returned as it is.
Stmt MakeSeq(std::vector<Stmt> stmts);
Stmt MakeEvaluate(Expr value);
Stmt MakeLetStmt(Var var, Expr value, Stmt body);
Stmt MakeAssert(Expr condition, std::string name, std::string message,
                std::vector<Expr> values = {});
Stmt MakeRealize(Buffer buffer, std::vector<Range> bounds, Stmt body);
Stmt MakeAllocate(Buffer buffer, Stmt body, Dict annotations = {});
Stmt MakeAllocConst(Buffer buffer, int64_t index, Stmt body);
Stmt MakeDeclBuffer(Buffer buffer, Expr data, Stmt body);
Stmt MakePrefetch(Buffer buffer, std::vector<Range> bounds);
Stmt MakeAttr(NodeRef node, std::string key, Expr value, Stmt body);
// A statement that does nothing.
Stmt Nop();
bool IsNop(const Stmt& stmt);

}  // namespace lathe::ir
