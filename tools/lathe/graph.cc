#include "tools/lathe/graph.h"

#include <algorithm>
#include <charconv>
#include <cstdio>

#include "base/error.h"
#include "base/file.h"
#include "driver/lower_device.h"
#include "graph/infer.h"
#include "graph/passes/mixed_precision.h"
#include "graph/passes/pass.h"
#include "runtime/status.h"
#include "target/target.h"
#include "tools/lathe/printable.h"
#include "tools/lathe/program.h"

namespace lathe::cli {
namespace {

bool IsGraphPass(const std::string& name) {
  if (name == "fuse") return true;
  for (const graph::GraphPass& pass : graph::GraphPasses()) {
    if (name == pass.name) return true;
  }
  return false;
}

// The module with products of the narrow type that --products names.
ir::GraphModule WithProducts(const ir::GraphModule& module, const std::string& type) {
  if (type != "bfloat16" && type != "float16") {
    throw UsageError(Diagnostic{.name = "cli-bad-value",
                                .message = "--products " + type,
                                .expected = "`bfloat16` or `float16`",
                                .found = "`" + type + "`",
                                .help = "for example --products bfloat16"});
  }
  const ir::GraphModule typed = graph::InferTypes(module);
  Ref<ir::GraphModuleNode> made = graph::CopyOf(*typed);
  const graph::MixedPrecision wish{
      .narrow = type == "float16" ? DataType::Float(16) : DataType::BFloat16(),
      .keep_results = true};
  for (graph::GraphFuncRef& func : made->functions)
    func = graph::ToMixedPrecision(func, typed, wish);
  return made;
}

// Programs are text.
bool IsBinary(const std::string& path) {
  FileProblem problem;
  const FileHandle file = OpenFile(path, &problem);
  std::string start;
  if (!problem.ok() || !ReadStart(file, 4096, &start).ok()) return false;
  return start.find('\0') != std::string::npos;
}

bool ReadExtent(std::string_view text, graph::ModelExtent* extent) {
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc() && end == text.data() + text.size()) {
    *extent = number;
    return number >= 0;
  }
  const auto is_word = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  };
  *extent = std::string(text);
  return !text.empty() && (text[0] < '0' || text[0] > '9') && std::ranges::all_of(text, is_word);
}

}  // namespace

bool HasGraph(const std::string& path) {
  if (path == "-") return false;
  const absl::StatusOr<const graph::ModelFormat*> format = graph::FormatOfFile(path);
  if (format.ok()) return *format != nullptr || IsBinary(path);
  // What cannot be read, or is empty: the name says who is to complain.
  return std::ranges::any_of(graph::ModelFormats(), [&](const graph::ModelFormat& each) {
    return std::ranges::any_of(each.suffixes,
                               [&](const char* suffix) { return path.ends_with(suffix); });
  });
}

bool ParseModelShape(std::string_view text, std::vector<graph::ModelExtent>* shape) {
  const char separator = text.find(',') == std::string_view::npos ? 'x' : ',';
  shape->clear();
  while (!text.empty()) {
    const size_t end = std::min(text.find(separator), text.size());
    graph::ModelExtent extent;
    if (!ReadExtent(text.substr(0, end), &extent)) return false;
    shape->push_back(std::move(extent));
    if (end == text.size()) break;
    text.remove_prefix(end + 1);
    if (text.empty() && separator == 'x') return false;
  }
  return true;
}

graph::ModelInputs InputShapesOf(const Arguments& arguments) {
  graph::ModelInputs inputs;
  for (const std::string& text : arguments.All("--input")) {
    const auto [name, value] = SplitPair("--input", text);
    const size_t colon = value.rfind(':');
    graph::ModelInput input;
    DataType dtype;
    bool good = ParseModelShape(std::string_view(value).substr(0, colon), &input.shape);
    if (colon != std::string::npos) {
      good = good && DataType::Parse(value.substr(colon + 1), &dtype);
      input.dtype = dtype;
    }
    if (!good) {
      throw UsageError(
          Diagnostic{.name = "cli-bad-value",
                     .message = "`--input " + text + "` has no shape",
                     .expected = "NAME=SHAPE or NAME=SHAPE:TYPE, as data=1x3x224x224:float32",
                     .found = "`" + value + "`",
                     .help = "extents that runs choose have names, and then commas stand between: "
                             "data=batch,3,224,224"});
    }
    inputs[name] = std::move(input);
  }
  return inputs;
}

