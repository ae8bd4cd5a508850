// A model within a C++ program: `lathe_model` (BUILD.bazel) made the class Small of small.onnx.
//
// The program makes two pictures up, asks the model what they show, and compares the scores with
// those that ONNX Runtime gave for the same pictures. On a board it runs as on this machine.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>
#include <vector>

#include "examples/model/small.h"

namespace {

constexpr int kPictures = 2, kClasses = 10;
constexpr float kRecorded[kPictures][kClasses] = {
    {-1.207587F, -1.095692F, 1.134385F, -2.438285F, 0.611489F, -0.696303F, -2.131748F, 0.400968F,
     -3.074000F, -0.161088F},
    {-1.162050F, -1.093528F, 1.104648F, -2.385316F, 0.660730F, -0.699676F, -2.112725F, 0.357335F,
     -3.046851F, -0.168725F}};

std::vector<float> MakePictures() {
  std::vector<float> pixels(kPictures * 3 * 16 * 16);
  for (size_t i = 0; i < pixels.size(); ++i) pixels[i] = static_cast<float>(i * 37 % 251) / 255;
  return pixels;
}

int Classify() {
  Small model;
  model.SetPicture(MakePictures().data(), kPictures);
  model.Run();
  const lathe::ModelOutput<float> scores = model.Scores();
  if (scores.shape != std::vector<int64_t>{kPictures, kClasses}) {
    std::printf("the scores have a wrong shape\n");
    return 1;
  }
  float difference = 0;
  for (int i = 0; i < kPictures; ++i) {
    const float* row = scores.data.data() + i * kClasses;
    const auto best = std::max_element(row, row + kClasses) - row;
    std::printf("picture %d: class %d, score %.4f\n", i, static_cast<int>(best), row[best]);
    for (int c = 0; c < kClasses; ++c)
      difference = std::max(difference, std::fabs(row[c] - kRecorded[i][c]));
  }
  std::printf("largest difference from the recorded scores: %g\n", difference);
  return difference < 1e-4F ? 0 : 1;
}

}  // namespace

int main() {
  try {
    return Classify();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
