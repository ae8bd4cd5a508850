// Gradients of sums of products that equations say.
#include <algorithm>
#include <map>

#include "graph/ops/einsum.h"
#include "graph/ops/gradients/formula.h"

namespace lathe::graph::ops {
namespace {

// Terms of a new equation, and their tensors. Labels become the letters of the alphabet.
class Terms {
 public:
  void Add(const EinsumLabels& labels, const Value& tensor) {
    text_ += (tensors_.empty() ? "" : ",") + Letters(labels);
    tensors_.push_back(tensor);
  }
  Value To(const EinsumLabels& labels) {
    return Apply("einsum", tensors_, {{"equation", StringAttr(text_ + "->" + Letters(labels))}});
  }

 private:
  std::string Letters(const EinsumLabels& labels) {
    std::string text;
    for (const int label : labels) {
      const size_t next = letters_.size();
      const auto number = letters_.try_emplace(label, next).first->second;
      text += static_cast<char>(number < 26 ? 'a' + number : 'A' + number - 26);
    }
    return text;
  }
  std::map<int, size_t> letters_;
  std::string text_;
  std::vector<Value> tensors_;
};

// The gradient of operand i is the sum of products of the result's gradient and all other operands,
// with the labels of operand i. A label that only operand i has is that of a vector of ones, and a
// label that it has twice is on the diagonal of an identity matrix.
GraphVar OfOperand(const GradientContext& c, const EinsumEquation& equation, size_t i) {
  Builder& b = c.builder;
  const Value g = G(c), x = X(c, i);
  Terms terms;
  std::map<int, std::vector<Expr>> extents;
  const auto add = [&](const EinsumLabels& labels, const Value& tensor) {
    terms.Add(labels, tensor);
    for (size_t d = 0; d < labels.size(); ++d) extents[labels[d]].push_back(tensor.shape()[d]);
  };
  add(equation.result, g);
  for (size_t k = 0; k < c.args.size(); ++k) {
    if (k != i) add(equation.operands[k], X(c, k));
  }
  EinsumLabels wanted;
  int fresh = -1;
  for (size_t d = 0; d < x.shape().size(); ++d) {
    const int label = equation.operands[i][d];
    const Expr& extent = x.shape()[d];
    if (std::ranges::count(wanted, label) > 0) {
      const Value eye{
          &b, b.Call("eye", {},
                     {{"n", ShapeAttr({extent})}, {"dtype", StringAttr(g.dtype().ToString())}})};
      terms.Add({label, fresh}, eye);
      wanted.push_back(fresh--);
      continue;
    }
    wanted.push_back(label);
    const std::vector<Expr>& known = extents[label];
    if (std::ranges::any_of(known, [&](const Expr& e) { return SameExtent(e, extent); })) continue;
    terms.Add({label}, Ones(b, {extent}, g.dtype()));
  }
  return terms.To(wanted);
}

}  // namespace

Gradients EinsumGradients() {
  Gradients g;
  g["einsum"] = [](const GradientContext& c) {
    std::vector<int> ranks;
    for (size_t i = 0; i < c.args.size(); ++i) ranks.push_back(static_cast<int>(X(c, i).rank()));
    const EinsumEquation equation = ReadEinsum(c.attrs.String("equation"), ranks);
    Vars gradients;
    for (size_t i = 0; i < c.args.size(); ++i) {
      gradients.push_back(c.wanted[i] ? OfOperand(c, equation, i) : nullptr);
    }
    return gradients;
  };
  return g;
}

}  // namespace lathe::graph::ops
