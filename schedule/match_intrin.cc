#include "schedule/match_intrin.h"

#include <algorithm>
#include <optional>
#include <unordered_set>

#include "arith/region.h"
#include "base/error.h"
#include "ir/rewrite.h"
#include "ir/structural.h"
#include "schedule/intrin_part.h"
#include "te/tensor_intrin.h"

namespace lathe::schedule {

using arith::Analyzer;
using arith::DomMap;
using arith::IntSet;
using ir::ComputeOp;
using ir::FieldInfo;
using ir::FieldRole;
using ir::FieldType;
using ir::Load;
using ir::NodeKind;
using ir::Reduce;
using ir::TensorIntrinNode;
using ir::TensorNode;
using ir::Var;
using ir::VarMap;

namespace {

// The limit for compared nodes, counting those compared again with exchanged operands.
constexpr int kMaxSteps = 1 << 14;
constexpr int kMaxNesting = 256;

bool Commutes(NodeKind kind, DataType type) {
  switch (kind) {
    case NodeKind::kAdd:
    case NodeKind::kMul:
    case NodeKind::kAnd:
    case NodeKind::kOr:
    case NodeKind::kEQ:
    case NodeKind::kNE:
      return true;
    case NodeKind::kMin:
    case NodeKind::kMax:
      return !type.is_float();  // the order decides which NaN or zero results
    default:
      return false;
  }
}

bool ReadsMemory(const Expr& e) {
  bool reads = false;
  ir::PostOrder(e, [&](const ir::Node& node) {
    reads = reads || node.node_kind() == NodeKind::kLoad || node.node_kind() == NodeKind::kCall;
  });
  return reads;
}

class Matcher {
 public:
  Matcher(const Stage& stage, size_t first, const TensorIntrinNode& intrin, const Bounds& bounds,
          Analyzer* analyzer)
      : stage_(stage),
        first_(first),
        intrin_(intrin),
        reference_(*ir::As<ComputeOp>(intrin.op)),
        op_(static_cast<const ComputeOp&>(*stage.op)),
        analyzer_(analyzer),
        part_(FindIntrinPart(stage, first, bounds, analyzer)) {}

  IntrinMatch Run() {
    auto scope = analyzer_->OpenScope();
    for (const auto* axes : {&part_.data, &part_.reduce}) {
      for (const InnerAxis& axis : *axes) {
        analyzer_->Bind(axis.var, ir::MakeRange(ir::Const(0, axis.var->dtype),
                                                ir::Int(axis.extent, axis.var->dtype)));
        inner_vars_.insert(axis.var.get());
        zero_[axis.var] = ir::Const(0, axis.var->dtype);
      }
    }
    std::vector<int> output_dims;
    MapAxes(part_.data, reference_.axis, "data axes", &output_dims);
    MapAxes(part_.reduce, reference_.reduce_axis, "reduction axes", nullptr);
    if (reference_.body.size() != op_.body.size()) {
      Mismatch("the number of outputs", std::to_string(reference_.body.size()),
               std::to_string(op_.body.size()));
    }
    found_.operands.resize(intrin_.buffers.size());
    found_.scalars.resize(intrin_.scalar_params.size());
    for (size_t k = 0; k < op_.body.size(); ++k) {
      if (!MatchBody(op_.body[k], reference_.body[k])) Differ();
    }
    FillOutputs(output_dims);
    for (size_t i = 0; i < intrin_.inputs.size(); ++i) {
      LATHE_CHECK(found_.operands[i].tensor) << "an input of the reference was not met";
    }
    for (size_t p = 0; p < found_.scalars.size(); ++p) {
      if (!found_.scalars[p])
        Mismatch("scalar parameter `" + intrin_.scalar_params[p]->name + "`", "its use", "none");
    }
    return std::move(found_);
  }

