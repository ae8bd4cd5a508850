#include "graph/ops/loops.h"

namespace lathe::graph::ops {
namespace {

std::vector<Expr> InTypeOf(const Buffer& buffer, const std::vector<Expr>& indices) {
  const DataType type = ir::IndexType(buffer->shape);
  std::vector<Expr> out;
  for (const Expr& index : indices) out.push_back(ir::MakeCast(type, index));
  return out;
}

}  // namespace

Expr LoadAt(const Buffer& buffer, const std::vector<Expr>& indices) {
  return ir::MakeLoad(buffer, InTypeOf(buffer, indices));
}

Stmt StoreAt(const Buffer& buffer, const Expr& value, const std::vector<Expr>& indices) {
  return ir::MakeStore(buffer, value, InTypeOf(buffer, indices));
}

Stmt ForRange(const Expr& min, const Expr& extent, const std::string& name,
              const std::function<Stmt(const Expr&)>& body) {
  const ir::Var var = ir::MakeVar(name, extent->dtype);
  return ir::MakeFor(var, ir::MakeCast(extent->dtype, min), extent, ir::ForKind::kSerial,
                     body(var));
}

Stmt ForEach(const std::vector<Expr>& shape,
             const std::function<Stmt(const std::vector<Expr>& at)>& body) {
  std::vector<ir::Var> vars;
  for (size_t d = 0; d < shape.size(); ++d) {
    vars.push_back(ir::MakeVar("i" + std::to_string(d), shape[d]->dtype));
  }
  Stmt stmt = body({vars.begin(), vars.end()});
  for (size_t d = shape.size(); d-- > 0;) {
    stmt = ir::MakeFor(vars[d], Num(0, shape[d]->dtype), shape[d], ir::ForKind::kSerial, stmt);
  }
  return stmt;
}

Stmt LetIn(const std::string& name, const Expr& value,
           const std::function<Stmt(const Expr&)>& body) {
  const ir::Var var = ir::MakeVar(name, value->dtype);
  return ir::MakeLetStmt(var, value, body(var));
}

Results OneExtern(te::Shape shape, DataType dtype, std::vector<Tensor> inputs,
                  const std::function<Stmt(const std::vector<Buffer>& in, const Buffer& out)>& body,
                  std::string name) {
  return te::Extern(
      {std::move(shape)}, {dtype}, std::move(inputs),
      [&](const std::vector<Buffer>& in, const std::vector<Buffer>& out) {
        return body(in, out[0]);
      },
      std::move(name));
}

}  // namespace lathe::graph::ops
