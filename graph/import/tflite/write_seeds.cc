// Writes models that fuzzing begins with: write_seeds FILE...
#include <string>
#include <vector>

#include "base/file.h"
#include "graph/import/tflite/test_models.h"

int main(int argc, char** argv) {
  using namespace lathe::graph::tflite;  // NOLINT(google-build-using-namespace)
  const FlatTable conv = FlatTable().Number<int32_t>(1, 1).Number<int32_t>(2, 1);
  const std::vector<std::string> seeds{
      // A convolution of int8 and a softmax.
      ModelBytes(
          {{.tensors = {{"x", {1, 4, 4, 1}, 9, "", {0.5F}, {3}},
                        {"w", {2, 3, 3, 1}, 9, std::string(18, '\x05'), {0.1F, 0.2F}, {0, 0}},
                        {"b", {2}, 2, std::string(8, '\0'), {0.05F, 0.1F}, {0, 0}},
                        {"c", {1, 4, 4, 2}, 9, "", {0.25F}, {-1}},
                        {"y", {1, 4, 4, 2}, 9, "", {1.0F / 256}, {-128}}},
            .operators = {{3, {0, 1, 2}, {3}, 1, conv},
                          {25, {3}, {4}, 9, FlatTable().Number<float>(0, 1)}},
            .inputs = {0},
            .outputs = {4}}}),
      // Shapes that operators compute.
      ModelBytes({{.tensors = {{"x", {2, 3}},
                               {"s", {2}, 2},
                               {"y", {2, 3}},
                               {"k", {2}, 2, DataOf<int32_t>({1, 6})},
                               {"z", {1, 6}}},
                   .operators = {{77, {0}, {1}}, {22, {0, 1}, {2}}, {22, {2, 3}, {4}}},
                   .inputs = {0},
                   .outputs = {4}}}),
      // A loop.
      ModelBytes(
          {{.tensors = {{"i", {}, 2, DataOf<int32_t>({0})}, {"x", {2}}, {"n", {}, 2}, {"y", {2}}},
            .operators = {{119,
                           {0, 1},
                           {2, 3},
                           93,
                           FlatTable().Number<int32_t>(0, 1).Number<int32_t>(1, 2)}},
            .inputs = {1},
            .outputs = {3}},
           {.tensors = {{"i", {}, 2}, {"v", {2}}, {"k", {}, 2, DataOf<int32_t>({3})}, {"t", {}, 6}},
            .operators = {{58, {0, 2}, {3}}},
            .inputs = {0, 1},
            .outputs = {3}},
           {.tensors = {{"i", {}, 2},
                        {"v", {2}},
                        {"k", {}, 2, DataOf<int32_t>({1})},
                        {"j", {}, 2},
                        {"w", {2}}},
            .operators = {{0, {0, 2}, {3}}, {0, {1, 1}, {4}}},
            .inputs = {0, 1},
            .outputs = {3, 4}}}),
  };
  for (int i = 1; i < argc; ++i) {
    const std::string& seed = seeds[static_cast<size_t>(i - 1) % seeds.size()];
    if (!lathe::WriteFile(argv[i], seed).ok()) return 1;
  }
  return 0;
}
