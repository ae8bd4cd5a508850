// The inputs of a model from the command line: `--input NAME=VALUE`.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "graph/import/model_file.h"
#include "runtime/tensor.h"
#include "tools/lathe/command.h"
#include "tools/lathe/model.h"

namespace lathe::cli {

// The shapes that --input says itself, without looking at the model: those of .npy files, and of
// `random:SHAPE` and `zeros:SHAPE`. Throws UsageError `cli-bad-value`.
absl::StatusOr<graph::ModelInputs> ShapesGiven(const Arguments& arguments);

enum class Missing { kError, kRandom };  // an input that --input does not give

// One tensor for each input of the plan. Fails with
//   run-input-unknown  no such input; the nearest names
//   run-input-missing  an input is not given
//   run-input-shape    another shape or element type, or the shape is not known
//   run-input-format   the file is neither a picture nor a .npy file
//   picture-...        (picture.h)
//   and as ReadInput, DecodeNpy and MakeFilled do. Throws UsageError `cli-bad-value`.
absl::StatusOr<std::vector<runtime::Tensor>> InputsOf(const Arguments& arguments,
                                                      const runtime::graph::Plan& plan,
                                                      Missing missing);

// The shape of each input: of what --input gives, else as the plan says. Fails as InputsOf does if
// extents are open.
absl::StatusOr<std::vector<std::vector<int64_t>>> InputShapesFor(const Arguments& arguments,
                                                                 const runtime::graph::Plan& plan);

// The options of inputs.
inline constexpr Option kInputValueOption = {
    "--input", "NAME=VALUE",
    "of a model: what an input gets: a picture (PNG, JPEG), a .npy file, `random` or `zeros` "
    "(with a shape, where the model leaves it open: random:1x3x224x224)"};
inline constexpr Option kResizeOption = {
    "--resize", "N|HxW",
    "of a picture: its shorter side, or height and width; default: the input's size, unless --crop "
    "is given"};
inline constexpr Option kCropOption = {"--crop", "N|HxW", "of a picture: take the middle"};
inline constexpr Option kDivideOption = {
    "--divide", "D", "of a picture: (pixel / D - mean) / std; default: 255, for integer inputs 1"};
inline constexpr Option kMeanOption = {"--mean", "R,G,B", "of a picture: one number, or one each"};
inline constexpr Option kStdOption = {"--std", "R,G,B", "of a picture: one number, or one each"};
inline constexpr Option kLayoutOption = {
    "--layout", "NCHW|NHWC",
    "of a picture: where the channels are; default: as the input's shape says"};
inline constexpr Option kBgrOption = {"--bgr", nullptr, "of a picture: blue, green, red"};

}  // namespace lathe::cli
