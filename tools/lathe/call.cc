#include "tools/lathe/call.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdio>
#include <filesystem>
#include <system_error>

#include "runtime/status.h"
#include "tools/lathe/files.h"
#include "tools/lathe/npy.h"
#include "tools/lathe/numbers.h"

namespace lathe::cli {
namespace {

using runtime::ArgumentMetadata;
using runtime::MakeStatus;
using runtime::Tensor;
using runtime::Value;

template <class T>
absl::Status ReadNumber(const std::string& text, const std::string& what, T* out) {
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *out);
  if (error == std::errc() && end == text.data() + text.size()) return absl::OkStatus();
  return MakeStatus(
      absl::StatusCode::kInvalidArgument, "run-bad-number",
      what + " is no number\n  expected: " + (std::is_integral_v<T> ? "an integer" : "a number") +
          "\n  found: `" + text + "`\n  help: give a number in digits");
}

bool IsFill(const std::string& text) {
  const std::string how = text.substr(0, text.find(':'));
  return how == "random" || how == "zeros";
}

// A word that is no argument of any kind: neither a number, a fill, nor a file that is there.
bool MayBeAFunction(const std::string& word) {
  if (word.empty() || IsFill(word) || word == "true" || word == "false") return false;
  double number = 0;  // nan and inf are words
  if (ReadNumber(word, "", &number).ok()) return false;
  std::error_code ignored;
  if (std::filesystem::exists(word, ignored)) return false;
  return (std::isalpha(static_cast<unsigned char>(word[0])) != 0 || word[0] == '_') &&
         std::all_of(word.begin(), word.end(),
                     [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; });
}

absl::Status BadShape(const std::string& text) {
  return MakeStatus(absl::StatusCode::kInvalidArgument, "run-bad-shape",
                    "`" + text + "` is no shape\n  expected: extents as in 2x3\n  found: `" + text +
                        "`\n  help: for a shape without axes write nothing");
}

}  // namespace

absl::StatusOr<const runtime::FunctionMetadata*> ChooseFunction(
    const runtime::Module& module, const std::string& path, std::span<const std::string>* given) {
  const runtime::Metadata& metadata = module->metadata();
  std::string name;
  if (!given->empty() && metadata.FindFunction(given->front()) != nullptr) {
    name = given->front();
    *given = given->subspan(1);
  } else if (!given->empty() && metadata.functions.size() > 1 && MayBeAFunction(given->front())) {
    return module.GetFunction(given->front()).status();  // lists the functions
  } else if (!metadata.entry.empty()) {
    name = metadata.entry;
  } else if (metadata.functions.size() == 1) {
    name = metadata.functions[0].name;
  } else {
    const absl::StatusOr<runtime::Function> entry = module.EntryFunction();  // lists the functions
    if (!entry.ok()) return AsEnvironment(entry.status());
    name = "main";
  }
  const runtime::FunctionMetadata* const described = metadata.FindFunction(name);
  if (described != nullptr) return described;
  return MakeStatus(absl::StatusCode::kFailedPrecondition, "run-no-metadata",
                    "`" + path + "` does not describe its function `" + name +
                        "`\n  expected: metadata, as `lathe compile` writes it\n  help: compile it "
                        "again");
}

Call::Call(const Arguments& arguments, const runtime::FunctionMetadata& function,
           runtime::Device session)
    : arguments_(arguments), function_(function), device_(runtime::Device::Parse(function.device)) {
  device_.session = session.session;
  values_.resize(function.arguments.size());
  tensors_.resize(function.arguments.size());
}

