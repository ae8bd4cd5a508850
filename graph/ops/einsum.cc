// Sums of products of tensors, written as equations.
#include <algorithm>
#include <cctype>
#include <map>

#include "graph/ops/define.h"
#include "graph/ops/einsum.h"
#include "graph/ops/families.h"
#include "ir/text/printer.h"

namespace lathe::graph::ops {
namespace {

using Labels = EinsumLabels;

std::vector<std::string> SplitAt(const std::string& text, char mark) {
  std::vector<std::string> parts(1);
  for (const char letter : text) {
    if (letter == mark) {
      parts.emplace_back();
    } else {
      parts.back() += letter;
    }
  }
  return parts;
}

// The labels of one term; `rank` < 0: the ellipsis stands for `hidden` dimensions.
Labels ReadTerm(const std::string& term, int rank, int* hidden, std::string* error) {
  const size_t dots = term.find("...");
  const int letters = static_cast<int>(term.size()) - (dots == std::string::npos ? 0 : 3);
  int covered = 0;
  if (rank >= 0) {
    covered = rank - letters;
    if (covered < 0 || (covered > 0 && dots == std::string::npos)) {
      *error = "`" + term + "` names " + std::to_string(letters) + " dimensions of an operand of " +
               std::to_string(rank);
      return {};
    }
    *hidden = std::max(*hidden, covered);
  } else if (dots != std::string::npos) {
    covered = *hidden;
  }
  Labels labels;
  for (size_t at = 0; at < term.size(); ++at) {
    if (at == dots) {
      for (int d = covered; d > 0; --d) labels.push_back(kEllipsisLabel + d - 1);
      at += 2;
    } else if (std::isalpha(static_cast<unsigned char>(term[at])) != 0) {
      labels.push_back(term[at]);
    } else {
      *error = "`" + term + "` has a character that is no letter";
      return {};
    }
  }
  return labels;
}

}  // namespace

EinsumEquation ReadEinsum(std::string text, const std::vector<int>& ranks) {
  std::erase(text, ' ');
  EinsumEquation equation;
  const size_t arrow = text.find("->");
  const std::vector<std::string> terms = SplitAt(text.substr(0, arrow), ',');
  if (terms.size() != ranks.size()) {
    equation.error = "it has " + std::to_string(terms.size()) + " terms for " +
                     std::to_string(ranks.size()) + " operands";
    return equation;
  }
  int hidden = 0;
  std::map<int, int> uses;
  for (size_t i = 0; i < terms.size(); ++i) {
    equation.operands.push_back(ReadTerm(terms[i], ranks[i], &hidden, &equation.error));
    for (const int label : equation.operands.back()) ++uses[label];
  }
  if (!equation.error.empty()) return equation;
  if (arrow != std::string::npos) {
    equation.result = ReadTerm(text.substr(arrow + 2), -1, &hidden, &equation.error);
  } else {
    for (int d = hidden; d > 0; --d) equation.result.push_back(kEllipsisLabel + d - 1);
    for (const auto& [label, count] : uses) {
      if (label < kEllipsisLabel && count == 1) equation.result.push_back(label);
    }
  }
  for (const int label : equation.result) {
    if (uses.count(label) == 0) equation.error = "the result has a letter that no operand has";
    if (std::ranges::count(equation.result, label) > 1) {
      equation.error = "the result has a letter twice";
    }
  }
  return equation;
}

namespace {

TypeResult EinsumType(const TypeContext& c) {
  std::vector<int> ranks;
  for (size_t i = 0; i < c.size(); ++i) ranks.push_back(c.rank(i));
  const std::string text = c.attrs.String("equation");
  const EinsumEquation equation = ReadEinsum(text, ranks);
  if (!equation.error.empty()) {
    c.FailAttr("equation", "does not fit: " + equation.error, "`ij,jk->ik`, for two matrices",
               "`" + text + "`");
  }
  std::map<int, Expr> extents;
  for (size_t i = 0; i < c.size(); ++i) {
    for (size_t d = 0; d < equation.operands[i].size(); ++d) {
      Expr& extent = extents[equation.operands[i][d]];
      const Expr& found = c.shape(i)[d];
      if (!extent || ir::IsOne(extent)) {
        extent = found;
      } else if (!ir::IsOne(found)) {
        c.NeedExtent(i, d, extent, "of the same letter");
      }
    }
  }
  Shape out;
  for (const int label : equation.result) out.push_back(extents[label]);
  return TensorOf(c.dtype(0), std::move(out));
}

// A tensor, or a product that is not made yet, and the labels of its dimensions.
struct Term {
  Tensor tensor;
  Labels labels;
};

// The sum of products of one or two terms over the labels that `kept` lacks.
Term Contract(const std::vector<Term>& terms, const Labels& kept) {
  std::map<int, Expr> extents;
  for (const Term& term : terms) {
    for (size_t d = 0; d < term.labels.size(); ++d) {
      Expr& extent = extents[term.labels[d]];
      if (!extent || ir::IsOne(extent)) extent = term.tensor->shape()[d];
    }
  }
  te::Shape shape;
  for (const int label : kept) shape.push_back(extents[label]);
  std::vector<ir::IterVar> axes;
  std::map<int, Expr> places;
  for (const auto& [label, extent] : extents) {
    if (std::ranges::count(kept, label) > 0) continue;
    axes.push_back(te::ReduceAxis(ir::Int(0), extent, "k"));
    places[label] = axes.back()->var;
  }
  const Tensor result = te::Compute(
      shape,
      [&](const Indices& i) {
        for (size_t d = 0; d < kept.size(); ++d) places[kept[d]] = i[d];
        Expr product;
        for (const Term& term : terms) {
          std::vector<Expr> at;
          for (size_t d = 0; d < term.labels.size(); ++d) {
            const bool repeats = ir::IsOne(term.tensor->shape()[d]);
            at.push_back(repeats ? ir::Int(0) : places[term.labels[d]]);
          }
          const Expr element = At(term.tensor, at);
          product = product ? product * element : element;
        }
        return axes.empty() ? product : te::Sum(product, axes);
      },
      "einsum");
  return {result, kept};
}

// From left to right; a label is summed over as soon as no later term has it, so that no product is
// larger than what the equation keeps.
Results ComputeEinsum(const ComputeContext& c) {
  std::vector<int> ranks;
  for (const Tensor& x : c.inputs) ranks.push_back(x->ndim());
  const EinsumEquation equation = ReadEinsum(c.attrs.String("equation"), ranks);
  Term left{c.in(0), equation.operands[0]};
  if (c.size() == 1) return {Contract({left}, equation.result).tensor};
  for (size_t i = 1; i < c.size(); ++i) {
    const Term right{c.in(i), equation.operands[i]};
    Labels kept = equation.result;
    if (i + 1 < c.size()) {
      const auto is_needed = [&](int label) {
        bool needed = std::ranges::count(equation.result, label) > 0;
        for (size_t j = i + 1; j < c.size(); ++j) {
          needed |= std::ranges::count(equation.operands[j], label) > 0;
        }
        return needed;
      };
      kept.clear();
      for (const Term* term : {static_cast<const Term*>(&left), &right}) {
        for (const int label : term->labels) {
          if (is_needed(label) && std::ranges::count(kept, label) == 0) kept.push_back(label);
        }
      }
    }
    left = Contract({left, right}, kept);
  }
  return {left.tensor};
}

OpDef EinsumOp() {
  const auto equation = [](const char* text) { return ir::Dict{{"equation", StringAttr(text)}}; };
  return {
      .name = "einsum",
      .doc =
          "A sum of products, as an equation says [NumPy's einsum]: a letter names a dimension "
          "of each operand that has it; letters that the result lacks are summed over. A letter "
          "twice in one operand takes the diagonal, and `...` stands for dimensions that are "
          "broadcast. Without `->` the result has the letters that occur once, in the "
          "alphabet's order. Three and more operands are multiplied from left to right.",
      .inputs = {{"data", "the operands, of one type", kNumbers, 0}},
      .attrs = {Required(
          {.name = "equation", .type = AttrType::kString, .doc = "the equation: `ij,jk->ik`"})},
      .kind = OpKind::kAnchor,
      .variadic = true,
      .type = EinsumType,
      .compute = ComputeEinsum,
      .examples = {{{"T[n, 6]", "T[6, 5]"}, equation("ij,jk->ik")},
                   {{"T[n, 6]", "T[6, 5]"}, equation("ij, jk")},
                   {{"T[2, n, 6]", "T[1, 6, 5]"}, equation("...ij,...jk->...ik")},
                   {{"T[5, 5, n]"}, equation("iij->ij")},
                   {{"T[n, n]"}, equation("ii")},
                   {{"T[3, n, 4]"}, equation("b...->...b")},
                   {{"T[n, 3]", "T[3, 4]", "T[4, 5]"}, equation("ij,jk,kl->il")},
                   {{"T[n, 3]", "T[n]", "T[3]"}, equation("ij,i,j->")}}};
}

OpDef Outer() {
  return {.name = "outer",
          .doc = "y[i, j] = a[i] b[j] [PyTorch's outer].",
          .inputs = {{"a", "[n]", kNumbers}, {"b", "[m]", kNumbers, 0}},
          .kind = OpKind::kBroadcast,
          .type = [](const TypeContext& c) -> TypeResult {
            for (const size_t i : {0, 1}) c.NeedRank(i, 1, 1);
            return TensorOf(c.dtype(0), {c.shape(0)[0], c.shape(1)[0]});
          },
          .compute =
              [](const ComputeContext& c) {
                return One(
                    c.shape(),
                    [&](const Indices& i) { return At(c.in(0), {i[0]}) * At(c.in(1), {i[1]}); },
                    "y");
              },
          .examples = {{{"T[n]", "T[7]"}}}};
}

OpDef Dot() {
  return {.name = "dot",
          .doc = "The sum of a[i] b[i]; a tensor of rank 0 [PyTorch's dot].",
          .inputs = {{"a", "[n]", kNumbers}, {"b", "[n]", kNumbers, 0}},
          .kind = OpKind::kReduction,
          .type = [](const TypeContext& c) -> TypeResult {
            for (const size_t i : {0, 1}) c.NeedRank(i, 1, 1);
            c.NeedExtent(1, 0, c.shape(0)[0], "of `a`");
            return TensorOf(c.dtype(0), {});
          },
          .compute =
              [](const ComputeContext& c) {
                const ir::IterVar k = te::ReduceAxis(ir::Int(0), c.in(0)->shape()[0], "k");
                return One(
                    {},
                    [&](const Indices&) {
                      return te::Sum(At(c.in(0), {k->var}) * At(c.in(1), {k->var}), {k});
                    },
                    "y");
              },
          .examples = {{{"T[n]", "T[n]"}}, {{"T[9]", "T[9]"}}}};
}

}  // namespace

std::vector<OpDef> Einsum() { return {EinsumOp(), Outer(), Dot()}; }

}  // namespace lathe::graph::ops
