#include "graph/import/onnx/node_suite.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <functional>
#include <thread>

#include "base/error.h"
#include "base/file.h"
#include "base/float_formats.h"
#include "graph/build.h"
#include "graph/import/onnx/import.h"
#include "graph/interpreter/interpreter.h"
#include "runtime/error_object.h"
#include "target/host_target.h"

namespace lathe::graph::onnx {
namespace {

using runtime::Tensor;

template <class T>
T ValueOrThrow(absl::StatusOr<T> value) {
  if (!value.ok()) runtime::ThrowStatus(value.status());
  return *std::move(value);
}

std::string FirstLine(const std::string& text) { return text.substr(0, text.find('\n')); }

std::string Contents(const std::string& path) {
  std::string bytes;
  const FileProblem problem = ReadFile(path, kAnySize, &bytes);
  if (!problem.ok())
    throw Error(Diagnostic{.name = "onnx-tensor", .message = path + ": " + problem.text});
  return bytes;
}

Tensor TensorOf(const TensorValue& value) {
  return ValueOrThrow(
      Tensor::FromHost(value.data->data(), value.data->size(), value.shape, value.dtype));
}

// The tensors of one input or output: one, or those of a sequence or an optional.
struct Recorded {
  Type type;
  std::vector<TensorValue> tensors;
  std::vector<int32_t> elements;  // their element types of ONNX
};

// `declared` are the types that the model says: bfloat16 is recorded as uint16.
std::vector<Recorded> ReadRecorded(const std::string& folder, const std::string& kind,
                                   const std::vector<ValueInfo>& declared) {
  std::vector<Recorded> all;
  for (size_t i = 0;; ++i) {
    const std::string path = folder + "/test_data_set_0/" + kind + "_" + std::to_string(i) + ".pb";
    if (!std::filesystem::exists(path)) return all;
    const auto bytes = std::make_shared<const std::string>(Contents(path));
    const LoadedModel holder{{}, bytes, ""};
    Recorded recorded;
    if (i < declared.size()) recorded.type = declared[i].type;
    std::vector<TensorData> tensors;
    if (recorded.type.kind == Type::Kind::kSequence) {
      tensors = ReadSequence(*bytes);
    } else if (recorded.type.kind == Type::Kind::kOptional) {
      tensors = ReadOptional(*bytes);
    } else {
      tensors.push_back(onnx::ReadTensor(*bytes));
    }
    for (const TensorData& tensor : tensors) {
      recorded.tensors.push_back(TensorReader(holder).Read(tensor));
      recorded.elements.push_back(tensor.type);
      if (recorded.type.element == kBFloat16 &&
          recorded.tensors.back().dtype == DataType::UInt(16)) {
        recorded.tensors.back().dtype = DataType::BFloat16();
      }
    }
    all.push_back(std::move(recorded));
  }
}

bool IsSequence(const Type& type) {
  return type.kind == Type::Kind::kSequence ||
         (type.kind == Type::Kind::kOptional && !type.inner.empty() &&
          type.inner[0].kind == Type::Kind::kSequence);
}

double Element(const Tensor& tensor, size_t i) {
  const DataType dtype = tensor.dtype();
  const auto bytes = static_cast<size_t>(dtype.bytes());
  uint64_t bits = 0;
  std::memcpy(&bits, static_cast<char*>(tensor.dl().data) + tensor.dl().byte_offset + i * bytes,
              bytes);
  if (dtype.is_float()) return DecodeFloat(bits, dtype);
  if (!dtype.is_int()) return static_cast<double>(bits);
  const int unused = 64 - dtype.bits();
  return static_cast<double>(static_cast<int64_t>(bits << unused) >> unused);
}

std::string ShapeText(std::span<const int64_t> shape) {
  std::string text = "[";
  for (const int64_t extent : shape) text += (text.size() > 1 ? ", " : "") + std::to_string(extent);
  return text + "]";
}

// What the bits of a float of 4 or 8 bits stand for; other elements as they are.
double ValueOf(double element, int32_t type) {
  constexpr std::pair<int32_t, const char*> kFormats[] = {{kFloat8E4M3FN, "float8_e4m3fn"},
                                                          {kFloat8E4M3FNUZ, "float8_e4m3fnuz"},
                                                          {kFloat8E5M2, "float8_e5m2"},
                                                          {kFloat8E5M2FNUZ, "float8_e5m2fnuz"},
                                                          {kFloat8E8M0, "float8_e8m0fnu"}};
  const auto bits = static_cast<uint64_t>(element);
  for (const auto& [known, name] : kFormats) {
    DataType dtype;
    if (known == type && DataType::Parse(name, &dtype)) return DecodeFloat(bits, dtype);
  }
  if (type == kFloat4E2M1 && bits == 8) return 0;  // -0
  return element;
}

double ToleranceOf(DataType dtype, const SuiteOptions& options) {
  if (dtype == DataType::BFloat16()) return std::max(options.rtol, 0x1p-6);
  return dtype == DataType::Float(16) ? std::max(options.rtol, 0x1p-9) : options.rtol;
}

// "" if they agree. `type` is the element type of ONNX.
std::string Difference(const Tensor& found, const Tensor& expected, int32_t type,
                       const SuiteOptions& options) {
  if (found.dtype() != expected.dtype()) {
    return "has the type " + found.dtype().ToString() + ", not " + expected.dtype().ToString();
  }
  if (!std::ranges::equal(found.shape(), expected.shape())) {
    return "has the shape " + ShapeText(found.shape()) + ", not " + ShapeText(expected.shape());
  }
  const double rtol = ToleranceOf(expected.dtype(), options);
  const auto count = static_cast<size_t>(expected.num_elements());
  double atol = options.atol;
  for (size_t i = 0; i < count && options.of_largest > 0; ++i) {
    const double size = std::abs(ValueOf(Element(expected, i), type));
    if (std::isfinite(size)) atol = std::max(atol, options.of_largest * size);
  }
  size_t wrong = 0;
  std::string first;
  for (size_t i = 0; i < count; ++i) {
    const double a = ValueOf(Element(found, i), type), b = ValueOf(Element(expected, i), type);
    if (a == b || (std::isnan(a) && std::isnan(b))) continue;
    if (std::abs(a - b) <= atol + rtol * std::abs(b)) continue;
    if (wrong++ == 0) {
      first = "element " + std::to_string(i) + " is " + std::to_string(a) + ", not " +
              std::to_string(b);
    }
  }
  return wrong == 0 ? "" : first + " (" + std::to_string(wrong) + " elements differ)";
}

void Flatten(const GraphValue& value, std::vector<Tensor>* out) {
  if (value.kind == GraphValue::Kind::kTensor) out->push_back(value.tensor);
  for (const GraphValue& field : value.fields) Flatten(field, out);
}

std::vector<Tensor> Run(const ImportedModel& imported, const std::vector<Tensor>& inputs,
                        const SuiteOptions& options) {
  std::vector<Tensor> outputs;
  if (options.interpret) {
    Flatten(Interpret(imported.module, "main", {inputs.begin(), inputs.end()}), &outputs);
    return outputs;
  }
  const CompiledGraph compiled = ValueOrThrow(
      CompileGraph(imported.module, "main", target::HostTarget(),
                   {.opt_level = options.opt_level, .cache = options.cache, .threads = 1}));
  runtime::graph::Context context(ValueOrThrow(LoadGraph(compiled)));
  for (size_t i = 0; i < inputs.size(); ++i) {
    runtime::ThrowIfError(context.SetInput(static_cast<int>(i), inputs[i]));
  }
  runtime::ThrowIfError(context.Run());
  for (size_t i = 0; i < compiled.plan.outputs.size(); ++i) {
    outputs.push_back(ValueOrThrow(context.GetOutput(static_cast<int>(i))));
  }
  return outputs;
}

// The input that an error of the importer wants to know: "the input `n`". Where it is not an input
// itself, all that may decide a shape are given: whole numbers, and a few others.
void FixInputs(const Error& error, const Model& model, const std::vector<Recorded>& inputs,
               ImportOptions* options) {
  const std::string& found = error.diagnostic().found;
  constexpr std::string_view kPrefix = "the input `";
  const bool is_input = found.starts_with(kPrefix);
  const std::string wanted =
      is_input ? found.substr(kPrefix.size(), found.size() - kPrefix.size() - 1) : "";
  for (size_t i = 0; i < model.graph.inputs.size() && i < inputs.size(); ++i) {
    const std::string name(model.graph.inputs[i].name);
    if (inputs[i].tensors.size() != 1 || IsSequence(inputs[i].type)) continue;
    const TensorValue& value = inputs[i].tensors[0];
    int64_t count = 1;
    for (const int64_t extent : value.shape) count *= extent;
    const bool may_decide = count <= 64 && (!value.dtype.is_float() || count <= 8);
    if (is_input ? name == wanted : may_decide) options->values.emplace(name, value);
  }
}

ImportedModel Import(const LoadedModel& model, const std::vector<Recorded>& inputs,
                     ImportOptions* options) {
  for (;;) {
    try {
      return ImportModel(model, *options);
    } catch (const Error& error) {
      // Without these values, types may not agree: a loop whose tensor grows in each round.
      const size_t before = options->values.size();
      FixInputs(error, model.model, inputs, options);
      if (options->values.size() == before) throw;
    }
  }
}

bool IsRefusal(const std::string& name) {
  return name == "onnx-unsupported" || name == "onnx-node" || name == "onnx-tensor" ||
         name == "onnx-input-shape" || name == "onnx-opset" || name == "onnx-value-needed" ||
         name == "onnx-attribute";
}

void Compare(const std::vector<Tensor>& outputs, const Recorded& expected,
             const SuiteOptions& options, SuiteOutcome* outcome) {
  std::string problem;
  if (outputs.size() != expected.tensors.size()) problem = "there is another number of outputs";
  for (size_t i = 0; problem.empty() && i < outputs.size(); ++i) {
    const std::string difference =
        Difference(outputs[i], TensorOf(expected.tensors[i]), expected.elements[i], options);
    if (!difference.empty()) problem = "output " + std::to_string(i) + ": " + difference;
  }
  if (problem.empty()) return;
  outcome->kind = SuiteOutcome::Kind::kFailed;
  outcome->reason = problem;
}

void Check(const std::string& folder, const SuiteOptions& options, SuiteOutcome* outcome) {
  const LoadedModel model = ValueOrThrow(LoadModel(folder + "/model.onnx"));
  const std::vector<ValueInfo>& declared = model.model.graph.inputs;
  const std::vector<Recorded> recorded = ReadRecorded(folder, "input", declared);
  ImportOptions import;
  for (size_t i = 0; i < recorded.size() && i < declared.size(); ++i) {
    const std::string name(declared[i].name);
    if (recorded[i].tensors.empty() && recorded[i].type.kind == Type::Kind::kOptional) {
      import.absent.insert(name);
    } else if (IsSequence(recorded[i].type)) {
      std::vector<std::vector<Extent>>& shapes = import.sequences[name];
      for (const TensorValue& value : recorded[i].tensors) {
        shapes.emplace_back(value.shape.begin(), value.shape.end());
      }
    }
  }
  const ImportedModel imported = Import(model, recorded, &import);
  for (const auto& [name, value] : import.values) outcome->fixed.push_back(name);
  std::vector<Tensor> inputs;
  for (size_t i = 0; i < recorded.size(); ++i) {
    if (import.values.contains(std::string(declared.at(i).name))) continue;
    for (const TensorValue& value : recorded[i].tensors) inputs.push_back(TensorOf(value));
  }
  const std::vector<Tensor> outputs = Run(imported, inputs, options);
  Recorded expected;
  for (Recorded& output : ReadRecorded(folder, "output", model.model.graph.outputs)) {
    std::ranges::move(output.tensors, std::back_inserter(expected.tensors));
    std::ranges::move(output.elements, std::back_inserter(expected.elements));
  }
  Compare(outputs, expected, options, outcome);
}

void CheckLight(const std::string& path, const SuiteOptions& options, SuiteOutcome* outcome) {
  const LoadedModel model = ValueOrThrow(LoadModel(path));
  const ImportedModel imported = ImportModel(model);
  std::vector<Tensor> inputs;
  for (const ir::GraphVar& param : imported.module->functions[0]->params) {
    const auto& type = static_cast<const ir::TensorType&>(*param->type);
    std::vector<int64_t> shape;
    int64_t count = 1;
    for (const ir::Expr& extent : type.shape) {
      const int64_t* number = ir::AsConstInt(extent);
      shape.push_back(number == nullptr ? 1 : *number);
      count *= shape.back();
    }
    std::vector<float> data;
    for (int64_t i = 0; i < count; ++i) {
      data.push_back(static_cast<float>(static_cast<double>(i) / static_cast<double>(count)));
    }
    inputs.push_back(ValueOrThrow(
        Tensor::FromHost(data.data(), data.size() * sizeof(float), shape, DataType::Float(32))));
  }
  const std::vector<Tensor> outputs = Run(imported, inputs, options);
  const auto bytes = std::make_shared<const std::string>(
      Contents(path.substr(0, path.size() - 5) + "_output_0.pb"));
  const LoadedModel holder{{}, bytes, ""};
  const TensorData tensor = onnx::ReadTensor(*bytes);
  Compare(outputs, {{}, {TensorReader(holder).Read(tensor)}, {tensor.type}}, options, outcome);
}

}  // namespace

const char* OutcomeName(SuiteOutcome::Kind kind) {
  switch (kind) {
    case SuiteOutcome::Kind::kPassed:
      return "passed";
    case SuiteOutcome::Kind::kFailed:
      return "failed";
    case SuiteOutcome::Kind::kRefused:
      break;
  }
  return "refused";
}

namespace {

// What `check` finds, with errors as outcomes.
SuiteOutcome Outcome(const std::string& path, const std::function<void(SuiteOutcome*)>& check) {
  SuiteOutcome outcome{.name = std::filesystem::path(path).filename().string()};
  try {
    check(&outcome);
  } catch (const Error& error) {
    const Diagnostic& what = error.diagnostic();
    outcome.kind =
        IsRefusal(error.name()) ? SuiteOutcome::Kind::kRefused : SuiteOutcome::Kind::kFailed;
    outcome.reason = "[" + error.name() + "] " + FirstLine(what.message);
    if (error.name() == "onnx-unsupported") {
      for (const std::string& note : what.notes) outcome.reason += "; " + note;
    } else if (!what.found.empty()) {
      outcome.reason += ": " + FirstLine(what.found);
    }
    if (outcome.kind == SuiteOutcome::Kind::kFailed && !what.notes.empty()) {
      outcome.reason += "; " + FirstLine(what.notes[0]);
    }
  } catch (const std::exception& error) {
    outcome.kind = SuiteOutcome::Kind::kFailed;
    outcome.reason = FirstLine(error.what());
  }
  return outcome;
}

}  // namespace

SuiteOutcome RunCase(const std::string& folder, const SuiteOptions& options) {
  return Outcome(folder, [&](SuiteOutcome* outcome) { Check(folder, options, outcome); });
}

std::vector<SuiteOutcome> RunCases(const std::vector<std::string>& folders,
                                   const SuiteOptions& options, int threads) {
  std::vector<SuiteOutcome> outcomes(folders.size());
  std::atomic<size_t> next = 0;
  std::vector<std::jthread> workers;
  for (int t = 0; t < std::max(threads, 1); ++t) {
    workers.emplace_back([&] {
      for (size_t i = next++; i < folders.size(); i = next++) {
        outcomes[i] = RunCase(folders[i], options);
      }
    });
  }
  workers.clear();
  return outcomes;
}

SuiteCounts CountOf(const std::vector<SuiteOutcome>& outcomes, bool expanded) {
  SuiteCounts counts;
  for (const SuiteOutcome& outcome : outcomes) {
    if ((outcome.name.find("_expanded") != std::string::npos) != expanded) continue;
    if (outcome.kind == SuiteOutcome::Kind::kPassed) {
      ++counts.passed;
      counts.fixed += outcome.fixed.empty() ? 0 : 1;
    } else if (outcome.kind == SuiteOutcome::Kind::kFailed) {
      ++counts.failed;
    } else {
      ++counts.refused;
    }
  }
  return counts;
}

std::string CountRow(const std::vector<SuiteOutcome>& outcomes, const std::string& what,
                     bool expanded) {
  const SuiteCounts c = CountOf(outcomes, expanded);
  std::string row =
      "| " + what + (expanded ? "functions expanded to nodes" : "single operators") + " |";
  for (const int count : {c.all(), c.passed, c.fixed, c.failed, c.refused}) {
    row += " " + std::to_string(count) + " |";
  }
  return row;
}

SuiteOutcome RunLightModel(const std::string& path, const SuiteOptions& options) {
  return Outcome(path, [&](SuiteOutcome* outcome) { CheckLight(path, options, outcome); });
}

std::vector<std::string> FindLightModels(const std::string& root) {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(root)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with("light_") && name.ends_with(".onnx")) files.push_back(entry.path());
  }
  std::ranges::sort(files);
  return files;
}

std::vector<std::string> FindCases(const std::string& root) {
  std::vector<std::string> folders;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
    if (entry.path().filename() == "model.onnx") {
      folders.push_back(entry.path().parent_path().string());
    }
  }
  std::ranges::sort(folders);
  return folders;
}

}  // namespace lathe::graph::onnx
