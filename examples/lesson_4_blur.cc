// Lesson 4: a blur in two stages, and the choice between computing values again and storing them.
//
//   bazel run //examples:lesson_4_blur            2048 x 2048
//   bazel run //examples:lesson_4_blur -- 4096
//
// Blurring along rows and then along columns takes 2 x 3 loads per pixel instead of 9, but three
// rows of the second stage need each result of the first. Where the first stage is computed decides
// how often it is computed, and how far its results travel:
//
//   inline         wherever it is read: nothing is stored, everything is computed three times
//   at the root    before all else: computed once, but a whole picture goes to memory and back
//   at each row    three rows before each row: stored in the cache, computed three times
//   at each strip  34 rows before each 32 rows: stored in the cache, computed 34 / 32 times
//
// The schedules differ in one line; the description of the blur stays the same. Which one wins
// depends on the processor and on the size of the picture: measure.

#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include "driver/compile.h"
#include "examples/lesson_support.h"
#include "schedule/primitives/primitives.h"
#include "te/operation.h"

namespace lathe::examples {
namespace {

struct Blur {
  te::Tensor in, along_rows, out;
};

// The picture has a border of two pixels, so that every result has all its neighbours.
Blur Describe(int64_t height, int64_t width) {
  Blur p;
  const ir::Expr third = ir::Float(1.0 / 3);
  p.in = te::Placeholder({ir::Int(height + 2), ir::Int(width + 2)}, DataType::Float(32), "picture");
  p.along_rows =
      te::Compute({ir::Int(height + 2), ir::Int(width)},
                  [&](const te::Indices& at) {
                    return (te::At(p.in, {at[0], at[1]}) + te::At(p.in, {at[0], at[1] + 1}) +
                            te::At(p.in, {at[0], at[1] + 2})) *
                           third;
                  },
                  "along_rows", {.axis_names = {"y", "x"}});
  p.out = te::Compute({ir::Int(height), ir::Int(width)},
                      [&](const te::Indices& at) {
                        return (te::At(p.along_rows, {at[0], at[1]}) +
                                te::At(p.along_rows, {at[0] + 1, at[1]}) +
                                te::At(p.along_rows, {at[0] + 2, at[1]})) *
                               third;
                      },
                      "out", {.axis_names = {"y", "x"}});
  return p;
}

runtime::Tensor PlainBlur(const runtime::Tensor& in) {
  const int64_t height = in.shape(0) - 2, width = in.shape(1) - 2;
  return MakeTensor({height, width}, [&](int64_t i) {
    const float* corner = in.HostData<float>() + i / width * (width + 2) + i % width;
    double sum = 0;
    for (int64_t y = 0; y < 3; ++y) {
      for (int64_t x = 0; x < 3; ++x) sum += corner[y * (width + 2) + x];
    }
    return sum / 9;
  });
}

constexpr int64_t kStrip = 32;

struct Way {
  const char* name;
  double computed;  // values of the first stage per value of the second, far from the border
  std::function<void(schedule::Schedule&, const Blur&)> place;
};

void Lesson(const LessonOptions& options) {
  const int64_t size = options.size > 0 ? options.size : options.small ? 50 : 2048;
  const Blur p = Describe(size, size);

  // The same in all four schedules: vectors along the row.
  auto vectors = [](schedule::Schedule& s, const te::Tensor& t) {
    schedule::Vectorize(s[t], schedule::Split(s[t], schedule::AxisOf(t, 1), 16).second);
  };
  const std::vector<Way> ways = {
      {"inline", 3.0,
       [&](schedule::Schedule& s, const Blur& b) { schedule::ComputeInline(s[b.along_rows]); }},
      {"at the root", 1.0, [&](schedule::Schedule& s, const Blur& b) { vectors(s, b.along_rows); }},
      {"at each row", 3.0,
       [&](schedule::Schedule& s, const Blur& b) {
         schedule::ComputeAt(s[b.along_rows], s[b.out], schedule::AxisOf(b.out, 0));
         vectors(s, b.along_rows);
       }},
      {"at each strip", (kStrip + 2.0) / kStrip,
       [&](schedule::Schedule& s, const Blur& b) {
         auto [strip, row] = schedule::Split(s[b.out], schedule::AxisOf(b.out, 0), kStrip);
         schedule::ComputeAt(s[b.along_rows], s[b.out], strip);
         vectors(s, b.along_rows);
       }},
  };

  const runtime::Tensor in = MakeTensor(
      {size + 2, size + 2}, [](int64_t i) { return static_cast<double>(i * 7919 % 256); });
  const runtime::Tensor expected = PlainBlur(in);
  std::string table;
  for (const Way& way : ways) {
    schedule::Schedule s = schedule::CreateSchedule({p.out->op});
    way.place(s, p);
    vectors(s, p.out);
    const ir::Module loops = driver::Lower(s, {p.in, p.out}, "blur", {});
    PrintLoops(way.name, loops);
    const runtime::Function blur = BuildFunction(loops, "blur");
    const runtime::Tensor out = MakeZeros({size, size});
    blur(in, out);
    ExpectClose(out, expected, 1e-5);
    const double seconds = Seconds([&] { blur(in, out); }, options.small);
    char line[100];
    std::snprintf(line, sizeof line, "%-14s  %19.2f  %8.3f ms\n", way.name, way.computed,
                  seconds * 1e3);
    table += line;
  }
  std::printf("-- %lld x %lld, one thread, all results checked\n\n%-14s  %19s  %11s\n%s",
              static_cast<long long>(size), static_cast<long long>(size), "first stage",
              "computed per pixel", "time", table.c_str());
}

}  // namespace
}  // namespace lathe::examples

int main(int argc, char** argv) {
  return lathe::examples::LessonMain(argc, argv, lathe::examples::Lesson);
}
