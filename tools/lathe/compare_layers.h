// The values between, for `lathe compare`: here and in another framework.
#pragma once

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "runtime/tensor.h"
#include "tools/lathe/command.h"
#include "tools/lathe/difference.h"
#include "tools/lathe/measure.h"
#include "tools/lathe/peer.h"

namespace lathe::cli {

// --rtol and --atol. Throws UsageError `cli-bad-value`.
Tolerance ToleranceOf(const Arguments& arguments);

// The head of a table of values, and a line of it.
void PrintHead();
void PrintLine(const std::string& name, const runtime::Tensor& ours, const runtime::Tensor& theirs,
               const Difference& difference);

// The error `compare-differs`.
absl::Status Differs(const std::string& what, const std::string& note, const std::string& help);

// Compares the values between of the command line's ONNX model, in the order of its nodes, and
// prints a line for each. `outputs` says how much the model's outputs differ. Fails with
// `compare-differs`, which names the first value that differs, and as RunPeer, RunPeerLayers and
// imports do.
absl::Status CompareLayers(const Arguments& arguments, const Prepared& prepared, PeerRun run,
                           const std::vector<Difference>& outputs);

}  // namespace lathe::cli
