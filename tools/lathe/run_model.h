// `lathe run` for compiled models.
#pragma once

#include "absl/status/status.h"
#include "tools/lathe/command.h"
#include "tools/lathe/model.h"

namespace lathe::cli {

// Runs the model once; writes outputs, prints summaries and the best classes. Fails with
// `run-labels`, `run-top`, `run-no-such-output`, and as InputsOf and Context::Run do.
absl::Status RunModel(const Arguments& arguments, const Model& model);

inline constexpr Option kTopOption = {
    "--top", "N", "of a model: print the N best classes of the first output, or of --scores"};
inline constexpr Option kScoresOption = {"--scores", "NAME", "the output that --top looks at"};
inline constexpr Option kLabelsOption = {"--labels", "FILE",
                                         "with --top: a line for each class, in their order"};
inline constexpr Option kSoftmaxOption = {"--softmax", nullptr,
                                          "with --top: the scores as probabilities"};

}  // namespace lathe::cli
