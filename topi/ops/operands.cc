#include "topi/ops/operands.h"

#include <utility>

#include "arith/analyzer.h"
#include "base/error.h"
#include "ir/text/printer.h"

namespace lathe::topi::ops {
namespace {

std::string Quoted(std::string_view name) { return "`" + std::string(name) + "`"; }

const ir::Expr& Extent(const Operand& operand, int dim) {
  return operand.tensor->shape()[static_cast<size_t>(dim)];
}

}  // namespace

void Operands::Refuse(std::string what, std::string expected, std::string found) const {
  throw Error(Diagnostic{.name = "topi-operand",
                         .message = "operands of " + operator_ + ": " + std::move(what),
                         .expected = std::move(expected),
                         .found = std::move(found),
                         .help = "`lathe.topi` and topi/ops say what each operator takes"});
}

void Operands::HaveRank(const Operand& operand, int least, int most, std::string_view what) const {
  const int rank = operand.tensor->ndim();
  if (rank < least || rank > most)
    Refuse(Quoted(operand.name) + " has another number of dimensions", std::string(what),
           std::to_string(rank));
}

void Operands::Agree(const Operand& a, int of_a, const Operand& b, int of_b) const {
  const ir::Expr &x = Extent(a, of_a), &y = Extent(b, of_b);
  if (x.same_as(y) || (x->dtype == y->dtype && arith::Analyzer().CanProveEqual(x, y))) return;
  Refuse("dimension " + std::to_string(of_b) + " of " + Quoted(b.name) + " may differ from " +
             "dimension " + std::to_string(of_a) + " of " + Quoted(a.name),
         ir::ToText(x), ir::ToText(y));
}

void Operands::HaveOneType(const Operand& a, const Operand& b) const {
  if (a.tensor->dtype() != b.tensor->dtype())
    Refuse(Quoted(b.name) + " has another element type than " + Quoted(a.name),
           a.tensor->dtype().ToString(), b.tensor->dtype().ToString());
}

void Operands::AreFloats(const Operand& operand) const {
  if (!operand.tensor->dtype().is_float())
    Refuse(Quoted(operand.name) + " holds no floating-point numbers", "float16, float32, ...",
           operand.tensor->dtype().ToString());
}

int64_t Operands::Constant(const Operand& operand, int dim) const {
  const ir::Expr& extent = Extent(operand, dim);
  const int64_t* value = ir::AsConstInt(extent);
  if (value == nullptr)
    Refuse("dimension " + std::to_string(dim) + " of " + Quoted(operand.name) + " is not constant",
           "a number", ir::ToText(extent));
  return *value;
}

void Operands::InRange(std::string_view name, int64_t value, int64_t low, int64_t high) const {
  if (value < low || value > high)
    Refuse(Quoted(name) + " is out of range", std::to_string(low) + " to " + std::to_string(high),
           std::to_string(value));
}

}  // namespace lathe::topi::ops
