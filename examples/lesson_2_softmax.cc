// Lesson 2: softmax of each row, and where intermediate results live.
//
//   bazel run //examples:lesson_2_softmax
//
// Softmax is four steps: the row's maximum, the exponentials, their sum, the quotients. Without a
// schedule, each step runs over the whole matrix before the next begins, and every element travels
// to memory and back between them. `compute_at` makes each row go through all four steps while it
// is in the cache.

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "driver/compile.h"
#include "examples/lesson_support.h"
#include "schedule/primitives/primitives.h"
#include "te/operation.h"

namespace lathe::examples {
namespace {

struct Softmax {
  te::Tensor x, largest, e, sum, out;
};

// Any number of rows: a batch. The row's length is part of the model, so it is a constant.
Softmax Describe(int64_t columns) {
  Softmax p;
  const ir::Var rows = ir::MakeSizeVar("rows");
  p.x = te::Placeholder({rows, ir::Int(columns)}, DataType::Float(32), "X");
  // A reduction runs over its own axes; here one for the maximum and one for the sum.
  const te::IterVar k = te::ReduceAxis(ir::Int(0), ir::Int(columns), "k");
  const te::IterVar m = te::ReduceAxis(ir::Int(0), ir::Int(columns), "m");
  p.largest = te::Compute(
      {rows}, [&](const te::Indices& i) { return te::Max(te::At(p.x, {i[0], k->var}), {k}); },
      "largest");
  // The maximum is subtracted so that no exponential overflows. Functions such as exp are calls by
  // name (ir/intrinsic.h).
  p.e = te::Compute(
      {rows, ir::Int(columns)},
      [&](const te::Indices& i) {
        return ir::MakeCall(DataType::Float(32), "exp",
                            {te::At(p.x, {i[0], i[1]}) - te::At(p.largest, {i[0]})});
      },
      "e");
  p.sum = te::Compute(
      {rows}, [&](const te::Indices& i) { return te::Sum(te::At(p.e, {i[0], m->var}), {m}); },
      "sum");
  p.out = te::Compute(
      {rows, ir::Int(columns)},
      [&](const te::Indices& i) { return te::At(p.e, {i[0], i[1]}) / te::At(p.sum, {i[0]}); },
      "out");
  return p;
}

runtime::Tensor PlainSoftmax(const runtime::Tensor& x) {
  const int64_t rows = x.shape(0), columns = x.shape(1);
  runtime::Tensor out = MakeZeros({rows, columns});
  for (int64_t i = 0; i < rows; ++i) {
    const float* from = x.HostData<float>() + i * columns;
    float* to = out.HostData<float>() + i * columns;
    const double largest = *std::max_element(from, from + columns);
    double sum = 0;
    for (int64_t j = 0; j < columns; ++j) sum += std::exp(from[j] - largest);
    for (int64_t j = 0; j < columns; ++j)
      to[j] = static_cast<float>(std::exp(from[j] - largest) / sum);
  }
  return out;
}

void Lesson(const LessonOptions& options) {
  const int64_t rows = options.small ? 9 : 4096;
  const int64_t columns = options.size > 0 ? options.size : options.small ? 48 : 1024;
  const Softmax p = Describe(columns);
  const std::vector<ir::NodeRef> args = {p.x,
                                         p.out};  // the compiler allocates everything between them

  const runtime::Tensor x = MakeTensor(
      {rows, columns}, [](int64_t i) { return static_cast<double>(i * 37 % 101) / 10 - 5; });
  const runtime::Tensor expected = PlainSoftmax(x);
  auto check_and_time = [&](const ir::Module& loops) {
    const runtime::Function softmax = BuildFunction(loops, "softmax");
    const runtime::Tensor out = MakeZeros({rows, columns});
    softmax(x, out);
    ExpectClose(out, expected, 1e-5);
    return Seconds([&] { softmax(x, out); }, options.small);
  };

  schedule::Schedule plain = schedule::CreateSchedule({p.out->op});
  const ir::Module before = driver::Lower(plain, args, "softmax", {});
  PrintLoops("without a schedule: `e` is a whole matrix", before);

  // Computes every step within the last step's loop over rows. The bounds follow: that loop needs
  // one number of `largest` and of `sum`, and one row of `e`, so only these are allocated. A
  // schedule cannot change the result, only where and when it is computed.
  schedule::Schedule s = schedule::CreateSchedule({p.out->op});
  const ir::IterVar row = schedule::AxisOf(p.out, 0);
  for (const te::Tensor& step : {p.largest, p.e, p.sum})
    schedule::ComputeAt(s[step], s[p.out], row);
  const ir::Module row_by_row = driver::Lower(s, args, "softmax", {});
  PrintLoops("compute_at: row by row", row_by_row);

  // Rows do not depend on each other, so the threads share them. Exponentials and quotients are
  // computed in vectors of 16.
  schedule::Parallel(s[p.out], row);
  for (const te::Tensor& step : {p.e, p.out}) {
    schedule::Vectorize(s[step], schedule::Split(s[step], schedule::AxisOf(step, 1), 16).second);
  }
  const ir::Module parallel = driver::Lower(s, args, "softmax", {});
  PrintLoops("parallel, in vectors", parallel);

  std::printf("-- %lld x %lld, all results checked\n\n", static_cast<long long>(rows),
              static_cast<long long>(columns));
  std::printf("without a schedule       %8.3f ms\n", check_and_time(before) * 1e3);
  std::printf("row by row               %8.3f ms\n", check_and_time(row_by_row) * 1e3);
  std::printf("parallel, in vectors     %8.3f ms\n", check_and_time(parallel) * 1e3);
}

}  // namespace
}  // namespace lathe::examples

int main(int argc, char** argv) {
  return lathe::examples::LessonMain(argc, argv, lathe::examples::Lesson);
}
