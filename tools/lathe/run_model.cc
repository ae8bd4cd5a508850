#include "tools/lathe/run_model.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>
#include <optional>

#include "runtime/status.h"
#include "tools/lathe/files.h"
#include "tools/lathe/model_inputs.h"
#include "tools/lathe/npy.h"
#include "tools/lathe/numbers.h"
#include "tools/lathe/printable.h"

namespace lathe::cli {
namespace {

using runtime::MakeStatus;
using runtime::Tensor;
using runtime::graph::Context;
using runtime::graph::Plan;

constexpr uint64_t kMaxLabelBytes = uint64_t{64} << 20;

absl::StatusOr<size_t> FindOutput(const Plan& plan, const std::string& name) {
  std::vector<std::string> names;
  for (size_t i = 0; i < plan.outputs.size(); ++i) {
    names.push_back(OutputName(plan, i));
    if (names.back() == name) return i;
  }
  return MakeStatus(absl::StatusCode::kInvalidArgument, "run-no-such-output",
                    "the model has no output `" + name +
                        "`\n  expected: " + NearOrAll(name, names) + "\n  found: `" + name + "`");
}

// The file of each output that --out names; "" for others.
absl::StatusOr<std::vector<std::string>> FilesOf(const Arguments& arguments, const Plan& plan) {
  std::vector<std::string> files(plan.outputs.size());
  size_t next = 0;
  for (const std::string& text : arguments.All("--out")) {
    const size_t equals = text.find('=');
    if (equals != std::string::npos) {
      LATHE_ASSIGN_OR_RETURN(const size_t index, FindOutput(plan, text.substr(0, equals)));
      files[index] = text.substr(equals + 1);
    } else if (next < files.size()) {
      files[next++] = text;
    } else {
      return MakeStatus(absl::StatusCode::kInvalidArgument, "run-no-such-output",
                        "there is no output for `--out " + text + "`\n  expected: at most " +
                            std::to_string(files.size()) +
                            " outputs\n  help: name it, `--out NAME=FILE`");
    }
  }
  return files;
}

absl::StatusOr<std::vector<std::string>> ReadLabels(const std::string& path) {
  LATHE_ASSIGN_OR_RETURN(const std::string text, ReadInput(path, kMaxLabelBytes));
  std::vector<std::string> labels;
  std::string_view rest = text;
  while (!rest.empty()) {
    const size_t end = std::min(rest.find('\n'), rest.size());
    std::string_view line = rest.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    labels.emplace_back(line);
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return labels;
}

void Softmax(std::vector<double>* scores) {
  const double most = *std::ranges::max_element(*scores);
  double sum = 0;
  for (double& score : *scores) sum += score = std::exp(score - most);
  for (double& score : *scores) score /= sum;
}

// Are there as many labels as classes, if there are any?
absl::Status CheckLabels(const Arguments& arguments, const std::vector<std::string>& labels,
                         const std::string& name, int64_t classes) {
  if (!arguments.Has("--labels") || std::ssize(labels) == classes) return absl::OkStatus();
  return MakeStatus(absl::StatusCode::kInvalidArgument, "run-labels",
                    "the labels do not match the classes of `" + name +
                        "`\n  expected: " + std::to_string(classes) +
                        " lines, one for each class\n  found: " + std::to_string(labels.size()) +
                        " lines in `" + arguments.Get("--labels") +
                        "`\n  help: some lists have a line for `background`, or a heading");
}

absl::Status PrintTop(const Arguments& arguments, const std::string& name,
                      const std::vector<std::string>& labels, const Tensor& output) {
  const int64_t classes = output.rank() == 0 ? 1 : output.shape(output.rank() - 1);
  LATHE_ASSIGN_OR_RETURN(std::vector<double> scores, NumbersOf(output));
  if (classes < 1 || static_cast<size_t>(classes) != scores.size()) {
    return MakeStatus(absl::StatusCode::kInvalidArgument, "run-top",
                      "`" + name +
                          "` has no scores for --top\n  expected: one row of scores, a "
                          "number for each class\n  found: " +
                          output.ToString() + "\n  help: `--scores NAME` chooses another output");
  }
  LATHE_RETURN_IF_ERROR(CheckLabels(arguments, labels, name, classes));
  if (arguments.Has("--softmax")) Softmax(&scores);
  std::vector<size_t> order(scores.size());
  std::iota(order.begin(), order.end(), size_t{0});
  const auto count = std::min<size_t>(
      order.size(), static_cast<size_t>(arguments.Integer("--top", 5, 1, 1 << 20)));
  const auto key = [&](size_t i) { return std::isnan(scores[i]) ? -INFINITY : scores[i]; };
  std::sort(order.begin(), order.end(),
            [&](size_t a, size_t b) { return key(a) != key(b) ? key(a) > key(b) : a < b; });
  std::printf("%s:\n%6s %12s%s\n", Printable(name).c_str(), "class", "score",
              labels.empty() ? "" : "  label");
  for (size_t i = 0; i < count; ++i) {
    const size_t best = order[i];
    std::printf("%6zu %12.6g%s%s\n", best, scores[best], labels.empty() ? "" : "  ",
                labels.empty() ? "" : Printable(labels[best]).c_str());
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status RunModel(const Arguments& arguments, const Model& model) {
  if (arguments.positional().size() > 1 || arguments.Has("--time")) {
    throw UsageError(Diagnostic{
        .name = "cli-bad-value",
        .message = "`" + model.path + "` is a model: its inputs have names",
        .expected = "`--input NAME=VALUE` for each; `lathe bench` measures",
        .found = arguments.Has("--time") ? "--time" : "`" + arguments.positional()[1] + "`",
        .help = "`lathe help run` shows an example"});
  }
  const Plan& plan = model.plan();
  LATHE_ASSIGN_OR_RETURN(const WantedOutputs wanted, WantedOutputsOf(arguments, plan));
  LATHE_ASSIGN_OR_RETURN(const std::vector<Tensor> inputs,
                         InputsOf(arguments, plan, Missing::kError));
  Context context(model.executable);
  LATHE_ASSIGN_OR_RETURN(const std::vector<Tensor> outputs, context.RunOnce(inputs));
  return WriteOutputs(arguments, plan, wanted, outputs);
}

absl::StatusOr<WantedOutputs> WantedOutputsOf(const Arguments& arguments, const Plan& plan) {
  WantedOutputs wanted;
  LATHE_ASSIGN_OR_RETURN(wanted.files, FilesOf(arguments, plan));
  if (arguments.Has("--top")) {
    wanted.scores = 0;
    if (arguments.Has("--scores")) {
      LATHE_ASSIGN_OR_RETURN(wanted.scores, FindOutput(plan, arguments.Get("--scores")));
    }
    if (arguments.Has("--labels") && *wanted.scores < plan.outputs.size()) {
      LATHE_ASSIGN_OR_RETURN(wanted.labels, ReadLabels(arguments.Get("--labels")));
      const std::vector<int64_t> extents = ExtentsOf(plan, plan.outputs[*wanted.scores]);
      if (!extents.empty() && extents.back() >= 0) {
        LATHE_RETURN_IF_ERROR(CheckLabels(arguments, wanted.labels,
                                          OutputName(plan, *wanted.scores), extents.back()));
      }
    }
  }
  return wanted;
}

absl::Status WriteOutputs(const Arguments& arguments, const Plan& plan, const WantedOutputs& wanted,
                          const std::vector<Tensor>& outputs) {
  for (size_t i = 0; i < outputs.size(); ++i) {
    const std::string name = OutputName(plan, i);
    LATHE_ASSIGN_OR_RETURN(const Tensor output, outputs[i].To(runtime::Device()));
    if (!wanted.files[i].empty()) {
      LATHE_ASSIGN_OR_RETURN(const std::string bytes, EncodeNpy(output));
      LATHE_RETURN_IF_ERROR(WriteOutput(wanted.files[i], bytes));
    } else if (wanted.scores != i) {
      LATHE_ASSIGN_OR_RETURN(const std::string summary, Summary(output));
      std::printf("%s: %s\n", Printable(name).c_str(), summary.c_str());
    }
    if (wanted.scores == i) LATHE_RETURN_IF_ERROR(PrintTop(arguments, name, wanted.labels, output));
  }
  return absl::OkStatus();
}

}  // namespace lathe::cli
