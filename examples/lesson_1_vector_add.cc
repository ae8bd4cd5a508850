// Lesson 1: c = a + b, for vectors of any length.
//
//   bazel run //examples:lesson_1_vector_add
//
// You will see: a tensor expression, which says what to compute; a schedule, which says how; the
// loops that follow from both; a call with tensors; a call that fails; and a compiled kernel that
// is saved to a file and loaded again.

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "driver/compile.h"
#include "examples/lesson_support.h"
#include "runtime/module.h"
#include "schedule/primitives/primitives.h"
#include "te/operation.h"

namespace lathe::examples {
namespace {

void Lesson(const LessonOptions& options) {
  // What to compute. `n` is a variable: one kernel serves every length. Nothing is computed here;
  // `c` is a description.
  const ir::Var n = ir::MakeSizeVar("n");
  const te::Tensor a = te::Placeholder({n}, DataType::Float(32), "A");
  const te::Tensor b = te::Placeholder({n}, DataType::Float(32), "B");
  const te::Tensor c = te::Compute(
      {n}, [&](const te::Indices& i) { return te::At(a, {i[0]}) + te::At(b, {i[0]}); }, "C");

  // How, by default: one plain loop per axis. The arguments' order is the order of the call.
  schedule::Schedule s = schedule::CreateSchedule({c->op});
  PrintLoops("without a schedule", driver::Lower(s, {a, b, c}, "vector_add", {}));

  // How, by a schedule. Split i into blocks of 1024, which the threads share; within a block, one
  // vector computes 16 elements at a time. n need not be a multiple of anything: if a block is not
  // full, a guard is needed, and it costs time only there.
  auto [block, within] = schedule::Split(s[c], schedule::AxisOf(c, 0), 1024);
  auto [group, lane] = schedule::Split(s[c], within, 16);
  schedule::Parallel(s[c], block);
  schedule::Vectorize(s[c], lane);
  const ir::Module loops = driver::Lower(s, {a, b, c}, "vector_add", {});
  PrintLoops("blocks in parallel, vectors within", loops);

  // Compiles for this processor, into this process.
  const runtime::Function add = BuildFunction(loops, "vector_add");

  // The same kernel for lengths around the vector's and the block's, and for length 0.
  const int64_t longest = options.size > 0 ? options.size : 5000;
  for (int64_t length :
       {int64_t{0}, int64_t{1}, int64_t{15}, int64_t{16}, int64_t{1024}, int64_t{1025}, longest}) {
    const runtime::Tensor x =
        MakeTensor({length}, [](int64_t i) { return 0.5 * static_cast<double>(i); });
    const runtime::Tensor y =
        MakeTensor({length}, [](int64_t i) { return 7.0 - static_cast<double>(i); });
    const runtime::Tensor z = MakeZeros({length});
    add(x, y, z);
    ExpectClose(
        z, MakeTensor({length}, [](int64_t i) { return 7.0 - 0.5 * static_cast<double>(i); }), 0);
  }
  std::printf("-- called with lengths 0, 1, 15, 16, 1024, 1025 and %lld: all right\n",
              static_cast<long long>(longest));

  // A kernel checks its arguments before it touches them. Here B is too short.
  const runtime::Tensor four = MakeZeros({4}), five = MakeZeros({5});
  const absl::Status refused = add.TryCall(five, four, five).status();
  if (refused.ok())
    throw std::runtime_error("a call with tensors of different lengths went through");
  std::printf("\n-- called with lengths 5, 4, 5\n\n%s\n", std::string(refused.message()).c_str());

  // Saves the kernel. The runtime alone loads it: the machine where the kernel runs needs no
  // compiler. `.o` and `.tar` work as well.
  const char* scratch = std::getenv("TEST_TMPDIR");
  const std::filesystem::path folder =
      scratch != nullptr ? scratch : std::filesystem::temp_directory_path();
  const std::string path = (folder / "lathe_lesson_1.so").string();
  const runtime::Module module = Must(driver::Build(loops, target::ParseTarget("llvm"), {}));
  Must(driver::ExportLibrary(module, path));
  const runtime::Function again =
      Must(Must(runtime::LoadModuleFile(path)).GetFunction("vector_add"));
  const runtime::Tensor ones = MakeTensor({100}, [](int64_t) { return 1.0; }),
                        sum = MakeZeros({100});
  again(ones, ones, sum);
  ExpectClose(sum, MakeTensor({100}, [](int64_t) { return 2.0; }), 0);
  std::printf("\n-- saved as %s and loaded again: 1 + 1 = %g\n", path.c_str(),
              static_cast<double>(sum.HostData<float>()[99]));
}

}  // namespace
}  // namespace lathe::examples

int main(int argc, char** argv) {
  return lathe::examples::LessonMain(argc, argv, lathe::examples::Lesson);
}