 private:
  // The axes with more than one value correspond in order on both sides.
  void MapAxes(const std::vector<InnerAxis>& given, const std::vector<IterVar>& wanted,
               const char* what, std::vector<int>* dims) {
    std::vector<size_t> many;
    for (size_t i = 0; i < given.size(); ++i) {
      if (given[i].extent != 1) many.push_back(i);
    }
    std::string expected, found;
    for (const IterVar& axis : wanted) {
      if (!ir::IsOne(axis->domain->extent))
        expected += (expected.empty() ? "" : " x ") + ShortText(axis->domain->extent);
    }
    for (size_t i : many) found += (found.empty() ? "" : " x ") + std::to_string(given[i].extent);
    if (expected != found) {
      Mismatch(std::string("the extents of the ") + what, expected.empty() ? "1" : expected,
               found.empty() ? "1" : found);
    }
    size_t at = 0;
    for (const IterVar& axis : wanted) {
      const Var& from = axis->var;
      const bool one = ir::IsOne(axis->domain->extent);
      if (dims != nullptr) dims->push_back(one ? -1 : static_cast<int>(many[at]));
      from_reference_[from] =
          one ? ir::Const(0, from->dtype) : ir::MakeCast(from->dtype, given[many[at++]].var);
    }
  }

  void FillOutputs(const std::vector<int>& dims) {
    for (size_t k = 0; k < op_.body.size(); ++k) {
      IntrinOperand& operand = found_.operands[intrin_.inputs.size() + k];
      operand.tensor = ir::OutputOf(stage_.op, static_cast<int64_t>(k));
      for (const InnerAxis& axis : part_.data) operand.mins.push_back(axis.base);
      operand.dims = dims;
    }
  }

  // -- Expressions. The stage's side uses variables of inner axes; the reference's side is mapped
  // to them.

  bool MatchBody(const Expr& mine, const Expr& theirs) {
    const auto* a = ir::As<Reduce>(mine);
    const auto* b = ir::As<Reduce>(theirs);
    if ((a == nullptr) != (b == nullptr)) {
      Mismatch("the kind of computation", b != nullptr ? "a reduction" : "no reduction",
               a != nullptr ? "a reduction" : "no reduction");
    }
    if (a == nullptr) return Match(Mine(mine), Theirs(theirs), 0);
    if (!ir::StructuralEqual(a->reducer, b->reducer)) {
      Mismatch("the reducer", "`" + b->reducer->name + "`", "`" + a->reducer->name + "`");
    }
    if (a->sources.size() != b->sources.size() || a->init.size() != b->init.size() ||
        a->value_index != b->value_index) {
      Mismatch("the reduction's form", b->init.empty() ? "no initial value" : "an initial value",
               a->init.empty() ? "no initial value" : "an initial value");
    }
    for (size_t i = 0; i < a->sources.size(); ++i) {
      if (!Match(Mine(a->sources[i]), Theirs(b->sources[i]), 0)) return false;
    }
    for (size_t i = 0; i < a->init.size(); ++i) {
      if (!Match(Mine(a->init[i]), Theirs(b->init[i]), 0)) return false;
    }
    return Match(Mine(a->condition), Theirs(b->condition), 0);
  }

  Expr Mine(const Expr& e) const { return ir::Substitute(e, part_.to_inner); }
  Expr Theirs(const Expr& e) const { return ir::Substitute(e, from_reference_); }

  bool Fail(const Expr& mine, const Expr& theirs, int depth) {
    if (depth > difference_depth_) {
      difference_depth_ = depth;
      difference_ = {mine, theirs};
    }
    return false;
  }

