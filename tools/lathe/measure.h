// Measures runs of a model, for `lathe bench` and `lathe profile`.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "runtime/graph/executor.h"
#include "runtime/tensor.h"
#include "tools/lathe/command.h"
#include "tools/lathe/model.h"

namespace lathe::cli {

// A model with its inputs set, ready to run.
struct Prepared {
  Model model;
  std::vector<runtime::Tensor> inputs;
  std::unique_ptr<runtime::graph::Context> context;
};
// The model of the command line on the inputs of --input, others random. `notes` as for LoadModel.
absl::StatusOr<Prepared> Prepare(const Arguments& arguments,
                                 std::vector<std::string>* notes = nullptr);

// Of times in seconds, sorted: the smallest that at least `part` (0 to 1) of all do not exceed.
double Percentile(const std::vector<double>& sorted, double part);
// "1.23 ms", with three digits or more.
std::string TimeText(double seconds);

inline constexpr Option kWarmupOption = {"--warmup", "N", "runs before the measurement (3)"};
inline constexpr Option kRepeatOption = {"--repeat", "N", "runs that are measured"};

}  // namespace lathe::cli
