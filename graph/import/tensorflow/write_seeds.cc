// Writes graphs that fuzzing begins with: write_seeds FILE...
#include <string>
#include <vector>

#include "base/file.h"
#include "graph/import/tensorflow/test_models.h"

int main(int argc, char** argv) {
  using namespace lathe::graph::tensorflow;  // NOLINT(google-build-using-namespace)
  const std::vector<std::string> seeds{
      GraphBytes({Input("x", {-1, 4, 4, 1}),
                  Floats("w", {3, 3, 1, 2}, std::vector<float>(18, 0.5F)),
                  {"c",
                   "Conv2D",
                   {"x", "w"},
                   {TextOf("padding", "SAME"), IntsOf("strides", {1, 1, 1, 1})}},
                  {"y", "Relu", {"c"}}}),
      GraphBytes(
          {Input("x", {-1, 6}),
           {"s", "Shape", {"x"}},
           Int32s("zero", {1}, {0}),
           Int32s("one", {1}, {1}),
           {"n", "StridedSlice", {"s", "zero", "one", "one"}, {IntOf("shrink_axis_mask", 1)}},
           Int32s("two", {}, {2}),
           Int32s("three", {}, {3}),
           {"t", "Pack", {"n", "two", "three"}},
           {"y", "Reshape", {"x", "t"}}}),
      GraphBytes({Input("x", {2}),
                  Int32s("zero", {}, {0}),
                  {"loop",
                   "While",
                   {"zero", "x"},
                   {FunctionOf("cond", "more"), FunctionOf("body", "step")}},
                  {"y", "Identity", {"loop:1"}}},
                 {{"more",
                   {"i", "v"},
                   {"go"},
                   {Int32s("three", {}, {3}), {"less", "Less", {"i", "three:output:0"}}},
                   {"less:z:0"}},
                  {"step",
                   {"i", "v"},
                   {"j", "w"},
                   {Int32s("one", {}, {1}),
                    {"next", "AddV2", {"i", "one:output:0"}},
                    {"twice", "AddV2", {"v", "v"}}},
                   {"next:z:0", "twice:z:0"}}}),
  };
  for (int i = 1; i < argc; ++i) {
    const std::string& seed = seeds[static_cast<size_t>(i - 1) % seeds.size()];
    if (!lathe::WriteFile(argv[i], seed).ok()) return 1;
  }
  return 0;
}
