// The first five minutes: a picture from RGB to YUV, by a kernel compiled here and now.
//
//   bazel run //examples:quickstart                        the sample picture
//   bazel run //examples:quickstart -- photo.png out.png   your own
//
// The program describes what to compute (a tensor expression) and how (a schedule), and prints the
// loops before and after. It compiles them for this processor through the LLVM plugin, checks the
// kernel against the interpreter, times it against a plain C++ loop, and writes the three planes
// side by side.

#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "base/error.h"
#include "driver/compile.h"
#include "driver/default_plugins.h"
#include "examples/plain_loop.h"
#include "examples/png_image.h"
#include "ir/interpreter/interpreter.h"
#include "ir/text/printer.h"
#include "runtime/tensor.h"
#include "runtime/thread_pool.h"
#include "runtime/timer.h"
#include "schedule/primitives/primitives.h"
#include "target/target.h"
#include "te/operation.h"

namespace lathe::examples {
namespace {

namespace fs = std::filesystem;
using ir::Expr;
using ir::Float;
using ir::Int;

struct RgbToYuv {
  te::Tensor rgb;
  std::vector<te::Tensor> yuv;  // Y, U, V
};

// What to compute: three planes from an interleaved picture.
RgbToYuv Describe(int64_t height, int64_t width) {
  RgbToYuv p;
  p.rgb = te::Placeholder({Int(height), Int(width), Int(3)}, DataType::Float(32), "rgb");
  p.yuv = te::ComputeTuple(
      {Int(height), Int(width)},
      [&](const te::Indices& at) {
        auto channel = [&](int c) { return te::At(p.rgb, {at[0], at[1], Int(c)}); };
        const Expr r = channel(0), g = channel(1), b = channel(2);
        return std::vector<Expr>{
            Float(0.257) * r + Float(0.504) * g + Float(0.098) * b + Float(16),
            Float(-0.148) * r - Float(0.291) * g + Float(0.439) * b + Float(128),
            Float(0.439) * r - Float(0.368) * g - Float(0.071) * b + Float(128)};
      },
      "yuv", {.axis_names = {"row", "column"}});
  return p;
}

void Show(const char* title, const ir::Module& module) {
  const bool terminal = isatty(STDOUT_FILENO) != 0;
  ir::PrintOptions options;
  options.short_form = true;
  const std::string text = ir::ToText(module->functions[0], options);
  std::printf("\n%s%s%s\n%s\n", terminal ? "\033[1m" : "", title, terminal ? "\033[0m" : "",
              terminal ? ir::Colorize(text).c_str() : text.c_str());
}

absl::Status CheckAgainstInterpreter(const ir::Module& loops, const std::vector<float>& rgb,
                                     const std::vector<std::vector<float>>& planes, int64_t height,
                                     int64_t width) {
  std::vector<std::vector<float>> expected(3, std::vector<float>(planes[0].size()));
  std::vector<ir::InterpValue> args;
  args.push_back(ir::InterpTensor::Of(const_cast<float*>(rgb.data()), DataType::Float(32),
                                      {height, width, 3}));
  for (auto& plane : expected)
    args.push_back(ir::InterpTensor::Of(plane.data(), DataType::Float(32), {height, width}));
  ir::Interpret(loops->functions[0], args);
  double worst = 0;
  for (size_t k = 0; k < 3; ++k) {
    for (size_t i = 0; i < expected[k].size(); ++i)
      worst = std::fmax(worst, std::fabs(expected[k][i] - planes[k][i]));
  }
  std::printf(
      "check     against the interpreter: largest difference %.2g of 255 (contraction to fma is "
      "allowed)\n",
      worst);
  if (worst > 1e-3)
    return absl::InternalError("the kernel and the interpreter disagree by " +
                               std::to_string(worst));
  return absl::OkStatus();
}

absl::Status Run(const std::string& input, const std::string& output) {
  absl::StatusOr<Image> image = ReadPng(input);
  if (!image.ok()) return image.status();
  const int64_t height = image->height, width = image->width;
  std::printf("picture   %s, %lld x %lld\n", input.c_str(), static_cast<long long>(width),
              static_cast<long long>(height));

  const RgbToYuv program = Describe(height, width);
  const std::vector<ir::NodeRef> args = {program.rgb, program.yuv[0], program.yuv[1],
                                         program.yuv[2]};
  schedule::Schedule s = schedule::CreateSchedule({program.yuv[0]->op});
  const ir::Module before = driver::Lower(s, args, "rgb_to_yuv", {});
  Show("before scheduling", before);

  // How: the threads share blocks of rows. The inner loop over columns is left to the code
  // generator, which loads the interleaved channels in vectors.
  auto [outer, inner] = schedule::Split(s[program.yuv[0]], schedule::AxisOf(program.yuv[0], 0), 8);
  schedule::Parallel(s[program.yuv[0]], outer);
  const ir::Module after = driver::Lower(s, args, "rgb_to_yuv", {});
  Show("after: split the rows by 8, parallel over the blocks", after);

  const target::Target target = target::ParseTarget("llvm");
  absl::StatusOr<runtime::Module> module = driver::Build(after, target, {});
  if (!module.ok()) return module.status();
  absl::StatusOr<runtime::Function> kernel = module->GetFunction("rgb_to_yuv");
  if (!kernel.ok()) return kernel.status();

  std::vector<float> rgb(image->pixels.begin(), image->pixels.end());
  std::vector<std::vector<float>> planes(3,
                                         std::vector<float>(static_cast<size_t>(height * width)));
  auto wrap = [](std::vector<float>& data, std::vector<int64_t> shape) {
    return runtime::Tensor::Wrap(data.data(), 0, shape, {}, DataType::Float(32),
                                 runtime::Device::Cpu(), nullptr, nullptr);
  };
  runtime::Tensor rgb_tensor = wrap(rgb, {height, width, 3});
  std::vector<runtime::Tensor> out;
  for (auto& plane : planes) out.push_back(wrap(plane, {height, width}));
  absl::StatusOr<runtime::Value> done = kernel->TryCall(rgb_tensor, out[0], out[1], out[2]);
  if (!done.ok()) return done.status();
  if (absl::Status same = CheckAgainstInterpreter(before, rgb, planes, height, width); !same.ok())
    return same;

  // Times the kernel, and then the plain loop within the same minute.
  runtime::TimerOptions options;
  options.repeat = 20;
  options.min_repeat_ms = 20;
  auto timed = [&](const std::function<absl::Status()>& call) {
    return runtime::TimeFunction(call, runtime::Device::Cpu(), options);
  };
  const std::function<absl::Status()> call = [&] {
    return kernel->TryCall(rgb_tensor, out[0], out[1], out[2]).status();
  };
  const int threads = runtime::NumThreads();
  runtime::SetNumThreads(1);
  auto alone = timed(call);
  runtime::SetNumThreads(threads);
  auto ours = timed(call);
  if (!alone.ok()) return alone.status();
  if (!ours.ok()) return ours.status();
  const PlainLoop plain = ChoosePlainLoop();
  std::vector<std::vector<float>> copy = planes;
  auto theirs = timed([&] {
    plain.run(rgb.data(), copy[0].data(), copy[1].data(), copy[2].data(), height * width);
    return absl::OkStatus();
  });
  if (!theirs.ok()) return theirs.status();
  std::printf("time      (medians of %zu)\n", ours->seconds.size());
  std::printf("          plain C++ -O3, %s, one thread  %8.3f ms\n", plain.name,
              theirs->median * 1e3);
  std::printf("          Lathe, one thread                     %8.3f ms, %.2f times as fast\n",
              alone->median * 1e3, theirs->median / alone->median);
  std::printf("          Lathe, %d threads                      %8.3f ms, %.2f times as fast\n",
              threads, ours->median * 1e3, theirs->median / ours->median);

  Image side_by_side;
  side_by_side.width = 3 * width;
  side_by_side.height = height;
  side_by_side.channels = 1;
  side_by_side.pixels.resize(static_cast<size_t>(3 * width * height));
  for (int64_t y = 0; y < height; ++y) {
    for (int64_t k = 0; k < 3; ++k) {
      for (int64_t x = 0; x < width; ++x) {
        const float value = planes[static_cast<size_t>(k)][static_cast<size_t>(y * width + x)];
        side_by_side.pixels[static_cast<size_t>((y * 3 + k) * width + x)] =
            static_cast<uint8_t>(std::fmin(255, std::fmax(0, std::round(value))));
      }
    }
  }
  if (absl::Status written = WritePng(output, side_by_side); !written.ok()) return written;
  std::printf("written   %s: Y, U and V side by side\n", output.c_str());
  std::printf(
      "\nwhat next\n"
      "  bazel run //examples:quickstart -- /path/to/your.png    your own picture\n"
      "  bazel run //tools/lathe -- help                         the command line\n"
      "  examples/                                               numbered lessons, each one file\n"
      "  docs/layout.md                                          the house, room by room\n");
  return absl::OkStatus();
}

}  // namespace
}  // namespace lathe::examples

int main(int argc, char** argv) {
  namespace fs = std::filesystem;
  // `bazel run` starts in the runfiles folder; relative paths are meant from the user's folder.
  const char* user_folder = std::getenv("BUILD_WORKING_DIRECTORY");
  auto from_user = [&](const char* path) {
    return (user_folder != nullptr ? fs::path(user_folder) / path : fs::path(path)).string();
  };
  if (argc > 3 || (argc > 1 && std::string(argv[1]) == "--help")) {
    std::fprintf(stderr, "usage: quickstart [IN.png [OUT.png]]\n");
    return argc > 3 ? 2 : 0;
  }
  const char* tmp = std::getenv("TEST_TMPDIR");
  const std::string input = argc > 1 ? from_user(argv[1]) : "examples/sample.png";
  const std::string output =
      argc > 2 ? from_user(argv[2])
               : (tmp != nullptr ? std::string(tmp) + "/yuv.png" : from_user("yuv.png"));
  try {
    lathe::driver::UseDefaultPlugins();
    const absl::Status status = lathe::examples::Run(input, output);
    if (status.ok()) return 0;
    std::fprintf(stderr, "error%s\n", std::string(status.message()).c_str());
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
  }
  return 1;
}
