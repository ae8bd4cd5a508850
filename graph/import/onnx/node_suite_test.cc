// A sample of ONNX's backend tests, compiled at level 3.
//
// The data are not part of the tree: LATHE_TEST_DATA is the folder that has onnx-nodes/. Without it
// the tests are skipped.
#include "graph/import/onnx/node_suite.h"

#include <cstdlib>
#include <filesystem>

#include "base/run_program.h"
#include "driver/default_plugins.h"
#include "gtest/gtest.h"

namespace lathe::graph::onnx {
namespace {

std::string DataFolder() {
  const char* folder = std::getenv("LATHE_TEST_DATA");
  return folder == nullptr ? "" : folder;
}

// One of each family.
constexpr const char* kSample[] = {"add_bcast",
                                   "averagepool_2d_ceil",
                                   "batchnorm_example",
                                   "cast_FLOAT_to_FLOAT8E4M3FN",
                                   "center_crop_pad_crop_and_pad",
                                   "conv_with_strides_padding",
                                   "convtranspose_pads",
                                   "cumsum_2d_axis_1",
                                   "dequantizelinear_blocked",
                                   "dft",
                                   "einsum_batch_matmul",
                                   "gathernd_example_int32",
                                   "gemm_all_attributes",
                                   "gridsample_bicubic",
                                   "gru_defaults",
                                   "if",
                                   "layer_normalization_4d_axis1",
                                   "loop11",
                                   "lstm_defaults",
                                   "lstm_with_peepholes",
                                   "matmulinteger",
                                   "maxpool_with_argmax_2d_precomputed_pads",
                                   "nllloss_NCd1d2_with_weight_reduction_mean",
                                   "onehot_with_axis",
                                   "pow_types_float32_int64",
                                   "qlinearconv",
                                   "quantizelinear_int4",
                                   "reduce_l2_keep_dims_random",
                                   "reshape_zero_and_negative_dim",
                                   "resize_downsample_scales_cubic_antialias",
                                   "roialign_mode_max",
                                   "scan9_sum",
                                   "scan_sum",
                                   "scatternd_max",
                                   "sce_mean_weight_ii_3d_log_prob",
                                   "sequence_insert_at_back",
                                   "slice_neg_steps",
                                   "softmax_axis_1_expanded",
                                   "split_variable_parts_2d_opset18",
                                   "stft_with_window",
                                   "top_k_smallest",
                                   "tril_neg",
                                   "unique_sorted_with_axis",
                                   "where_example"};

TEST(NodeSuite, ASamplePasses) {
  const std::string archive = DataFolder() + "/onnx-nodes/backend-node-v1.17.0.tar.xz";
  if (!std::filesystem::exists(archive)) {
    GTEST_SKIP()
        << "the backend tests of ONNX are not here: set LATHE_TEST_DATA to the folder with "
           "onnx-nodes/backend-node-v1.17.0.tar.xz";
  }
  const std::string folder = testing::TempDir() + "/onnx_nodes";
  std::filesystem::create_directories(folder);
  std::vector<std::string> words{"tar", "xf", archive, "-C", folder, "--wildcards"};
  for (const char* name : kSample) words.push_back("*/test_" + std::string(name) + "/*");
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  const ProgramEnd end = RunProgram(argv, std::chrono::minutes(2), 4096);
  ASSERT_EQ(end.status, 0) << end.output;
  driver::UseDefaultPlugins();
  const std::vector<std::string> cases = FindCases(folder);
  EXPECT_EQ(cases.size(), std::size(kSample));
  for (const std::string& path : cases) {
    const SuiteOutcome outcome = RunCase(path, {});
    EXPECT_EQ(outcome.kind, SuiteOutcome::Kind::kPassed) << outcome.name << ": " << outcome.reason;
  }
}

}  // namespace
}  // namespace lathe::graph::onnx
