#include "tools/lathe/peer.h"

#include <sys/wait.h>

#include <filesystem>

#include "base/file.h"
#include "base/run_program.h"
#include "runtime/json.h"
#include "runtime/status.h"
#include "tools/lathe/files.h"
#include "tools/lathe/npy.h"
#include "tools/lathe/peer_script.h"

namespace lathe::cli {
namespace {

using runtime::Json;
using runtime::MakeStatus;

// Exit codes of the script.
constexpr int kNotInstalled = 77, kNoLayers = 78;
constexpr uint64_t kMostOfList = uint64_t{64} << 20;  // bytes of layers.json

absl::Status Write(const std::string& path, const std::string& bytes) {
  const FileProblem problem = WriteFile(path, bytes);
  return problem.ok() ? absl::OkStatus() : WriteFailed(path, problem.text);
}

absl::Status WriteRequest(const PeerRun& run, bool layers) {
  Json inputs = Json::Array(), outputs = Json::Array(), request = Json::Object();
  for (const std::string& name : run.input_names) inputs.Append(name);
  for (const std::string& name : run.output_names) outputs.Append(name);
  request.Set("peer", run.peer);
  request.Set("model", std::filesystem::absolute(run.model).string());
  request.Set("data_folder",
              run.data_folder.empty() ? "" : std::filesystem::absolute(run.data_folder).string());
  request.Set("inputs", std::move(inputs));
  request.Set("outputs", std::move(outputs));
  request.Set("layers", layers);
  LATHE_RETURN_IF_ERROR(Write(run.folder + "/request.json", request.Dump()));
  LATHE_RETURN_IF_ERROR(Write(run.folder + "/peer.py", kPeerScript));
  for (size_t i = 0; i < run.inputs.size(); ++i) {
    LATHE_ASSIGN_OR_RETURN(const std::string bytes, EncodeNpy(run.inputs[i]));
    LATHE_RETURN_IF_ERROR(Write(run.folder + "/input_" + std::to_string(i) + ".npy", bytes));
  }
  return absl::OkStatus();
}

absl::Status StatusOf(const PeerRun& run, const ProgramEnd& end) {
  const std::string said = end.output.empty() ? "nothing" : end.output;
  if (end.error != 0) {
    return MakeStatus(absl::StatusCode::kNotFound, "compare-python",
                      "the Python program `" + run.python +
                          "` does not start\n  expected: Python 3 with " + run.peer +
                          "\n  help: install it, or name another one with --python");
  }
  if (!end.timed_out && WIFEXITED(end.status) && WEXITSTATUS(end.status) == 0)
    return absl::OkStatus();
  if (!end.timed_out && WIFEXITED(end.status) && WEXITSTATUS(end.status) == kNotInstalled) {
    const std::string package = run.peer == "pytorch" ? "torch" : run.peer;
    return MakeStatus(absl::StatusCode::kNotFound, "compare-peer",
                      run.peer + " is not installed for `" + run.python + "`\n  found: " + said +
                          "\n  help: python3 -m venv peer && peer/bin/pip install numpy " +
                          package + ", then --python peer/bin/python");
  }
  if (!end.timed_out && WIFEXITED(end.status) && WEXITSTATUS(end.status) == kNoLayers) {
    return MakeStatus(absl::StatusCode::kUnavailable, "compare-layers",
                      run.peer + " cannot return the values between of `" + run.model +
                          "`\n  expected: a graph of TorchScript that can be run with more outputs"
                          "\n  found: " +
                          said + "\n  help: `--with onnxruntime` compares value by value, too");
  }
  return MakeStatus(absl::StatusCode::kUnavailable, "compare-failed",
                    run.peer + (end.timed_out ? " took too long" : " failed") + " on `" +
                        run.model + "`\n  expected: its outputs\n  found: " + said);
}

absl::Status Start(const PeerRun& run, bool layers) {
  LATHE_RETURN_IF_ERROR(WriteRequest(run, layers));
  std::string python = run.python, script = run.folder + "/peer.py", folder = run.folder;
  std::filesystem::remove(folder + "/count");
  const auto limit = std::chrono::milliseconds(static_cast<int64_t>(run.seconds * 1000));
  return StatusOf(run,
                  RunProgram({python.data(), script.data(), folder.data(), nullptr}, limit, 4096));
}

absl::StatusOr<runtime::Tensor> ReadTensor(const PeerRun& run, const char* kind, size_t index) {
  const std::string path = run.folder + "/" + kind + "_" + std::to_string(index) + ".npy";
  LATHE_ASSIGN_OR_RETURN(const std::string bytes, ReadInput(path, kMaxNpyBytes));
  return DecodeNpy(bytes, path);
}

std::string TextOf(const Json& object, const char* key) {
  const Json* found = object.Find(key);
  return found == nullptr ? "" : found->string();
}

}  // namespace

absl::StatusOr<std::vector<runtime::Tensor>> RunPeer(const PeerRun& run) {
  LATHE_RETURN_IF_ERROR(Start(run, /*layers=*/false));
  LATHE_ASSIGN_OR_RETURN(const std::string count, ReadInput(run.folder + "/count", 64));
  std::vector<runtime::Tensor> outputs;
  for (int i = 0; i < std::stoi(count); ++i) {
    LATHE_ASSIGN_OR_RETURN(outputs.emplace_back(),
                           ReadTensor(run, "output", static_cast<size_t>(i)));
  }
  return outputs;
}

absl::StatusOr<std::vector<PeerLayer>> RunPeerLayers(const PeerRun& run) {
  LATHE_RETURN_IF_ERROR(Start(run, /*layers=*/true));
  LATHE_ASSIGN_OR_RETURN(const std::string text,
                         ReadInput(run.folder + "/layers.json", kMostOfList));
  LATHE_ASSIGN_OR_RETURN(const Json list, Json::Parse(text, kMostOfList));
  std::vector<PeerLayer> layers;
  for (const Json& layer : list.items())
    layers.push_back({TextOf(layer, "name"), TextOf(layer, "op"), TextOf(layer, "place")});
  return layers;
}

absl::StatusOr<runtime::Tensor> ReadPeerLayer(const PeerRun& run, size_t index) {
  return ReadTensor(run, "layer", index);
}

}  // namespace lathe::cli
