// The same model as classify.cc, but its kernels and weights are a file beside the program: large
// weights are mapped when they are needed, and can be replaced without a new program.
//
//   loaded FILE
#include <cstdio>
#include <exception>
#include <vector>

#include "examples/model/loaded_model.h"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: loaded FILE\n");
    return 2;
  }
  try {
    LoadedModel model(argv[1]);
    model.SetPicture(std::vector<float>(3 * 16 * 16, 0.5F).data());
    model.Run();
    const lathe::ModelOutput<float> scores = model.Scores();
    for (const float score : scores.data) std::printf("%.4f ", score);
    std::printf("\n");
    return scores.shape == std::vector<int64_t>{1, 10} ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
