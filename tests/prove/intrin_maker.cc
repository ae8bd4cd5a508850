#include "tests/prove/intrin_maker.h"

#include "ir/rewrite.h"
#include "ir/structural.h"
#include "ir/walk.h"
#include "te/operation.h"

namespace lathe::prove {

using ir::Buffer;
using ir::Expr;
using ir::IterVar;
using ir::Stmt;
using ir::Tensor;
using ir::Var;

namespace {

// A load of the stage's body: it moves along the axis, or reads one element.
struct Operand {
  const ir::Load* load;
  bool along = false;
  Tensor placeholder;
};

class IntrinMaker {
 public:
  // An intrinsic for `count` elements along `axis` of `op`.
  IntrinMaker(const ir::ComputeOp& op, const IterVar& axis, int64_t count)
      : op_(op), axis_(axis), count_(count) {}

  // Null if the body has more than loads along the axis and of single elements.
  te::TensorIntrin Make(const std::string& name) {
    for (const Expr& value : op_.body) {
      const auto* reduce = ir::As<ir::Reduce>(value);
      for (const Expr& source : reduce != nullptr ? reduce->sources : std::vector<Expr>{value}) {
        if (!FindOperands(source)) return nullptr;
      }
    }
    if (operands_.empty()) return nullptr;
    const Expr count = ir::Const(count_, axis_->var->dtype);
    const bool reduces = axis_->iter_kind == ir::IterKind::kReduce;
    const auto* first = ir::As<ir::Reduce>(op_.body[0]);
    if (reduces && (first == nullptr || !first->init.empty())) return nullptr;
    if (!reduces && first != nullptr) return nullptr;
    if (first != nullptr && !ir::IsConstInt(first->condition, 1)) return nullptr;
    const IterVar k = te::ReduceAxis(ir::Const(0, axis_->var->dtype), count, "k");
    auto place = [&](const Expr& at) { return reduces ? Expr(k->var) : at; };
    const te::Shape shape = reduces ? te::Shape{} : te::Shape{count};
    const std::vector<Tensor> reference = te::ComputeTuple(
        shape,
        [&](const te::Indices& i) {
          const Expr at = reduces ? Expr() : Expr(i[0]);
          std::vector<Expr> values;
          for (const Expr& value : op_.body) values.push_back(Replaced(value, place(at), k));
          return values;
        },
        name);
    return te::DeclTensorIntrin(name, reference[0]->op,
                                [&](const std::vector<Buffer>& in, const std::vector<Buffer>& out) {
                                  return Statements(*ir::As<ir::ComputeOp>(reference[0]->op), in,
                                                    out);
                                },
                                {.buffers = Buffers(reference), .scalar_params = {}});
  }

 private:
  bool FindOperands(const Expr& value) {
    bool fits = true;
    ir::PreOrder(value, [&](const ir::Node& node) {
      const auto* load = ir::As<ir::Load>(&node);
      if (load == nullptr) {
        // An axis outside of indices is a number, which no operand holds.
        fits = fits && node.node_kind() != ir::NodeKind::kVarNode;
        return true;
      }
      int along = 0;
      for (const Expr& index : load->indices) {
        if (index.get() == axis_->var.get())
          ++along;
        else if (ir::UsesVar(index, axis_->var) || HasLoad(index))
          fits = false;
      }
      fits = fits && along <= 1;
      for (const Operand& other : operands_) {
        if (Same(*other.load, *load)) return false;
      }
      Operand operand{load, along == 1, {}};
      const Expr count = ir::Const(count_, axis_->var->dtype);
      operand.placeholder = te::Placeholder(operand.along ? te::Shape{count} : te::Shape{},
                                            load->dtype, "p" + std::to_string(operands_.size()));
      operands_.push_back(std::move(operand));
      return false;
    });
    return fits;
  }
  static bool HasLoad(const Expr& index) {
    bool has = false;
    ir::ForEach<ir::Load>(index, [&](const ir::Load&) { has = true; });
    return has;
  }
  static bool Same(const ir::Load& a, const ir::Load& b) {
    if (a.source.get() != b.source.get() && !SameTensor(a, b)) return false;
    for (size_t d = 0; d < a.indices.size(); ++d) {
      if (!ir::StructuralEqual(a.indices[d], b.indices[d])) return false;
    }
    return true;
  }
  static bool SameTensor(const ir::Load& a, const ir::Load& b) {
    const Tensor x = ir::RefAs<ir::TensorNode>(a.source), y = ir::RefAs<ir::TensorNode>(b.source);
    return x && y && ir::SameTensor(x, y);
  }

