#include <algorithm>
#include <cmath>

#include "tests/prove/generator.h"

namespace lathe::prove {

using ir::Expr;
using ir::Tensor;
using te::At;
using te::Indices;

// state[t] = f(state[t-1], x[t]), perhaps of two states that read each other, perhaps with another
// stage between the rows.
bool Generator::Recurrence(const Source& from) {
  if (from.dims.empty() || !IsConstant(from.dims[0]) || from.dims[0].most < 3) return false;
  const DataType type = from.tensor->dtype();
  if (type.is_bool() || type.is_float8()) return false;
  Note("scan");
  const size_t states = random_.Chance(30) ? 2 : 1;
  const int64_t rows = random_.Pick<int64_t>({1, 1, 2});
  const double most = std::min(64.0, std::floor(Limit(type) / 4));
  const std::string name = NextName();
  Dims first = from.dims;
  first[0] = {Index(rows), rows};

  std::vector<Tensor> state, init, update;
  for (size_t k = 0; k < states; ++k) {
    const std::string number = std::to_string(k);
    state.push_back(te::Placeholder(ShapeOf(from.dims), type, name + ".state" + number));
    init.push_back(te::Compute(
        ShapeOf(first),
        [&](const Indices& i) {
          return Clamp(Read(from, {i.begin(), i.end()}), static_cast<double>(k == 0 ? most : 1))
              .expr;
        },
        name + ".init" + number));
  }
  auto at = [&](const Tensor& tensor, const Indices& i, int64_t back) {
    std::vector<Expr> indices(i.begin(), i.end());
    indices[0] = indices[0] - back;
    return Value{At(tensor, indices), most};
  };
  for (size_t k = 0; k < states; ++k) {
    const std::string number = std::to_string(k);
    const Tensor& other = state[(k + 1) % states];
    Tensor middle;
    if (random_.Chance(50)) {
      middle = te::Compute(
          ShapeOf(from.dims),
          [&](const Indices& i) {
            const Value one = at(other, i, rows), two = at(state[k], i, 1);
            return Clamp({ir::MakeMax(one.expr, two.expr), most}, most).expr;
          },
          name + ".middle" + number);
      hidden_.push_back(middle);
    }
    update.push_back(te::Compute(
        ShapeOf(from.dims),
        [&](const Indices& i) {
          const Value before = middle ? at(middle, i, 0) : at(other, i, 1);
          const Value now = Clamp(Read(from, {i.begin(), i.end()}), most);
          return Clamp({before.expr + now.expr, 2 * most}, most).expr;
        },
        name + ".update" + number));
  }
  hidden_.insert(hidden_.end(), init.begin(), init.end());
  hidden_.insert(hidden_.end(), update.begin(), update.end());
  for (Tensor& out : te::Scan(init, update, state, {}, name)) Push(out, from.dims, most);
  return true;
}

}  // namespace lathe::prove