absl::StatusOr<LoadedGraph> LoadGraphFile(const std::string& path, const Arguments& arguments) {
  return LoadGraphFile(path, arguments, InputShapesOf(arguments));
}

absl::StatusOr<LoadedGraph> LoadGraphFile(const std::string& path, const Arguments& arguments,
                                          const graph::ModelInputs& inputs) {
  LATHE_ASSIGN_OR_RETURN(
      graph::ModelFile model,
      graph::ImportModelFile(path, {.inputs = inputs, .function = arguments.Get("--function")}));
  if (const std::string type = arguments.Get("--products"); !type.empty())
    model.module = WithProducts(model.module, type);
  return LoadedGraph{std::move(model.module), std::move(model.function), std::move(model.outputs),
                     std::move(model.external_files)};
}

const Ref<const ir::GraphFunc>& FunctionOf(const LoadedGraph& loaded) {
  for (const Ref<const ir::GraphFunc>& func : loaded.module->functions) {
    if (func->name == loaded.function) return func;
  }
  LATHE_CHECK(false) << "ImportModelFile found it";
}

GraphBuild GraphBuildOf(const Arguments& arguments, Progress* progress) {
  std::vector<target::Target> targets;
  for (const std::string& text : arguments.All("--target"))
    targets.push_back(target::ParseTarget(text));
  graph::GraphTargets sorted = graph::SortTargets(targets);
  GraphBuild build{.host = std::move(sorted.host)};
  graph::GraphBuildOptions& options = build.options;
  options.devices = std::move(sorted.devices);
  const auto device = std::ranges::find_if(targets, driver::TakesKernels);
  options.main_device =
      device == targets.end() ? std::move(sorted.main_device) : device->schema->device;
  options.note = [progress](const std::string& text) {
    if (progress != nullptr) progress->Clear();
    std::fprintf(stderr, "note: %s\n", Printable(text).c_str());
  };
  if (progress != nullptr) {
    options.progress = [progress](size_t done, size_t total) {
      progress->Show("compiling " + std::to_string(done) + " of " + std::to_string(total) +
                     " kernels");
    };
  }
  options.opt_level = static_cast<int>(arguments.Integer("--opt-level", 2, 0, 3));
  options.cache = CacheOf(arguments);
  for (const std::string& option : arguments.All("--option")) {
    const auto [name, value] =
        SplitInteger("--option", option, "`lathe lower --list-options` lists the options");
    options.context.Set(name, value);
  }
  for (const std::string& pass : arguments.All("--disable")) {
    // `simplify` is a pass over graphs and a lowering pass: both are left out.
    if (IsGraphPass(pass)) {
      options.disabled.insert(pass);
    } else {
      RequirePass(pass);
    }
    options.context.disabled.insert(pass);
  }
  options.context.verify = arguments.Has("--verify");
  options.context.isolate = arguments.Has("--isolate");
  return build;
}

std::set<std::string> PrintAfterOf(const Arguments& arguments) {
  std::set<std::string> wanted;
  for (const std::string& name : arguments.All("--print-after")) {
    if (name != "all" && !IsGraphPass(name)) {
      std::vector<std::string> names{"all", "fuse"};
      for (const graph::GraphPass& pass : graph::GraphPasses()) names.emplace_back(pass.name);
      throw UsageError(Diagnostic{.name = "cli-unknown-pass",
                                  .message = "there is no pass over graphs `" + name + "`",
                                  .expected = NearOrAll(name, names),
                                  .found = "`" + name + "`",
                                  .help = "`all` prints the graph after each pass"});
    }
    wanted.insert(name);
  }
  return wanted;
}

std::map<std::string, int64_t> ExtentsOf(const Arguments& arguments) {
  std::map<std::string, int64_t> extents;
  for (const std::string& pair : arguments.All("--extent")) {
    const auto [name, value] = SplitInteger("--extent", pair, "for example --extent n=16");
    if (value < 0) {
      throw UsageError(Diagnostic{.name = "cli-bad-value",
                                  .message = "--extent " + pair,
                                  .expected = "NAME=VALUE with a value >= 0",
                                  .found = std::to_string(value),
                                  .help = "for example --extent n=16"});
    }
    extents[name] = value;
  }
  return extents;
}

}  // namespace lathe::cli
