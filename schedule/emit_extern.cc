#include "ir/constants.h"
#include "schedule/nest_builder.h"
#include "te/operation.h"

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
  // A constant needs no code, unless the caller wants its data: RealizeAround has put it into the
  // buffer.
  if (te::IsConstant(op) && given_.count(buffers_.at(ir::OutputOf(self, 0)).get()) == 0)
    return nullptr;
  if (const std::vector<ir::ConstantRef> own = ir::ConstantsIn(op.attrs); !own.empty()) {
    body = ir::Rewrite(body, [&](const ir::AllocConst& use) -> Stmt {
      const int64_t index =
          ir::IndexOfConstant(&constants_, own.at(static_cast<size_t>(use.index)));
      return ir::MakeAllocConst(use.buffer, index, use.body);
    });
  }
  for (size_t i = 0; i < op.inputs.size(); ++i) bind(op.input_buffers[i], op.inputs[i]);
  for (size_t k = 0; k < op.output_buffers.size(); ++k)
    bind(op.output_buffers[k], ir::OutputOf(self, static_cast<int64_t>(k)));
  return body;
}

}  // namespace lathe::schedule
