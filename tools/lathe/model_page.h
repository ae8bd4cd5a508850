// A compiled model as one page of HTML that needs nothing else: its graph, the groups and their
// kernels, tensors and layouts, memory over time, and times of a profile.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "tools/lathe/model.h"

namespace lathe::cli {

struct ModelPage {
  std::string title;
  // The shapes of the inputs, all extents given.
  std::vector<std::vector<int64_t>> shapes;
  std::vector<double> seconds;     // of each step; empty: not measured
  std::vector<std::string> notes;  // of the compiler: why which layouts were chosen
  std::string target;
};

// Fails as PlacesOf does.
absl::StatusOr<std::string> ToHtml(const Model& model, const ModelPage& page);

// "nn.conv2d + nn.relu": the operators of a step, for people.
std::string StepText(const runtime::graph::PlanStep& step);

}  // namespace lathe::cli
