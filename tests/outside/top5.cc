// The five best classes of MobileNetV2 for a picture, from C++: `lathe_model` made the class
// Mobilenet. Prints a line for each, the class and its score.
//
//   top5 PICTURE.npy     float32[1, 3, 224, 224], prepared as the model wants it
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>
#include <fstream>
#include <iterator>
#include <numeric>
#include <stdexcept>
#include <vector>

#include "mobilenet.h"

namespace {

// The elements are the end of the file.
std::vector<float> ReadPicture(const char* path) {
  std::vector<float> picture(3 * 224 * 224);
  const auto bytes = static_cast<std::streamoff>(picture.size() * sizeof(float));
  std::ifstream file(path, std::ios::binary);
  file.seekg(-bytes, std::ios::end);
  if (!file.read(reinterpret_cast<char*>(picture.data()), bytes)) {
    throw std::runtime_error(std::string(path) + " is no file of such a picture");
  }
  return picture;
}

void PrintBest(std::vector<float> scores) {
  const float most = *std::max_element(scores.begin(), scores.end());
  double sum = 0;
  for (float& score : scores) sum += score = std::exp(score - most);
  std::vector<int> order(scores.size());
  std::iota(order.begin(), order.end(), 0);
  std::partial_sort(order.begin(), order.begin() + 5, order.end(),
                    [&](int a, int b) { return scores[a] > scores[b]; });
  for (int i = 0; i < 5; ++i) std::printf("%d %.4f\n", order[i], scores[order[i]] / sum);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: top5 PICTURE.npy\n");
    return 2;
  }
  try {
    Mobilenet model;
    model.SetInput2(ReadPicture(argv[1]).data());
    model.Run();
    PrintBest(model.Logits().data);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
