#include "schedule/nest_builder.h"

namespace lathe::schedule {

using ir::Buffer;
using ir::ExternOp;
using ir::Stmt;
using ir::VarMap;

Stmt NestBuilder::EmitExtern(const ExternOp& op) {
  Stmt body = op.body;
  const Op self = Op(&op);
  auto bind = [&](const Buffer& from, const Tensor& tensor) {
    const Buffer& to = buffers_.at(tensor);
    body = ir::Substitute(ir::ReplaceBuffer(body, from, to), VarMap{{from->data, Expr(to->data)}});
  };
  for (size_t i = 0; i < op.inputs.size(); ++i) bind(op.input_buffers[i], op.inputs[i]);
  for (size_t k = 0; k < op.output_buffers.size(); ++k)
    bind(op.output_buffers[k], ir::OutputOf(self, static_cast<int64_t>(k)));
  return body;
}

}  // namespace lathe::schedule
