#include "tools/lathe/peer.h"

#include <sys/wait.h>

#include <filesystem>

#include "base/file.h"
#include "base/run_program.h"
#include "runtime/json.h"
#include "runtime/status.h"
#include "tools/lathe/files.h"
#include "tools/lathe/npy.h"

namespace lathe::cli {
namespace {

using runtime::Json;
using runtime::MakeStatus;

constexpr int kNotInstalled = 77;  // exit code of the script

// Reads request.json and the inputs from its folder, and writes the outputs there.
constexpr const char* kScript = R"py(
import json, os, sys

folder = sys.argv[1]
with open(os.path.join(folder, "request.json")) as file:
    request = json.load(file)
try:
    import numpy
    if request["peer"] == "onnxruntime":
        import onnxruntime
    else:
        import torch
except ImportError as error:
    print(error)
    sys.exit(77)

inputs = [numpy.load(os.path.join(folder, "input_%d.npy" % i)) for i in range(len(request["inputs"]))]
if request["peer"] == "onnxruntime":
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    model = request["model"]
    if request["data_folder"]:
        options.add_session_config_entry("session.model_external_initializers_file_folder_path", request["data_folder"])
        with open(model, "rb") as file:
            model = file.read()
    session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    outputs = session.run(request["outputs"], dict(zip(request["inputs"], inputs)))
else:
    model = torch.jit.load(request["model"], map_location="cpu").eval()
    with torch.no_grad():
        result = model(*[torch.from_numpy(i) for i in inputs])
    outputs = []
    def collect(value):
        if isinstance(value, torch.Tensor):
            outputs.append(value.numpy())
        else:
            for item in value.values() if isinstance(value, dict) else value:
                collect(item)
    collect(result)
for i, output in enumerate(outputs):
    numpy.save(os.path.join(folder, "output_%d.npy" % i), numpy.ascontiguousarray(output).reshape(numpy.shape(output)))
with open(os.path.join(folder, "count"), "w") as file:
    file.write(str(len(outputs)))
)py";

absl::Status Write(const std::string& path, const std::string& bytes) {
  const FileProblem problem = WriteFile(path, bytes);
  return problem.ok() ? absl::OkStatus() : WriteFailed(path, problem.text);
}

absl::Status WriteRequest(const PeerRun& run) {
  Json inputs = Json::Array(), outputs = Json::Array(), request = Json::Object();
  for (const std::string& name : run.input_names) inputs.Append(name);
  for (const std::string& name : run.output_names) outputs.Append(name);
  request.Set("peer", run.peer);
  request.Set("model", std::filesystem::absolute(run.model).string());
  request.Set("data_folder",
              run.data_folder.empty() ? "" : std::filesystem::absolute(run.data_folder).string());
  request.Set("inputs", std::move(inputs));
  request.Set("outputs", std::move(outputs));
  LATHE_RETURN_IF_ERROR(Write(run.folder + "/request.json", request.Dump()));
  LATHE_RETURN_IF_ERROR(Write(run.folder + "/peer.py", kScript));
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
  return MakeStatus(absl::StatusCode::kUnavailable, "compare-failed",
                    run.peer + (end.timed_out ? " took too long" : " failed") + " on `" +
                        run.model + "`\n  expected: its outputs\n  found: " + said);
}

}  // namespace

absl::StatusOr<std::vector<runtime::Tensor>> RunPeer(const PeerRun& run) {
  LATHE_RETURN_IF_ERROR(WriteRequest(run));
  std::string python = run.python, script = run.folder + "/peer.py", folder = run.folder;
  std::filesystem::remove(folder + "/count");
  const auto limit = std::chrono::milliseconds(static_cast<int64_t>(run.seconds * 1000));
  const ProgramEnd end =
      RunProgram({python.data(), script.data(), folder.data(), nullptr}, limit, 4096);
  LATHE_RETURN_IF_ERROR(StatusOf(run, end));
  LATHE_ASSIGN_OR_RETURN(const std::string count, ReadInput(folder + "/count", 64));
  std::vector<runtime::Tensor> outputs;
  for (int i = 0; i < std::stoi(count); ++i) {
    const std::string path = folder + "/output_" + std::to_string(i) + ".npy";
    LATHE_ASSIGN_OR_RETURN(const std::string bytes, ReadInput(path, kMaxNpyBytes));
    LATHE_ASSIGN_OR_RETURN(outputs.emplace_back(), DecodeNpy(bytes, path));
  }
  return outputs;
}

}  // namespace lathe::cli
