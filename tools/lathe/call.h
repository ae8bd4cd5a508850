// One call of a compiled function, built from a command line. `lathe run` and `lathe bisect` use
// it.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "runtime/device.h"
#include "runtime/metadata.h"
#include "runtime/module.h"
#include "runtime/tensor.h"
#include "runtime/value.h"
#include "tools/lathe/command.h"
#include "tools/lathe/extents.h"

namespace lathe::cli {

inline constexpr Option kOutShapeOption = {
    "--out-shape", "NAME=SHAPE",
    "an output's shape (as 2x3), where the inputs do not determine it"};
inline constexpr Option kExtentOption = {
    "--extent", "NAME=VALUE",
    "the value of a symbolic extent, for `random` and `zeros` without a shape"};

// The function to call: the first of `given` if `module` has one of that name, which is taken off
// `given` then; else the module's entry, or its only one. `path` is the module's, for errors. Fails
// with `run-no-metadata`, and as EntryFunction does. Valid as long as the module.
absl::StatusOr<const runtime::FunctionMetadata*> ChooseFunction(
    const runtime::Module& module, const std::string& path, std::span<const std::string>* given);

class Call {
 public:
  // Both arguments must outlive the Call. Reads the options --extent, --out-shape and --out. The
  // tensors are on the function's device of the session to which the device `session` belongs.
  Call(const Arguments& arguments, const runtime::FunctionMetadata& function,
       runtime::Device session = {kDLCPU, 0});

  // Binds the arguments as the command line gives them: for each input, or for each argument, a
  // .npy file, `random`, `zeros` (with a shape: `random:2x3`) or a number. Allocates the outputs.
  // Fails with `run-argument-count`, `run-bad-number`, `run-bad-shape`, `run-argument-kind`,
  // `call-argument-rank`, or as MakeFilled, Extents::Evaluate, ReadInput and DecodeNpy do.
  absl::Status Bind(std::span<const std::string> given);
  // Writes outputs to the files that --out names, and a summary of the others to standard output.
  // Fails with `run-no-such-output`, or as EncodeNpy and WriteOutput do.
  absl::Status WriteOutputs() const;

  const runtime::Device& device() const { return device_; }
  const runtime::FunctionMetadata& function() const { return function_; }
  // In calling order. A tensor is null if the argument is not a tensor.
  const std::vector<runtime::Value>& values() const { return values_; }
  const std::vector<runtime::Tensor>& tensors() const { return tensors_; }
  bool IsOutput(size_t i) const;
  // The index of the tensor argument with that name. Fails with `run-no-such-output`.
  absl::StatusOr<size_t> FindTensor(const std::string& name) const;

 private:
  absl::Status SetTensor(size_t i, const runtime::Tensor& host);
  // Binds files, numbers, and fills with a shape.
  absl::Status BindGiven(size_t i, const std::string& text);
  // Binds fills whose shape follows from the other arguments.
  absl::Status BindFilled(size_t i, const std::string& text);
  absl::Status BindOutput(size_t i);
  absl::Status Fill(size_t i, const std::string& how, const std::vector<int64_t>& shape);
  DataType TypeOf(size_t i) const;
  absl::StatusOr<std::vector<int64_t>> ShapeOf(size_t i) const;

  const Arguments& arguments_;
  const runtime::FunctionMetadata& function_;
  runtime::Device device_;
  Extents extents_;
  std::vector<runtime::Value> values_;
  std::vector<runtime::Tensor> tensors_;
};

}  // namespace lathe::cli
