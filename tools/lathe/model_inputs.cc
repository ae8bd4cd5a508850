#include "tools/lathe/model_inputs.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "runtime/status.h"
#include "tools/lathe/extents.h"
#include "tools/lathe/files.h"
#include "tools/lathe/graph.h"
#include "tools/lathe/npy.h"
#include "tools/lathe/numbers.h"
#include "tools/lathe/picture.h"

namespace lathe::cli {
namespace {

using runtime::MakeStatus;
using runtime::Tensor;
using runtime::graph::Plan;

[[noreturn]] void BadValue(const std::string& option, const std::string& found,
                           const std::string& expected) {
  throw UsageError(Diagnostic{.name = "cli-bad-value",
                              .message = "option `" + option + "` has a bad value",
                              .expected = expected,
                              .found = "`" + found + "`",
                              .help = "`lathe help run` shows an example"});
}

// `random`, `zeros`, with or without a shape.
struct Fill {
  std::string how;
  std::optional<std::vector<int64_t>> shape;
};
std::optional<Fill> FillOf(const std::string& value) {
  const size_t colon = value.find(':');
  const std::string how = value.substr(0, colon);
  if (how != "random" && how != "zeros") return {};
  if (colon == std::string::npos) return Fill{how, {}};
  std::vector<int64_t> shape;
  if (!ParseShape(std::string_view(value).substr(colon + 1), &shape))
    BadValue("--input", value, "a shape as in random:1x3x224x224");
  return Fill{how, shape};
}

bool IsNpy(std::string_view bytes) { return bytes.starts_with("\x93NUMPY"); }

std::string ShapeText(std::span<const int64_t> shape) {
  std::string text;
  for (const int64_t extent : shape) text += (text.empty() ? "" : ", ") + std::to_string(extent);
  return "[" + text + "]";
}

absl::Status WrongShape(const Plan& plan, size_t index, const std::string& found,
                        const std::string& help) {
  return MakeStatus(absl::StatusCode::kInvalidArgument, "run-input-shape",
                    "input `" + plan.inputs[index].name + "` takes another tensor\n  expected: " +
                        TensorText(plan, plan.inputs[index].tensor) + "\n  found: " + found +
                        "\n  help: " + help);
}

// -- Options of pictures.

struct Size {
  int64_t height = 0, width = 0;
  bool is_side = false;  // one number
};
std::optional<Size> SizeOf(const Arguments& arguments, const char* option) {
  if (!arguments.Has(option)) return {};
  const std::string text = arguments.Get(option);
  std::vector<int64_t> shape;
  const bool good = ParseShape(text, &shape) && !shape.empty() && shape.size() <= 2;
  if (!good || shape[0] < 1 || shape.back() < 1 || shape[0] > 65536 || shape.back() > 65536)
    BadValue(option, text, "N, or HEIGHTxWIDTH, from 1 to 65536");
  return Size{shape[0], shape.back(), shape.size() == 1};
}

std::array<double, 3> ChannelsOf(const Arguments& arguments, const char* option, double fallback) {
  std::array<double, 3> out = {fallback, fallback, fallback};
  if (!arguments.Has(option)) return out;
  const std::string given = arguments.Get(option);
  std::string_view text = given;
  size_t count = 0;
  for (;;) {
    const std::string_view item = text.substr(0, text.find(','));
    double number = 0;
    const auto [end, error] = std::from_chars(item.data(), item.data() + item.size(), number);
    if (count == 3 || error != std::errc() || end != item.data() + item.size())
      BadValue(option, given, "a number, or three with commas between, as 0.485,0.456,0.406");
    out[count++] = number;
    if (item.size() == text.size()) break;
    text.remove_prefix(item.size() + 1);
  }
  if (count == 2) BadValue(option, given, "one number, or three");
  if (count == 1) out[1] = out[2] = out[0];
  return out;
}

bool IsChannels(int64_t extent) { return extent == 1 || extent == 3; }

absl::Status PictureNumbersOf(const Arguments& arguments, const Plan& plan, size_t index,
                              PictureNumbers* numbers) {
  const int32_t tensor = plan.inputs[index].tensor;
  const std::vector<int64_t> extents = ExtentsOf(plan, tensor);
  const DataType dtype = plan.tensors[static_cast<size_t>(tensor)].dtype;
  const std::string layout = arguments.Get("--layout");
  if (!layout.empty() && layout != "NCHW" && layout != "NHWC")
    BadValue("--layout", layout, "NCHW or NHWC");
  if (extents.size() != 4 || (extents[0] != 1 && extents[0] != -1)) {
    return WrongShape(plan, index,
                      "a picture, which becomes 4 axes: one picture, channels, "
                      "height and width",
                      "make a .npy file of what the model needs");
  }
  const bool can_first = IsChannels(extents[1]), can_last = IsChannels(extents[3]);
  if (layout.empty() && can_first == can_last) {
    return WrongShape(plan, index, "a picture of 3 channels or 1: their axis is not clear",
                      "`--layout NCHW` or `--layout NHWC` says where the channels are");
  }
  const bool first = layout.empty() ? can_first : layout == "NCHW";
  numbers->layout = first ? PictureLayout::kChannelsFirst : PictureLayout::kChannelsLast;
  const int64_t channels = extents[first ? 1 : 3];
  if (channels != -1 && !IsChannels(channels))
    return WrongShape(plan, index, "a picture of 3 channels or 1", "look at --layout");
  numbers->channels = channels == -1 ? 3 : static_cast<int>(channels);
  numbers->bgr = arguments.Has("--bgr");
  numbers->divide = arguments.Number("--divide", dtype.is_float() ? 255 : 1, 1e-6, 1e6);
  numbers->mean = ChannelsOf(arguments, "--mean", 0);
  numbers->deviation = ChannelsOf(arguments, "--std", 1);
  for (const double deviation : numbers->deviation) {
    if (deviation == 0) BadValue("--std", arguments.Get("--std"), "numbers other than 0");
  }
  return absl::OkStatus();
}

absl::StatusOr<Tensor> PictureInput(const Arguments& arguments, const Plan& plan, size_t index,
                                    std::string_view bytes, const std::string& path) {
  LATHE_ASSIGN_OR_RETURN(Picture picture, DecodePicture(bytes, path));
  PictureNumbers numbers;
  LATHE_RETURN_IF_ERROR(PictureNumbersOf(arguments, plan, index, &numbers));
  const int32_t tensor = plan.inputs[index].tensor;
  const std::vector<int64_t> extents = ExtentsOf(plan, tensor);
  const size_t axis = numbers.layout == PictureLayout::kChannelsFirst ? 2 : 1;
  const int64_t height = extents[axis], width = extents[axis + 1];
  const std::optional<Size> resize = SizeOf(arguments, "--resize");
  const std::optional<Size> crop = SizeOf(arguments, "--crop");
  if (resize) {
    picture = resize->is_side ? ResizeShorterSide(picture, resize->height)
                              : Resize(picture, resize->height, resize->width);
  } else if (!crop && height > 0 && width > 0) {
    picture = Resize(picture, height, width);
  }
  if (crop) {
    LATHE_ASSIGN_OR_RETURN(picture, CropCentre(picture, crop->height, crop->width));
  }
  if ((height > 0 && height != picture.height) || (width > 0 && width != picture.width)) {
    return WrongShape(
        plan, index,
        "a picture of height " + std::to_string(picture.height) + " and width " +
            std::to_string(picture.width) + " after --resize and --crop",
        "`--crop " + std::to_string(height) + "x" + std::to_string(width) + "` takes the middle");
  }
  return TensorOf(picture, plan.tensors[static_cast<size_t>(tensor)].dtype, numbers);
}

// -- One input.

absl::StatusOr<Tensor> Filled(const Plan& plan, size_t index, const Fill& fill) {
  const int32_t tensor = plan.inputs[index].tensor;
  std::vector<int64_t> shape = fill.shape.value_or(ExtentsOf(plan, tensor));
  if (std::ranges::find(shape, -1) != shape.end()) {
    std::string example;
    for (const int64_t extent : shape)
      example += (example.empty() ? "" : "x") + std::to_string(extent < 0 ? 1 : extent);
    return WrongShape(
        plan, index, "no extents for `?`",
        "give the shape: --input " + plan.inputs[index].name + "=" + fill.how + ":" + example);
  }
  return MakeFilled(fill.how, shape, plan.tensors[static_cast<size_t>(tensor)].dtype, index + 1);
}

absl::StatusOr<Tensor> ReadTensor(const Arguments& arguments, const Plan& plan, size_t index,
                                  const std::string& path) {
  LATHE_ASSIGN_OR_RETURN(const std::string bytes, ReadInput(path, kMaxNpyBytes));
  if (IsPicture(bytes)) return PictureInput(arguments, plan, index, bytes, path);
  if (IsNpy(bytes)) return DecodeNpy(bytes, path);
  return MakeStatus(
      absl::StatusCode::kInvalidArgument, "run-input-format",
      "`" + path +
          "` is no input\n  expected: a picture (PNG or JPEG), or an array as "
          "numpy.save writes it\n  found: a file that begins otherwise\n  help: convert it, "
          "or pass `random` or `zeros`");
}

absl::Status CheckTensor(const Plan& plan, size_t index, const Tensor& tensor) {
  const int32_t number = plan.inputs[index].tensor;
  const std::vector<int64_t> extents = ExtentsOf(plan, number);
  bool fits = tensor.dtype() == plan.tensors[static_cast<size_t>(number)].dtype &&
              static_cast<size_t>(tensor.rank()) == extents.size();
  for (size_t axis = 0; fits && axis < extents.size(); ++axis)
    fits = extents[axis] < 0 || extents[axis] == tensor.shape(static_cast<int>(axis));
  if (fits) return absl::OkStatus();
  return WrongShape(plan, index, tensor.dtype().ToString() + ShapeText(tensor.shape()),
                    "reshape or convert the array (numpy's reshape, astype)");
}

absl::StatusOr<size_t> IndexOf(const Plan& plan, const std::string& name) {
  std::vector<std::string> names;
  for (size_t i = 0; i < plan.inputs.size(); ++i) {
    if (plan.inputs[i].name == name) return i;
    names.push_back(plan.inputs[i].name);
  }
  return MakeStatus(absl::StatusCode::kInvalidArgument, "run-input-unknown",
                    "the model has no input `" + name + "`\n  expected: " + NearOrAll(name, names) +
                        "\n  found: `" + name + "`");
}

}  // namespace

absl::StatusOr<graph::ModelInputs> ShapesGiven(const Arguments& arguments) {
  graph::ModelInputs shapes;
  for (const std::string& text : arguments.All("--input")) {
    const auto [name, value] = SplitPair("--input", text);
    std::vector<int64_t> shape;
    if (const std::optional<Fill> fill = FillOf(value)) {
      if (!fill->shape) continue;
      shape = *fill->shape;
    } else {
      LATHE_ASSIGN_OR_RETURN(const std::string bytes, ReadInput(value, kMaxNpyBytes));
      if (!IsNpy(bytes)) continue;
      LATHE_ASSIGN_OR_RETURN(const Tensor tensor, DecodeNpy(bytes, value));
      shape.assign(tensor.shape().begin(), tensor.shape().end());
    }
    shapes[name].shape.assign(shape.begin(), shape.end());
  }
  return shapes;
}

absl::StatusOr<std::vector<Tensor>> InputsOf(const Arguments& arguments, const Plan& plan,
                                             Missing missing) {
  std::vector<Tensor> inputs(plan.inputs.size());
  for (const std::string& text : arguments.All("--input")) {
    const auto [name, value] = SplitPair("--input", text);
    LATHE_ASSIGN_OR_RETURN(const size_t index, IndexOf(plan, name));
    if (const std::optional<Fill> fill = FillOf(value)) {
      LATHE_ASSIGN_OR_RETURN(inputs[index], Filled(plan, index, *fill));
    } else {
      LATHE_ASSIGN_OR_RETURN(inputs[index], ReadTensor(arguments, plan, index, value));
    }
    LATHE_RETURN_IF_ERROR(CheckTensor(plan, index, inputs[index]));
  }
  std::string absent;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i]) continue;
    if (missing == Missing::kRandom) {
      LATHE_ASSIGN_OR_RETURN(inputs[i], Filled(plan, i, {"random", {}}));
      continue;
    }
    absent += (absent.empty() ? "`" : ", `") + plan.inputs[i].name + "` (" +
              TensorText(plan, plan.inputs[i].tensor) + ")";
  }
  if (absent.empty()) return inputs;
  return MakeStatus(absl::StatusCode::kInvalidArgument, "run-input-missing",
                    "the model needs more inputs\n  expected: " + absent +
                        "\n  found: nothing\n  help: `--input NAME=FILE` for each, or "
                        "`--input NAME=random`");
}

absl::StatusOr<std::vector<std::vector<int64_t>>> InputShapesFor(const Arguments& arguments,
                                                                 const Plan& plan) {
  LATHE_ASSIGN_OR_RETURN(const std::vector<Tensor> inputs,
                         InputsOf(arguments, plan, Missing::kRandom));
  std::vector<std::vector<int64_t>> shapes;
  for (const Tensor& input : inputs)
    shapes.emplace_back(input.shape().begin(), input.shape().end());
  return shapes;
}

}  // namespace lathe::cli