absl::Status Call::Bind(std::span<const std::string> given) {
  for (const std::string& text : arguments_.All("--extent")) {
    const auto [name, value] = SplitPair("--extent", text);
    int64_t number = 0;
    LATHE_RETURN_IF_ERROR(ReadNumber(value, "extent `" + name + "`", &number));
    extents_.Bind(name, number);
  }
  // The given arguments are for all parameters, or for all except the outputs.
  std::vector<size_t> inputs;
  for (size_t i = 0; i < function_.arguments.size(); ++i) {
    if (!IsOutput(i)) inputs.push_back(i);
  }
  if (given.size() == function_.arguments.size()) {
    inputs.clear();
    for (size_t i = 0; i < given.size(); ++i) inputs.push_back(i);
  }
  if (given.size() != inputs.size()) {
    return MakeStatus(absl::StatusCode::kInvalidArgument, "run-argument-count",
                      "`" + function_.name + "` was given " + std::to_string(given.size()) +
                          " arguments\n  expected: " + std::to_string(inputs.size()) +
                          " inputs, or all " + std::to_string(function_.arguments.size()) +
                          " arguments\n  found: " + std::to_string(given.size()) +
                          "\n  note: " + function_.Signature() +
                          "\n  help: name a .npy file, `random`, `zeros` or a number for each");
  }
  // Bind files first: they determine the extents that the others need.
  for (size_t k = 0; k < inputs.size(); ++k) LATHE_RETURN_IF_ERROR(BindGiven(inputs[k], given[k]));
  for (size_t k = 0; k < inputs.size(); ++k) LATHE_RETURN_IF_ERROR(BindFilled(inputs[k], given[k]));
  for (size_t i = 0; i < function_.arguments.size(); ++i) LATHE_RETURN_IF_ERROR(BindOutput(i));
  return absl::OkStatus();
}

absl::Status Call::WriteOutputs() const {
  std::vector<std::string> files(function_.arguments.size());
  size_t next = 0;
  for (const std::string& text : arguments_.All("--out")) {
    const size_t equals = text.find('=');
    if (equals != std::string::npos) {
      LATHE_ASSIGN_OR_RETURN(const size_t index, FindTensor(text.substr(0, equals)));
      files[index] = text.substr(equals + 1);
      continue;
    }
    while (next < files.size() && !IsOutput(next)) ++next;
    if (next == files.size()) {
      return MakeStatus(absl::StatusCode::kInvalidArgument, "run-no-such-output",
                        "there is no output for `--out " + text + "`\n  expected: at most " +
                            std::to_string(function_.outputs.size()) +
                            " outputs without a name\n  note: " + function_.Signature() +
                            "\n  help: name it, `--out NAME=FILE`");
    }
    files[next++] = text;
  }
  for (size_t i = 0; i < files.size(); ++i) {
    if (!files[i].empty()) {
      LATHE_ASSIGN_OR_RETURN(std::string bytes, EncodeNpy(tensors_[i]));
      LATHE_RETURN_IF_ERROR(WriteOutput(files[i], bytes));
    } else if (IsOutput(i)) {
      LATHE_ASSIGN_OR_RETURN(std::string summary, Summary(tensors_[i]));
      std::printf("%s: %s\n", function_.arguments[i].name.c_str(), summary.c_str());
    }
  }
  return absl::OkStatus();
}

bool Call::IsOutput(size_t i) const {
  const ArgumentMetadata& argument = function_.arguments[i];
  if (argument.kind != "tensor") return false;
  for (const std::string& output : function_.outputs) {
    if (output == argument.name) return true;
  }
  return false;
}

absl::StatusOr<size_t> Call::FindTensor(const std::string& name) const {
  std::vector<std::string> names;
  for (size_t i = 0; i < function_.arguments.size(); ++i) {
    if (function_.arguments[i].kind != "tensor") continue;
    if (function_.arguments[i].name == name) return i;
    names.push_back(function_.arguments[i].name);
  }
  return MakeStatus(absl::StatusCode::kInvalidArgument, "run-no-such-output",
                    "`" + function_.name + "` has no tensor `" + name + "`\n  expected: one of " +
                        QuotedList(names) + "\n  found: `" + name +
                        "`\n  help: `lathe inspect` shows the arguments");
}

absl::Status Call::SetTensor(size_t i, const Tensor& host) {
  const ArgumentMetadata& argument = function_.arguments[i];
  // The kernel would report this too. But the extents of outputs are computed from the inputs
  // first, and a wrong rank would then show as an extent with no value.
  if (host.shape().size() != argument.shape.size()) {
    return MakeStatus(absl::StatusCode::kInvalidArgument, "call-argument-rank",
                      "argument " + std::to_string(i) + " (`" + argument.name + "`) of " +
                          function_.name + " has the wrong number of dimensions\n  expected: " +
                          std::to_string(argument.shape.size()) +
                          "\n  found: " + std::to_string(host.shape().size()));
  }
  LATHE_ASSIGN_OR_RETURN(tensors_[i], host.To(device_));
  values_[i] = Value(tensors_[i]);
  extents_.Solve(argument.shape, host.shape());
  return absl::OkStatus();
}

