// Writes models that fuzzing begins with: write_seeds FILE...
#include <string>
#include <vector>

#include "base/file.h"
#include "graph/import/onnx/test_models.h"

int main(int argc, char** argv) {
  using namespace lathe::graph::onnx;  // NOLINT(google-build-using-namespace)
  const TestGraph arm{.nodes = {{"Neg", {"x"}, {"r"}}}, .inputs = {}, .outputs = {"r"}};
  const TestGraph step{.nodes = {{"Add", {"c", "c"}, {"d"}}, {"Identity", {"go"}, {"on"}}},
                       .inputs = {{"i", {}, 7}, {"go", {}, 9}, {"c", {2}}},
                       .outputs = {"on", "d"}};
  const std::vector<std::string> seeds{
      ModelBytes({.nodes = {{"Conv", {"x", "w"}, {"c"}, {IntsAttribute("pads", {1, 1, 1, 1})}},
                            {"Relu", {"c"}, {"y"}}},
                  .inputs = {{"x", {-1, 1, 4, 4}}},
                  .outputs = {"y"},
                  .initializers = {FloatTensor("w", {1, 1, 3, 3}, std::vector<float>(9, 0.5F))}}),
      ModelBytes({.nodes = {{"Shape", {"x"}, {"s"}},
                            {"Concat", {"s", "k"}, {"t"}, {IntAttribute("axis", 0)}},
                            {"Reshape", {"x", "t"}, {"y"}}},
                  .inputs = {{"x", {-1, 3}}},
                  .outputs = {"y"},
                  .initializers = {IntTensor("k", {1})}}),
      ModelBytes({.nodes = {{"If",
                             {"b"},
                             {"y"},
                             {GraphAttribute("then_branch", GraphBytes(arm)),
                              GraphAttribute("else_branch", GraphBytes(arm))}}},
                  .inputs = {{"x", {2}}, {"b", {}, 9}},
                  .outputs = {"y"}}),
      ModelBytes(
          {.nodes = {{"Loop", {"m", "", "x"}, {"y"}, {GraphAttribute("body", GraphBytes(step))}},
                     {"Twice", {"y"}, {"z"}, {}, "test"}},
           .inputs = {{"x", {2}}, {"m", {}, 7}},
           .outputs = {"z"},
           .functions = {FunctionBytes(
               "Twice",
               {.nodes = {{"Add", {"a", "a"}, {"b"}}}, .inputs = {{"a", {}}}, .outputs = {"b"}})}}),
  };
  for (int i = 1; i < argc; ++i) {
    const std::string& seed = seeds[static_cast<size_t>(i - 1) % seeds.size()];
    if (!lathe::WriteFile(argv[i], seed).ok()) return 1;
  }
  return 0;
}