  // The body's value at place `at` of the operands.
  Expr Replaced(const Expr& value, const Expr& at, const IterVar& k) const {
    auto loads = [&](const ir::Load& load) -> Expr {
      for (const Operand& operand : operands_) {
        if (Same(*operand.load, load))
          return te::At(operand.placeholder,
                        operand.along ? std::vector<Expr>{at} : std::vector<Expr>{});
      }
      return {};
    };
    const auto* reduce = ir::As<ir::Reduce>(value);
    if (reduce == nullptr) return ir::Rewrite(value, loads);
    std::vector<Expr> sources;
    for (const Expr& source : reduce->sources) sources.push_back(ir::Rewrite(source, loads));
    return ir::MakeReduce(reduce->reducer, std::move(sources), {k}, ir::Bool(true),
                          reduce->value_index);
  }

  std::vector<Buffer> Buffers(const std::vector<Tensor>& reference) const {
    std::vector<Buffer> buffers;
    // Buffers in the order in which the reference reads them, then the outputs. Strides are free.
    std::vector<Tensor> tensors = ir::InputsOf(*reference[0]->op);
    tensors.insert(tensors.end(), reference.begin(), reference.end());
    for (const Tensor& tensor : tensors) {
      te::IntrinBufferOptions options;
      if (tensor->ndim() > 0)
        options.strides = {ir::MakeVar(tensor->name() + ".step" + std::to_string(buffers.size()))};
      buffers.push_back(te::IntrinBuffer(tensor, options));
    }
    return buffers;
  }

  te::IntrinStmts Statements(const ir::ComputeOp& reference, const std::vector<Buffer>& in,
                             const std::vector<Buffer>& out) const {
    const std::vector<Tensor> inputs = ir::InputsOf(reference);
    auto with_buffers = [&](const Expr& value) {
      return ir::Rewrite(value, [&](const ir::Load& load) -> Expr {
        for (size_t i = 0; i < inputs.size(); ++i) {
          if (ir::SameTensor(ir::RefAs<ir::TensorNode>(load.source), inputs[i]))
            return ir::MakeLoad(in[i], load.indices);
        }
        return {};
      });
    };
    auto loop = [&](const Var& var, Stmt body) {
      return ir::MakeFor(var, ir::Const(0, var->dtype), ir::Const(count_, var->dtype),
                         ir::ForKind::kSerial, std::move(body));
    };
    te::IntrinStmts stmts;
    const auto* reduce = ir::As<ir::Reduce>(reference.body[0]);
    if (reduce == nullptr) {
      std::vector<Stmt> stores;
      const Var i = reference.axis[0]->var;
      for (size_t k = 0; k < out.size(); ++k)
        stores.push_back(ir::MakeStore(out[k], with_buffers(reference.body[k]), {i}));
      stmts.body = ir::Refresh(loop(i, ir::MakeSeq(std::move(stores))));
      return stmts;
    }
    std::vector<Stmt> first, stores;
    std::vector<std::pair<Var, Expr>> lets;
    ir::VarMap values;
    const ir::ReducerNode& reducer = *reduce->reducer;
    for (size_t k = 0; k < out.size(); ++k) {
      first.push_back(ir::MakeStore(out[k], reducer.identity[k], {}));
      const Var old = ir::MakeVar("old" + std::to_string(k), out[k]->dtype);
      lets.emplace_back(old, ir::MakeLoad(out[k], {}));
      values[reducer.lhs[k]] = old;
      const Var one = ir::MakeVar("one" + std::to_string(k), out[k]->dtype);
      lets.emplace_back(one, with_buffers(reduce->sources[k]));
      values[reducer.rhs[k]] = one;
    }
    for (size_t k = 0; k < out.size(); ++k)
      stores.push_back(ir::MakeStore(out[k], ir::Substitute(reducer.result[k], values), {}));
    Stmt step = ir::MakeSeq(std::move(stores));
    for (size_t i = lets.size(); i-- > 0;)
      step = ir::MakeLetStmt(lets[i].first, lets[i].second, step);
    stmts.reset = ir::MakeSeq(std::move(first));
    stmts.update = loop(reduce->axis[0]->var, step);
    stmts.body = ir::Refresh(ir::MakeSeq({stmts.reset, stmts.update}));
    stmts.update = ir::Refresh(stmts.update);
    return stmts;
  }

  const ir::ComputeOp& op_;
  const IterVar axis_;
  const int64_t count_;
  std::vector<Operand> operands_;
};

}  // namespace

te::TensorIntrin MakeIntrin(const ir::ComputeOp& op, const IterVar& axis, int64_t count,
                            const std::string& name) {
  return IntrinMaker(op, axis, count).Make(name);
}

}  // namespace lathe::prove