// Binds files, numbers, and fills with a shape.
absl::Status Call::BindGiven(size_t i, const std::string& text) {
  const ArgumentMetadata& argument = function_.arguments[i];
  const std::string what = "argument `" + argument.name + "`";
  if (argument.kind == "int") {
    int64_t number = 0;
    LATHE_RETURN_IF_ERROR(ReadNumber(text, what, &number));
    values_[i] = Value(number);
    extents_.Bind(argument.name, number);
    return absl::OkStatus();
  }
  if (argument.kind == "float") {
    double number = 0;
    LATHE_RETURN_IF_ERROR(ReadNumber(text, what, &number));
    values_[i] = Value(number);
    return absl::OkStatus();
  }
  if (argument.kind == "bool") {
    int64_t number = text == "true" ? 1 : 0;
    if (text != "true" && text != "false") LATHE_RETURN_IF_ERROR(ReadNumber(text, what, &number));
    values_[i] = Value(number != 0);
    return absl::OkStatus();
  }
  if (argument.kind != "tensor") {
    return MakeStatus(absl::StatusCode::kUnimplemented, "run-argument-kind",
                      what +
                          " cannot be given on a command line\n  expected: a tensor, a number or "
                          "a bool\n  found: " +
                          argument.kind + "\n  help: call it from C++ (runtime/module.h)");
  }
  if (IsFill(text)) {
    const size_t colon = text.find(':');
    if (colon == std::string::npos) return absl::OkStatus();
    std::vector<int64_t> shape;
    if (!ParseShape(std::string_view(text).substr(colon + 1), &shape)) return BadShape(text);
    return Fill(i, text.substr(0, colon), shape);
  }
  LATHE_ASSIGN_OR_RETURN(std::string bytes, ReadInput(text, kMaxNpyBytes));
  LATHE_ASSIGN_OR_RETURN(Tensor host, DecodeNpy(bytes, text));
  return SetTensor(i, host);
}

// Binds fills whose shape follows from the other arguments.
absl::Status Call::BindFilled(size_t i, const std::string& text) {
  if (function_.arguments[i].kind != "tensor" || !IsFill(text) || tensors_[i])
    return absl::OkStatus();
  LATHE_ASSIGN_OR_RETURN(std::vector<int64_t> shape, ShapeOf(i));
  return Fill(i, text, shape);
}

absl::Status Call::BindOutput(size_t i) {
  if (!IsOutput(i) || tensors_[i]) return absl::OkStatus();
  LATHE_ASSIGN_OR_RETURN(std::vector<int64_t> shape, ShapeOf(i));
  LATHE_ASSIGN_OR_RETURN(tensors_[i], Tensor::Empty(shape, TypeOf(i), device_));
  values_[i] = Value(tensors_[i]);
  return absl::OkStatus();
}

absl::Status Call::Fill(size_t i, const std::string& how, const std::vector<int64_t>& shape) {
  LATHE_ASSIGN_OR_RETURN(Tensor host, MakeFilled(how, shape, TypeOf(i), i + 1));
  return SetTensor(i, host);
}

DataType Call::TypeOf(size_t i) const {
  DataType dtype = DataType::Float(32);
  DataType::Parse(function_.arguments[i].dtype, &dtype);  // checked when the metadata was read
  return dtype;
}

absl::StatusOr<std::vector<int64_t>> Call::ShapeOf(size_t i) const {
  const ArgumentMetadata& argument = function_.arguments[i];
  std::vector<int64_t> shape;
  for (const std::string& text : arguments_.All("--out-shape")) {
    const auto [name, value] = SplitPair("--out-shape", text);
    if (name != argument.name) continue;
    if (!ParseShape(value, &shape)) return BadShape(value);
    return shape;
  }
  for (const std::string& text : argument.shape) {
    LATHE_ASSIGN_OR_RETURN(int64_t extent, extents_.Evaluate(text));
    shape.push_back(extent);
  }
  return shape;
}

}  // namespace lathe::cli
