// Random programs of operations, with traces.

#include "ir/random_ir.h"
#include "ir/reducers.h"

namespace lathe::ir {

Op RandomIr::RandomCompute(int number) {
  Ref<ComputeOp> op = Make<ComputeOp>();
  op->name = Chance(30) ? RandomName() : "C" + std::to_string(number);
  if (Chance(30)) op->tag = RandomString();
  const std::vector<Var> outer = vars_;
  for (size_t i = Pick(3); i > 0; --i) {
    const Expr extent = Chance(50) ? Expr(OneOf(outer)) : Int(16);
    op->axis.push_back(
        MakeIterVar(MakeRange(Int(0), extent), MakeVar(RandomName()), IterKind::kData));
    op->shape.push_back(extent);
  }
  for (const IterVar& axis : op->axis) vars_.push_back(axis->var);
  if (Chance(50)) {
    op->reduce_axis.push_back(
        MakeIterVar(MakeRange(Int(0), Int(8)), MakeVar("k"), IterKind::kReduce));
    vars_.push_back(op->reduce_axis[0]->var);
    if (Chance(30)) {
      const Reducer argmin = NamedReducer("argmin", {DataType::Int(32), DataType::Float(32)});
      const std::vector<Expr> sources = {op->reduce_axis[0]->var,
                                         RandomExpr(DataType::Float(32), 3)};
      op->body = {MakeReduce(argmin, sources, op->reduce_axis, nullptr, 0),
                  MakeReduce(argmin, sources, op->reduce_axis, nullptr, 1)};
    } else {
      op->body = {MakeReduce(RandomReducer(DataType::Float(32)),
                             {RandomExpr(DataType::Float(32), 3)}, op->reduce_axis,
                             Chance(30) ? RandomExpr(DataType::Bool(), 2) : Expr(), 0,
                             Chance(30) ? std::vector<Expr>{Float(1.5)} : std::vector<Expr>{})};
    }
  } else {
    op->body = {RandomExpr(DataType::Float(32), 4)};
  }
  vars_ = outer;
  return op;
}

Op RandomIr::RandomScan(int number) {
  auto rows = [&](const std::string& name, int n) {
    Ref<PlaceholderOp> op = Make<PlaceholderOp>();
    op->name = name;
    op->shape = {Int(n), Int(4)};
    op->dtype = DataType::Float(32);
    return OutputOf(op, 0);
  };
  Ref<ScanOp> op = Make<ScanOp>();
  op->name = "S" + std::to_string(number);
  op->scan_axis = MakeIterVar(MakeRange(Int(1), Int(9)), MakeVar("t"), IterKind::kOrdered);
  op->spatial_axis = {MakeIterVar(MakeRange(Int(0), Int(4)), MakeVar("s"), IterKind::kOpaque)};
  op->init = {rows("init", 1)};
  op->update = {rows("update", 10)};
  op->state = {rows("state", 10)};
  return op;
}

Op RandomIr::RandomExtern(int number) {
  Ref<ExternOp> op = Make<ExternOp>();
  op->name = "E" + std::to_string(number);
  const Buffer out = MakeBuffer("out", DataType::Float(32), {Int(16)});
  const std::vector<Var> outer = vars_;
  op->output_buffers = {out, MakeBuffer("out", DataType::Int(32), {})};
  if (!tensors_.empty()) {
    op->inputs = {OneOf(tensors_)};
    op->input_buffers = {MakeBuffer("in", op->inputs[0]->dtype(), op->inputs[0]->shape())};
  }
  std::vector<Tensor> tensors;
  tensors.swap(tensors_);
  buffers_ = op->output_buffers;
  op->body = RandomStmt(3);
  buffers_.clear();
  tensors_.swap(tensors);
  return op;
}

Op RandomIr::RandomTensorCompute(int number) {
  Ref<PlaceholderOp> source = Make<PlaceholderOp>();
  source->name = "src";
  source->shape = {Int(4)};
  source->dtype = DataType::Float(32);
  Ref<ComputeOp> reference = Make<ComputeOp>();
  reference->name = "ref";
  reference->axis = {MakeIterVar(MakeRange(Int(0), Int(4)), MakeVar("i"), IterKind::kData)};
  reference->shape = {Int(4)};
  const Tensor in = OutputOf(source, 0);
  reference->body = {MakeLoad(in, {reference->axis[0]->var}) * Float(2.0)};
  Ref<TensorIntrinNode> intrin = Make<TensorIntrinNode>();
  intrin->name = "twice";
  intrin->op = reference;
  intrin->inputs = {in};
  intrin->buffers = {MakeBuffer("a", DataType::Float(32), {Int(4)}),
                     MakeBuffer("b", DataType::Float(32), {Int(4)})};
  intrin->scalar_params = {MakeVar("p", DataType::Float(32))};
  intrin->body = MakeStore(intrin->buffers[1], intrin->scalar_params[0], {Int(0)});
  Ref<TensorComputeOp> op = Make<TensorComputeOp>();
  op->name = "T" + std::to_string(number);
  op->axis = {MakeIterVar(MakeRange(Int(0), Int(8)), MakeVar("o"), IterKind::kData)};
  op->schedulable_ndim = 1;
  op->intrin = intrin;
  op->inputs = {tensors_[0]};
  op->input_regions = {MakeRange(op->axis[0]->var, Int(4))};
  op->scalar_inputs = {Float(3.0)};
  op->shape = {Int(8), Int(4)};
  return op;
}

Program RandomIr::RandomProgram() {
  vars_.clear();
  buffers_.clear();
  tensors_.clear();
  Ref<ProgramNode> program = Make<ProgramNode>();
  program->name = RandomName();
  program->vars = {MakeSizeVar("n"), MakeVar("m")};
  vars_ = program->vars;
  program->attrs = {{"target", String("llvm")}};
  auto add = [&](const Op& op) {
    program->ops.push_back(op);
    for (int64_t i = 0; i < NumOutputs(*op); ++i) tensors_.push_back(OutputOf(op, i));
  };
  for (int i = 0; i < 2; ++i) {
    Ref<PlaceholderOp> op = Make<PlaceholderOp>();
    op->name = i == 0 ? "X" : RandomName();
    op->dtype = DataType::Float(32);
    op->shape = {vars_[0], Int(16)};
    if (Chance(30)) op->attrs = {{"layout", String("NC")}};
    add(op);
  }
  for (int i = 0; i < 6; ++i) {
    switch (Pick(6)) {
      case 0:
        add(RandomScan(i));
        break;
      case 1:
        add(RandomExtern(i));
        break;
      case 2:
        add(RandomTensorCompute(i));
        break;
      default:
        add(RandomCompute(i));
        break;
    }
  }
  program->args = {tensors_[0], tensors_.back(), vars_[0]};
  for (size_t i = Pick(4); i > 0; --i) {
    Ref<StepNode> step = Make<StepNode>();
    step->primitive = Chance(50) ? "split" : RandomName();
    for (size_t k = Pick(3); k > 0; --k)
      step->results.push_back(RefAs<StringImm>(String(RandomName())));
    step->operands["0"] = String("C0.i");
    if (Chance(50)) step->operands["1"] = Int(-3);
    if (Chance(50)) step->operands["factor"] = Int(32);
    if (Chance(30)) step->operands["extent"] = Expr(vars_[0]);
    if (Chance(30)) step->operands["5"] = String(RandomString());
    if (Chance(30)) step->operands["tensor"] = tensors_[0];
    program->trace.push_back(step);
  }
  return program;
}

}  // namespace lathe::ir