  bool Match(const Expr& mine, const Expr& theirs, int depth) {
    if (depth > kMaxNesting || ++steps_ > kMaxSteps) return Fail(mine, theirs, depth);
    for (size_t p = 0; p < intrin_.scalar_params.size(); ++p) {
      if (intrin_.scalar_params[p].get() == theirs.get())
        return MatchScalar(p, mine) || Fail(mine, theirs, depth);
    }
    if (mine->dtype != theirs->dtype) return Fail(mine, theirs, depth);
    const auto* load = ir::As<Load>(theirs);
    if (load != nullptr) {
      const auto* own = ir::As<Load>(mine);
      return (own != nullptr && MatchLoad(*own, *load)) || Fail(mine, theirs, depth);
    }
    if (mine->dtype.is_integral() && !ReadsMemory(mine) && !ReadsMemory(theirs)) {
      return ir::StructuralEqual(mine, theirs) || analyzer_->CanProveEqual(mine, theirs) ||
             Fail(mine, theirs, depth);
    }
    if (mine->node_kind() != theirs->node_kind()) return Fail(mine, theirs, depth);
    const IntrinMatch before = found_;
    if (MatchFields(*mine, *theirs, depth)) return true;
    found_ = before;
    const ir::Operands a = ir::BinaryOperands(mine.get()), b = ir::BinaryOperands(theirs.get());
    if (a && Commutes(mine->node_kind(), mine->dtype)) {
      if (Match(*a.a, *b.b, depth + 1) && Match(*a.b, *b.a, depth + 1)) return true;
      found_ = before;
    }
    return Fail(mine, theirs, depth);
  }

  bool MatchNodes(const ir::Node* mine, const ir::Node* theirs, int depth) {
    if (mine == nullptr || theirs == nullptr) return mine == theirs;
    if (ir::IsExpr(mine) && ir::IsExpr(theirs)) {
      return Match(Expr(static_cast<const ir::ExprNode*>(mine)),
                   Expr(static_cast<const ir::ExprNode*>(theirs)), depth + 1);
    }
    return ir::StructuralEqual(NodeRef(mine), NodeRef(theirs));
  }

  bool MatchFields(const ir::Node& mine, const ir::Node& theirs, int depth) {
    for (const FieldInfo& field : ir::FieldsOf(mine.node_kind())) {
      if (field.role == FieldRole::kDefine) return false;
      switch (field.type) {
        case FieldType::kNode:
          if (!MatchNodes(field.node(mine), field.node(theirs), depth)) return false;
          break;
        case FieldType::kList:
          if (field.list_size(mine) != field.list_size(theirs)) return false;
          for (size_t i = 0; i < field.list_size(mine); ++i) {
            if (!MatchNodes(field.list_at(mine, i), field.list_at(theirs, i), depth)) return false;
          }
          break;
        case FieldType::kDict: {
          const Dict& a = field.dict(mine);
          const Dict& b = field.dict(theirs);
          if (a.size() != b.size()) return false;
          for (auto i = a.begin(), j = b.begin(); i != a.end(); ++i, ++j) {
            if (i->first != j->first || !ir::StructuralEqual(i->second, j->second)) return false;
          }
          break;
        }
        case FieldType::kString:
          if (field.string(mine) != field.string(theirs)) return false;
          break;
        case FieldType::kInt:
          if (field.integer(mine) != field.integer(theirs)) return false;
          break;
        case FieldType::kFloat: {
          const double a = field.number(mine), b = field.number(theirs);
          if (__builtin_bit_cast(uint64_t, a) != __builtin_bit_cast(uint64_t, b)) return false;
          break;
        }
        case FieldType::kBool:
          if (field.boolean(mine) != field.boolean(theirs)) return false;
          break;
        case FieldType::kDType:
          if (field.dtype(mine) != field.dtype(theirs)) return false;
          break;
        case FieldType::kEnum:
          if (field.enumerator(mine) != field.enumerator(theirs)) return false;
          break;
        case FieldType::kBlob:
          if (!field.blob(mine).same_as(field.blob(theirs))) return false;
          break;
      }
    }
    return true;
  }

  bool MatchScalar(size_t p, const Expr& mine) {
    if (mine->dtype != intrin_.scalar_params[p]->dtype || ir::UsesAnyVar(mine, inner_vars_))
      return false;
    Expr& value = found_.scalars[p];
    if (!value) {
      value = mine;
      return true;
    }
    return ir::StructuralEqual(value, mine) ||
           (mine->dtype.is_integral() && analyzer_->CanProveEqual(value, mine));
  }

