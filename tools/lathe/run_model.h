// `lathe run` for compiled models.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "runtime/tensor.h"
#include "tools/lathe/command.h"
#include "tools/lathe/model.h"

namespace lathe::cli {

// Runs the model once; writes outputs, prints summaries and the best classes. Fails with
// `run-labels`, `run-top`, `run-no-such-output`, and as InputsOf and Context::Run do.
absl::Status RunModel(const Arguments& arguments, const Model& model);

// What --out, --top, --scores and --labels ask for.
struct WantedOutputs {
  std::vector<std::string> files;   // of each output; "" prints a summary
  std::optional<size_t> scores;     // the output whose best classes are printed
  std::vector<std::string> labels;  // of its classes; empty: none were given
};
// Fails with `run-no-such-output`, with `file-unreadable`, and with `run-labels` if the plan says
// that there is another number of classes.
absl::StatusOr<WantedOutputs> WantedOutputsOf(const Arguments& arguments,
                                              const runtime::graph::Plan& plan);
// Writes and prints the outputs of a run, which may be on any device. Fails as RunModel does.
absl::Status WriteOutputs(const Arguments& arguments, const runtime::graph::Plan& plan,
                          const WantedOutputs& wanted, const std::vector<runtime::Tensor>& outputs);

inline constexpr Option kTopOption = {
    "--top", "N", "of a model: print the N best classes of the first output, or of --scores"};
inline constexpr Option kScoresOption = {"--scores", "NAME", "the output that --top looks at"};
inline constexpr Option kLabelsOption = {"--labels", "FILE",
                                         "with --top: a line for each class, in their order"};
inline constexpr Option kSoftmaxOption = {"--softmax", nullptr,
                                          "with --top: the scores as probabilities"};

}  // namespace lathe::cli
