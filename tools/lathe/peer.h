// Runs a model in another framework, in a Python process of its own.
#pragma once

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "runtime/tensor.h"

namespace lathe::cli {

struct PeerRun {
  std::string python = "python3";  // a path, or a name on PATH
  std::string peer;                // "onnxruntime" or "pytorch"
  std::string model;               // the file: ONNX, or TorchScript
  std::string data_folder;         // of external data, if the model is a changed copy
  std::string folder;              // for the files of the run; removed by the caller
  double seconds = 600;            // how long it may take
  std::vector<std::string> input_names;
  std::vector<runtime::Tensor> inputs;
  std::vector<std::string> output_names;  // in the order of the results; unused by pytorch
};

// The outputs, in order. Fails with
//   compare-python  the Python program does not start
//   compare-peer    the framework (or numpy) is not installed for it
//   compare-failed  the framework refuses the model, or fails; with the end of what it said
absl::StatusOr<std::vector<runtime::Tensor>> RunPeer(const PeerRun& run);

// A value between, as PyTorch names it.
struct PeerLayer {
  std::string name, op;
  std::string place;  // the module or the line that it comes from; may be empty
};
// Runs a TorchScript file so that all tensors that its operators make are kept in files, in the
// order of the operators. Fails as RunPeer does, and with
//   compare-layers  PyTorch cannot return them
absl::StatusOr<std::vector<PeerLayer>> RunPeerLayers(const PeerRun& run);
// The tensor of one of them, as long as the folder is there.
absl::StatusOr<runtime::Tensor> ReadPeerLayer(const PeerRun& run, size_t index);

}  // namespace lathe::cli