  bool MatchLoad(const Load& mine, const Load& theirs) {
    const Tensor tensor = ir::RefAs<TensorNode>(mine.source);
    // By the loops' ranges (io * 16 + i) // 16 is io, whatever the program wrote.
    std::vector<Expr> indices;
    for (const Expr& index : mine.indices) indices.push_back(analyzer_->Simplify(index));
    const Tensor placeholder = ir::RefAs<TensorNode>(theirs.source);
    if (!tensor || !placeholder || mine.mask || theirs.mask) return false;
    for (size_t i = 0; i < intrin_.inputs.size(); ++i) {
      if (!ir::SameTensor(placeholder, intrin_.inputs[i])) continue;
      std::optional<IntrinOperand> place = PlaceOf(tensor, indices, placeholder, theirs.indices);
      if (!place) return false;
      IntrinOperand& operand = found_.operands[i];
      if (!operand.tensor) {
        operand = std::move(*place);
        return true;
      }
      if (!ir::SameTensor(operand.tensor, tensor) || operand.dims != place->dims) return false;
      for (size_t d = 0; d < operand.mins.size(); ++d) {
        if (!analyzer_->CanProveEqual(operand.mins[d], place->mins[d])) return false;
      }
      operand.whole = operand.whole || place->whole;
      return true;
    }
    return false;
  }

  static Expr Wide(const Expr& e) { return ir::MakeCast(DataType::Int(64), e); }

  // The operand's place in the tensor, such that both loads read the same elements.
  std::optional<IntrinOperand> PlaceOf(const Tensor& tensor, const std::vector<Expr>& mine,
                                       const Tensor& placeholder, const std::vector<Expr>& theirs) {
    std::vector<std::vector<int>> candidates;
    if (mine.size() == theirs.size()) {
      std::vector<int> straight;
      for (size_t d = 0; d < mine.size(); ++d) straight.push_back(static_cast<int>(d));
      candidates.push_back(std::move(straight));
    }
    std::vector<int> varying;
    for (size_t d = 0; d < mine.size(); ++d) {
      if (ir::UsesAnyVar(mine[d], inner_vars_)) varying.push_back(static_cast<int>(d));
    }
    std::vector<int> chosen;
    size_t at = 0;
    for (const Expr& extent : placeholder->shape()) {
      if (ir::IsOne(extent))
        chosen.push_back(-1);
      else
        chosen.push_back(at < varying.size() ? varying[at++] : -2);
    }
    const bool fits =
        at == varying.size() && std::find(chosen.begin(), chosen.end(), -2) == chosen.end();
    if (fits) candidates.push_back(std::move(chosen));
    for (const std::vector<int>& dims : candidates) {
      if (std::optional<IntrinOperand> place = PlaceBy(dims, tensor, mine, placeholder, theirs))
        return place;
    }
    return std::nullopt;
  }

  std::optional<IntrinOperand> PlaceBy(const std::vector<int>& dims, const Tensor& tensor,
                                       const std::vector<Expr>& mine, const Tensor& placeholder,
                                       const std::vector<Expr>& theirs) {
    IntrinOperand place;
    place.tensor = tensor;
    place.dims = dims;
    place.mins.resize(mine.size());
    for (size_t d = 0; d < dims.size(); ++d) {
      const Expr index = Wide(theirs[d]);
      if (dims[d] < 0) {
        if (!analyzer_->CanProveEqual(index, ir::Int(0, DataType::Int(64)))) return std::nullopt;
        continue;
      }
      const Expr own = mine[static_cast<size_t>(dims[d])];
      const Expr start = analyzer_->Simplify(
          ir::Substitute(own, zero_) - ir::MakeCast(own->dtype, ir::Substitute(theirs[d], zero_)));
      if (!analyzer_->CanProveEqual(Wide(own), Wide(start) + index)) return std::nullopt;
      place.mins[static_cast<size_t>(dims[d])] = start;
      place.whole = place.whole && ReadsWhole(theirs[d], placeholder->shape()[d]);
    }
    for (size_t d = 0; d < mine.size(); ++d) {
      if (place.mins[d]) continue;
      if (ir::UsesAnyVar(mine[d], inner_vars_)) return std::nullopt;
      place.mins[d] = mine[d];
    }
    return place;
  }

