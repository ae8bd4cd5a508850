#include "ir/stmt.h"

#include "base/error.h"
#include "ir/tensor_op.h"

namespace lathe::ir {
namespace {

template <class T>
Ref<const T> Checked(Ref<T> node) {
  if (std::string problem = CheckNode(*node); !problem.empty()) {
    throw Error(Diagnostic{
        .name = "malformed-node",
        .message = std::string("cannot make a ") + NodeKindName(node->node_kind()) + ": " + problem,
        .help = "change the operands so that they agree"});
  }
  return node;
}

}  // namespace

Range MakeRange(Expr min, Expr extent) {
  // The narrower side takes the type of the other one, so that Range(0, n) works for an int64 n.
  if (min->dtype != extent->dtype) {
    if (min->dtype.bits() < extent->dtype.bits())
      min = MakeCast(extent->dtype, min);
    else
      extent = MakeCast(min->dtype, extent);
  }
  Ref<RangeNode> node = Make<RangeNode>();
  node->min = std::move(min);
  node->extent = std::move(extent);
  return Checked(std::move(node));
}

IterVar MakeIterVar(Range domain, Var var, IterKind kind, std::string thread_tag) {
  Ref<IterVarNode> node = Make<IterVarNode>();
  node->domain = std::move(domain);
  node->var = std::move(var);
  node->iter_kind = kind;
  node->thread_tag = std::move(thread_tag);
  return Checked(std::move(node));
}

Buffer MakeBuffer(std::string name, DataType dtype, std::vector<Expr> shape, std::string scope) {
  Ref<BufferNode> node = Make<BufferNode>();
  node->data = MakeVar(name, DataType::Handle());
  node->name = std::move(name);
  node->dtype = dtype;
  node->shape = std::move(shape);
  node->scope = std::move(scope);
  return Checked(std::move(node));
}

Reducer MakeReducer(std::string name, std::vector<Var> lhs, std::vector<Var> rhs,
                    std::vector<Expr> result, std::vector<Expr> identity) {
  Ref<ReducerNode> node = Make<ReducerNode>();
  node->name = std::move(name);
  node->lhs = std::move(lhs);
  node->rhs = std::move(rhs);
  node->result = std::move(result);
  node->identity = std::move(identity);
  return Checked(std::move(node));
}

DataType IndexType(const std::vector<Expr>& shape) {
  for (const Expr& extent : shape) {
    if (extent->dtype.bits() > 32) return DataType::Int(64);
  }
  return DataType::Int(32);
}

Expr MakeLoad(NodeRef source, std::vector<Expr> indices, Expr mask) {
  Ref<Load> node = Make<Load>();
  DataType element;
  if (const auto* buffer = As<BufferNode>(source)) {
    element = buffer->dtype;
  } else if (const auto* tensor = As<TensorNode>(source)) {
    element = tensor->dtype();
  } else {
    LATHE_CHECK(false) << "a Load reads a Buffer or a Tensor";
  }
  if (!indices.empty() && !indices.back()->dtype.is_scalar()) {
    element = DataType(element.code(), element.bits(),
                       static_cast<int16_t>(indices.back()->dtype.dl().lanes) *
                           static_cast<int16_t>(element.dl().lanes));
  }
  node->dtype = element;
  node->source = std::move(source);
  node->indices = std::move(indices);
  node->mask = std::move(mask);
  return Checked(std::move(node));
}

Stmt MakeStore(Buffer buffer, Expr value, std::vector<Expr> indices, Expr mask) {
  Ref<Store> node = Make<Store>();
  node->buffer = std::move(buffer);
  node->value = std::move(value);
  node->indices = std::move(indices);
  node->mask = std::move(mask);
  return Checked(std::move(node));
}

Stmt MakeFor(Var var, Expr min, Expr extent, ForKind kind, Stmt body, std::string thread_tag,
             Dict annotations) {
  Ref<For> node = Make<For>();
  node->var = std::move(var);
  node->min = std::move(min);
  node->extent = std::move(extent);
  node->for_kind = kind;
  node->thread_tag = std::move(thread_tag);
  node->annotations = std::move(annotations);
  node->body = std::move(body);
  return Checked(std::move(node));
}

Stmt MakeWhile(Expr condition, Stmt body) {
  Ref<While> node = Make<While>();
  node->condition = std::move(condition);
  node->body = std::move(body);
  return Checked(std::move(node));
}

Stmt MakeIf(Expr condition, Stmt then_case, Stmt else_case) {
  Ref<If> node = Make<If>();
  node->condition = std::move(condition);
  node->then_case = std::move(then_case);
  node->else_case = std::move(else_case);
  return Checked(std::move(node));
}

Stmt MakeSeq(std::vector<Stmt> stmts) {
  std::vector<Stmt> flat;
  flat.reserve(stmts.size());
  for (Stmt& stmt : stmts) {
    if (!stmt) continue;
    if (const auto* seq = As<Seq>(stmt)) {
      flat.insert(flat.end(), seq->stmts.begin(), seq->stmts.end());
    } else {
      flat.push_back(std::move(stmt));
    }
  }
  if (flat.size() == 1) return flat[0];
  Ref<Seq> node = Make<Seq>();
  node->stmts = std::move(flat);
  return node;
}

Stmt MakeEvaluate(Expr value) {
  Ref<Evaluate> node = Make<Evaluate>();
  node->value = std::move(value);
  return node;
}

Stmt MakeLetStmt(Var var, Expr value, Stmt body) {
  Ref<LetStmt> node = Make<LetStmt>();
  node->var = std::move(var);
  node->value = std::move(value);
  node->body = std::move(body);
  return Checked(std::move(node));
}

Stmt MakeAssert(Expr condition, std::string name, std::string message, std::vector<Expr> values) {
  Ref<Assert> node = Make<Assert>();
  node->condition = std::move(condition);
  node->name = std::move(name);
  node->message = std::move(message);
  node->values = std::move(values);
  return Checked(std::move(node));
}

Stmt MakeRealize(Buffer buffer, std::vector<Range> bounds, Stmt body) {
  Ref<Realize> node = Make<Realize>();
  node->buffer = std::move(buffer);
  node->bounds = std::move(bounds);
  node->body = std::move(body);
  return Checked(std::move(node));
}

Stmt MakeAllocate(Buffer buffer, Stmt body, Dict annotations) {
  Ref<Allocate> node = Make<Allocate>();
  node->buffer = std::move(buffer);
  node->annotations = std::move(annotations);
  node->body = std::move(body);
  return node;
}

Stmt MakeAllocConst(Buffer buffer, int64_t index, Stmt body) {
  Ref<AllocConst> node = Make<AllocConst>();
  node->buffer = std::move(buffer);
  node->index = index;
  node->body = std::move(body);
  return Checked(std::move(node));
}

Stmt MakeDeclBuffer(Buffer buffer, Expr data, Stmt body) {
  Ref<DeclBuffer> node = Make<DeclBuffer>();
  node->buffer = std::move(buffer);
  node->data = std::move(data);
  node->body = std::move(body);
  return Checked(std::move(node));
}

Stmt MakePrefetch(Buffer buffer, std::vector<Range> bounds) {
  Ref<Prefetch> node = Make<Prefetch>();
  node->buffer = std::move(buffer);
  node->bounds = std::move(bounds);
  return Checked(std::move(node));
}

Stmt MakeAttr(NodeRef about, std::string key, Expr value, Stmt body) {
  Ref<Attr> node = Make<Attr>();
  node->node = std::move(about);
  node->key = std::move(key);
  node->value = std::move(value);
  node->body = std::move(body);
  return node;
}

Stmt Nop() { return MakeSeq({}); }

bool IsNop(const Stmt& stmt) {
  const auto* seq = As<Seq>(stmt);
  return seq != nullptr && seq->stmts.empty();
}

}  // namespace lathe::ir
