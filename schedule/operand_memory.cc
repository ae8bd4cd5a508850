#include "schedule/operand_memory.h"

#include <algorithm>

#include "base/error.h"

namespace lathe::schedule {

using ir::BufferNode;

namespace {

constexpr const char* kCacheHelp =
    "give the operand memory of its own by cache_read or cache_write, with the layout it needs";

std::string Shown(const Expr& e) {
  const int64_t* value = ir::AsConstInt(e);
  return value != nullptr ? std::to_string(*value) : "an expression";
}

}  // namespace

void OperandMemory::Refuse(std::string what, std::string expected, std::string found,
                           std::string help) const {
  throw Error(Diagnostic{.name = "schedule-tensorize-memory",
                         .message = "`" + intrin.name + "` in stage `" + stage.name +
                                    "`: the memory of `" + buffer->name + "` does not serve as `" +
                                    operand->name + "`: " + std::move(what),
                         .expected = std::move(expected),
                         .found = std::move(found),
                         .help = std::move(help)});
}

void OperandMemory::CheckPlace(arith::Analyzer* analyzer) const {
  if (has_layout) {
    Refuse("it has a layout of its own", "elements a fixed distance apart in each dimension",
           "transform_layout or rolling_buffer", kCacheHelp);
  }
  if (!operand->scope.empty() && operand->scope != ir::ScopeOf(*buffer)) {
    Refuse("it lies in another memory scope", "`" + operand->scope + "`",
           "`" + ir::ScopeOf(*buffer) + "`", "cache it in that scope, or use set_scope");
  }
  for (size_t d = 0; d < place.dims.size(); ++d) {
    if (place.whole || place.dims[d] < 0) continue;
    const auto at = static_cast<size_t>(place.dims[d]);
    const Expr begin = Index(mins[at]), end = begin + Index(operand->shape[d]);
    if (analyzer->CanProve(begin >= Index(region[at]->min)) &&
        analyzer->CanProve(end <= Index(region[at]->min) + Index(region[at]->extent)))
      continue;
    Refuse("the operand may reach beyond it in dimension " + std::to_string(at),
           "a region that provably lies within", "one that is read in part only", kCacheHelp);
  }
}

std::vector<Expr> OperandMemory::OperandStrides(ir::VarMap* values,
                                                arith::Analyzer* analyzer) const {
  std::vector<Expr> actual(place.dims.size());
  Expr compact = ir::Int(1, DataType::Int(64));
  bool is_compact = true;
  for (size_t d = place.dims.size(); d-- > 0;) {
    const bool one = ir::IsOne(operand->shape[d]);
    actual[d] = place.dims[d] < 0 ? compact : strides[static_cast<size_t>(place.dims[d])];
    const Expr declared = operand->strides.empty() ? compact : operand->strides[d];
    is_compact = is_compact && (one || analyzer->CanProveEqual(actual[d], compact));
    if (ir::Var var = ir::RefAs<ir::VarNode>(declared)) {
      const Expr stride = ir::MakeCast(var->dtype, actual[d]);
      auto [it, added] = values->emplace(var, stride);
      if (!added && !one && !analyzer->CanProveEqual(it->second, stride)) {
        Refuse("stride `" + var->name + "` would have two values", Shown(it->second), Shown(stride),
               kCacheHelp);
      }
    } else if (!one && !analyzer->CanProveEqual(Index(declared), actual[d])) {
      Refuse("the stride of dimension " + std::to_string(d), Shown(declared), Shown(actual[d]),
             "declare the stride as a variable if any will do; else " + std::string(kCacheHelp));
    }
    compact = analyzer->Simplify(compact * Index(operand->shape[d]));
  }
  return is_compact ? std::vector<Expr>() : actual;
}

void OperandMemory::CheckBeginning(arith::Analyzer* analyzer) const {
  const Expr zero = ir::Int(0, DataType::Int(64));
  Expr offset = buffer->elem_offset ? Index(buffer->elem_offset) : zero;
  for (size_t d = 0; d < mins.size(); ++d)
    offset = offset + (Index(mins[d]) - Index(region[d]->min)) * strides[d];
  offset = analyzer->Simplify(offset);
  const int64_t factor = operand->offset_factor;
  const bool at_multiple =
      factor == 0 ? analyzer->CanProveEqual(offset, zero)
                  : factor == 1 || analyzer->CanProveEqual(
                                       ir::FloorModulo(offset, ir::Int(factor, zero->dtype)), zero);
  if (!at_multiple) {
    Refuse(
        "where the operand begins",
        factor == 0 ? "the first element" : "a multiple of " + std::to_string(factor) + " elements",
        Shown(offset), kCacheHelp);
  }
  if (operand->alignment == 0) return;
  const int64_t bytes = operand->dtype.bytes();
  const Expr rest = ir::FloorModulo(offset * ir::Int(bytes, zero->dtype),
                                    ir::Int(operand->alignment, zero->dtype));
  if (buffer->alignment % operand->alignment == 0 && buffer->alignment != 0 &&
      analyzer->CanProveEqual(rest, zero))
    return;
  Refuse("its alignment", "a multiple of " + std::to_string(operand->alignment) + " bytes",
         "memory aligned to " + std::to_string(std::max(buffer->alignment, bytes)) +
             " bytes, from element " + Shown(offset) + " on",
         kCacheHelp);
}

ir::Buffer OperandMemory::View(ir::VarMap* values, arith::Analyzer* analyzer) const {
  CheckPlace(analyzer);
  const std::vector<Expr> actual = OperandStrides(values, analyzer);
  CheckBeginning(analyzer);
  const ir::Buffer view = ir::CopyBuffer(operand, [&](BufferNode& copy) {
    copy.data = ir::MakeVar(operand->name, DataType::Handle());
    copy.strides = actual;
    copy.elem_offset = nullptr;
    copy.offset_factor = 0;
    copy.scope = buffer->scope;
  });
  if (const ir::Var var = ir::RefAs<ir::VarNode>(operand->elem_offset))
    (*values)[var] = ir::Const(0, var->dtype);
  (*values)[operand->data] = view->data;
  return view;
}

}  // namespace lathe::schedule