  // True if the index takes all values of [0, extent), as an interval.
  bool ReadsWhole(const Expr& index, const Expr& extent) {
    DomMap dom;
    for (const auto* axes : {&part_.data, &part_.reduce}) {
      for (const InnerAxis& axis : *axes)
        dom[axis.var] = IntSet::FromRange(
            ir::MakeRange(ir::Const(0, axis.var->dtype), ir::Int(axis.extent, axis.var->dtype)));
    }
    const IntSet set = arith::EvalSet(index, dom, analyzer_);
    return set.is_bounded() && analyzer_->CanProve(set.min <= ir::Const(0, set.min->dtype)) &&
           analyzer_->CanProve(set.max >= extent - 1);
  }

  // -- Refusing.

  [[noreturn]] void Mismatch(std::string what, std::string expected, std::string found,
                             std::string help =
                                 "split and reorder the loops until the inner ones "
                                 "are the intrinsic's, in its order") const {
    throw Error(Diagnostic{
        .name = "schedule-tensorize-mismatch",
        .message = "tensorize: from loop `" + stage_.leaf_axes[first_]->var->name +
                   "` inwards, stage `" + stage_.name + "` is not `" + intrin_.name +
                   "`: " + std::move(what) + " differ" + (what.ends_with("s") ? "" : "s"),
        .expected = std::move(expected),
        .found = std::move(found),
        .help = std::move(help),
        .notes = {"the stage's inner part:\n" + ShortText(AsCompute(stage_, part_)),
                  "the intrinsic's reference:\n" + ShortText(intrin_.op)}});
  }

  [[noreturn]] void Differ() const {
    LATHE_CHECK(difference_.first) << "a mismatch without a place";
    const Expr& mine = difference_.first;
    const Expr& theirs = difference_.second;
    if (mine->dtype != theirs->dtype) {
      const std::string wanted = theirs->dtype.ToString(), own = mine->dtype.ToString();
      Mismatch("the element type", "`" + ShortText(theirs) + "` of type " + wanted,
               "`" + ShortText(mine) + "` of type " + own,
               "give the stage a value of type " + wanted +
                   " here, or use an intrinsic that takes " + own);
    }
    Mismatch("the value", "`" + ShortText(difference_.second) + "`",
             "`" + ShortText(difference_.first) + "`");
  }

  const Stage& stage_;
  const size_t first_;
  const TensorIntrinNode& intrin_;
  const ComputeOp& reference_;
  const ComputeOp& op_;
  Analyzer* analyzer_;
  const IntrinPart part_;
  VarMap from_reference_, zero_;
  std::unordered_set<const ir::Node*> inner_vars_;
  IntrinMatch found_;
  int steps_ = 0;
  int difference_depth_ = -1;
  std::pair<Expr, Expr> difference_;
};

}  // namespace

void IllegalTensorize(const Stage& stage, std::string what, std::string expected, std::string found,
                      std::string help) {
  throw Error(Diagnostic{.name = "schedule-tensorize-illegal",
                         .message = "tensorize of stage `" + stage.name + "`: " + std::move(what),
                         .expected = std::move(expected),
                         .found = std::move(found),
                         .help = std::move(help)});
}

size_t TensorizedLeaf(const Stage& stage) {
  for (size_t i = 0; i < stage.leaf_axes.size(); ++i) {
    const LeafAttr* attr = stage.FindAttr(stage.leaf_axes[i]);
    if (attr != nullptr && attr->intrin) return i;
  }
  return stage.leaf_axes.size();
}

IntrinMatch MatchIntrin(const Stage& stage, size_t first, const TensorIntrinNode& intrin,
                        const Bounds& bounds, Analyzer* analyzer) {
  te::CheckTensorIntrin(intrin);
  return Matcher(stage, first, intrin, bounds, analyzer).Run();
}

}  // namespace lathe::schedule
