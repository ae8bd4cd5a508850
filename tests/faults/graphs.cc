#include "tests/faults/graphs.h"

#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/file.h"
#include "driver/build_module.h"
#include "graph/build.h"
#include "graph/import/lathe_file.h"
#include "graph/import/model_file.h"
#include "graph/infer.h"
#include "ir/binary.h"
#include "ir/text/parser.h"
#include "ir/text/printer.h"
#include "runtime/error_object.h"
#include "runtime/graph/plan_module.h"
#include "runtime/graph/vm/program_module.h"
#include "runtime/status.h"
#include "target/host_target.h"

namespace lathe::faults {
namespace {

using runtime::Tensor;
using runtime::graph::Context;
using runtime::graph::Executable;

constexpr const char* kSuffixes[] = {".o", ".tar", ".so"};

// A layer with a residual sum, for any number of rows.
constexpr char kLayer[] = R"(graph main(%x: float32[n, 16], %w: float32[16, 16]) -> float32[n, 16] {
  %p = nn.dense(%x, %w)
  %r = nn.relu(%p)
  %s = nn.softmax(%r)
  %y = add(%s, %x)
  return %y
}
)";

// The least there is to compile.
constexpr char kSmall[] = R"(graph main(%x: float32[8]) -> float32[8] {
  %y = nn.relu(%x)
  return %y
}
)";

// A list that a function which calls itself makes, and one that takes it apart.
constexpr char kLists[] = R"(type List { Nil, Cons(float32[], List) }
graph sum(%l: List) -> float32[] {
  %0 = match %l {
    List.Nil => {
      %z = zeros(shape=[], dtype="float32")
      return %z
    }
    List.Cons(%h, %t) => {
      %1 = @sum(%t)
      %2 = add(%h, %1)
      return %2
    }
  }
  return %0
}
graph count(%n: float32[], %l: List) -> List {
  %zero = zeros(shape=[], dtype="float32")
  %one = ones(shape=[], dtype="float32")
  %more = greater(%n, %zero)
  %0 = if %more {
    %1 = subtract(%n, %one)
    %2 = new List.Cons(%n, %l)
    %3 = @count(%1, %2)
    return %3
  } else { return %l }
  return %0
}
graph main(%n: float32[]) -> float32[] {
  %nil = new List.Nil()
  %l = @count(%n, %nil)
  %s = @sum(%l)
  return %s
}
)";

template <class T>
T ValueOrThrow(absl::StatusOr<T> value) {
  runtime::ThrowIfError(value.status());
  return *std::move(value);
}

Tensor Filled(std::vector<int64_t> shape) {
  uint64_t elements = 1;
  for (const int64_t extent : shape) elements *= static_cast<uint64_t>(extent);
  std::vector<float> numbers(elements);
  for (uint64_t i = 0; i < elements; ++i) numbers[i] = static_cast<float>(i * i % 23) / 4 - 2;
  return ValueOrThrow(Tensor::FromHost(numbers.data(), elements * 4, shape, DataType::Float(32)));
}

std::string BytesOf(const Tensor& tensor) {
  std::string bytes(tensor.num_bytes(), '\0');
  runtime::ThrowIfError(tensor.CopyToHost(bytes.data(), bytes.size()));
  return bytes;
}

// Returns "" if the two are equal.
std::string Compared(const std::string& found, const std::string& expected) {
  return found == expected ? "" : "another result than without failures";
}

ir::GraphModule Parsed(const char* text) {
  return graph::InferTypes(ir::ParseGraphModule(text, "graph"));
}

// Threads would be more than this process may have.
graph::GraphBuildOptions OneThread() {
  graph::GraphBuildOptions options;
  options.threads = 1;
  return options;
}

// The first output for the given inputs, in a new context.
std::string Computed(const std::shared_ptr<const Executable>& executable,
                     const std::vector<Tensor>& inputs) {
  Context context(executable);
  for (size_t i = 0; i < inputs.size(); ++i)
    runtime::ThrowIfError(context.SetInput(static_cast<int>(i), inputs[i]));
  runtime::ThrowIfError(context.Run());
  return BytesOf(ValueOrThrow(context.GetOutput(0)));
}

std::shared_ptr<const Executable> Compiled(const ir::GraphModule& module,
                                           const std::string& function) {
  return ValueOrThrow(graph::LoadGraph(
      ValueOrThrow(graph::CompileGraph(module, function, target::HostTarget(), OneThread()))));
}

// It compiles so fast that all failures can be tried.
void AddSmall(std::vector<Program>* programs) {
  const std::vector<Tensor> inputs = {Filled({8})};
  const ir::GraphModule module = Parsed(kSmall);
  const std::string answer = Computed(Compiled(module, "main"), inputs);
  const auto run = [=] { return Compared(Computed(Compiled(module, "main"), inputs), answer); };
  programs->push_back({"small graph: compile", run, true});
}

// Sets an input that is not there. The error itself needs memory.
std::string Refused(const std::shared_ptr<const Executable>& executable, const Tensor& input) {
  Context context(executable);
  const absl::Status status = context.SetInput("nothing", input);
  const std::string name(runtime::StatusName(status));
  if (name == "out-of-memory") runtime::ThrowIfError(status);
  return name == "graph-input-unknown" ? "" : "found `" + name + "`";
}

void AddLayer(const std::string& folder, std::vector<Program>* programs) {
  const std::vector<Tensor> inputs = {Filled({12, 16}), Filled({16, 16})};
  const ir::GraphModule module = Parsed(kLayer);
  const auto executable = Compiled(module, "main");
  const std::string answer = Computed(executable, inputs);
  programs->push_back({"graph: read", [text = ir::ToText(module)] {
                         const ir::GraphModule read = Parsed(kLayer);
                         const std::string bytes = ir::EncodeNode(read);
                         const auto again = ir::RefAs<ir::GraphModuleNode>(ir::DecodeNode(bytes));
                         return Compared(ir::ToText(graph::InferTypes(again)), text);
                       }});
  programs->push_back({"graph: compile", [=] {
                         return Compared(Computed(Compiled(module, "main"), inputs), answer);
                       }});
  programs->push_back({"graph: run", [=] {
                         const std::string wrong = Compared(Computed(executable, inputs), answer);
                         return wrong.empty() ? Refused(executable, inputs[0]) : wrong;
                       }});
  const runtime::Module built = ValueOrThrow(
      graph::BuildGraphModule(module, "main", target::HostTarget(), OneThread(), "net"));
  programs->push_back({"graph: export and load", [=] {
                         for (const char* suffix : kSuffixes) {
                           const std::string file = folder + "/net" + suffix;
                           runtime::ThrowIfError(driver::ExportLibrary(built, file));
                           const runtime::Module loaded =
                               ValueOrThrow(runtime::LoadModuleFile(file));
                           const auto found =
                               ValueOrThrow(runtime::graph::FindExecutable(loaded, "net"));
                           if (Computed(found, inputs) != answer)
                             return std::string(suffix) + " is wrong";
                         }
                         return std::string();
                       }});
}

std::string Invoked(const runtime::Module& module) {
  runtime::vm::Machine machine(ValueOrThrow(runtime::vm::FindProgram(module, "lists")));
  const float number = 5;
  const std::vector<runtime::Value> arguments = {runtime::Value(
      ValueOrThrow(Tensor::FromHost(&number, 4, std::vector<int64_t>{}, DataType::Float(32))))};
  return BytesOf(ValueOrThrow(machine.Invoke("main", arguments)).As<Tensor>());
}

void AddLists(std::vector<Program>* programs) {
  const auto build = [module = Parsed(kLists)] {
    return ValueOrThrow(
        graph::BuildProgramModule(module, {"main"}, target::HostTarget(), OneThread(), "lists"));
  };
  const runtime::Module built = build();
  const std::string answer = Invoked(built);
  programs->push_back({"lists: compile", [=] { return Compared(Invoked(build()), answer); }});
  programs->push_back({"lists: run", [=] { return Compared(Invoked(built), answer); }});
}

std::string Imported(const std::string& path) {
  const graph::ModelFile model = ValueOrThrow(graph::ImportModelFile(path, {}));
  std::string text = ir::ToText(model.module, {.max_data = size_t{1} << 20});
  for (const std::string& output : model.outputs) text += output + "\n";
  return text;
}

struct Models {
  const char* name;
  const char* folder;  // of the runfiles
  int files;
};
constexpr Models kModels[] = {{"onnx", "graph/import/onnx", 4},
                              {"tflite", "graph/import/tflite", 3},
                              {"pb", "graph/import/tensorflow", 3}};

// A program that reads all models of a format.
void AddModels(const Models& models, const std::string& folder, std::vector<Program>* programs) {
  std::vector<std::string> paths;
  std::string texts;
  for (int i = 0; i < models.files; ++i) {
    std::string bytes;
    const std::string seed = std::string(models.folder) + "/model_seed_" + std::to_string(i);
    FileProblem problem = ReadFile(seed, kAnySize, &bytes);
    paths.push_back(folder + "/" + std::to_string(i) + "." + models.name);
    if (problem.ok()) problem = WriteFile(paths.back(), bytes);
    if (!problem.ok())
      throw Error(Diagnostic{.name = "test-data", .message = seed + ": " + problem.text});
    texts += Imported(paths.back());
  }
  programs->push_back({std::string(models.name) + ": import", [=] {
                         std::string found;
                         for (const std::string& path : paths) found += Imported(path);
                         return Compared(found, texts);
                       }});
}

void AddLatheFile(const std::string& folder, std::vector<Program>* programs) {
  const graph::ModelFile model = ValueOrThrow(graph::ImportModelFile(folder + "/0.onnx", {}));
  const std::string path = folder + "/model.lathe";
  const auto write_and_read = [=] {
    if (const FileProblem problem = graph::WriteLatheFile(model.module, path); !problem.ok())
      throw Error(Diagnostic{.name = "model-file", .message = problem.text});
    return Imported(path);
  };
  programs->push_back({"lathe: write and import",
                       [=, text = write_and_read()] { return Compared(write_and_read(), text); }});
}

}  // namespace

std::vector<Program> ProgramsOfGraphs(const std::string& folder) {
  runtime::ThrowIfError(runtime::graph::RegisterGraph());
  runtime::ThrowIfError(runtime::vm::RegisterVm());
  std::vector<Program> programs;
  AddSmall(&programs);
  AddLayer(folder, &programs);
  AddLists(&programs);
  for (const Models& models : kModels) AddModels(models, folder, &programs);
  AddLatheFile(folder, &programs);
  return programs;
}

}  // namespace lathe::faults
