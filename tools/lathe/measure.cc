#include "tools/lathe/measure.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "runtime/status.h"
#include "tools/lathe/model_inputs.h"

namespace lathe::cli {

absl::StatusOr<Prepared> Prepare(const Arguments& arguments, std::vector<std::string>* notes) {
  UseThreads(arguments);
  Prepared out;
  LATHE_ASSIGN_OR_RETURN(const graph::ModelInputs shapes, ShapesGiven(arguments));
  LATHE_ASSIGN_OR_RETURN(out.model, LoadModel(arguments, shapes, notes));
  LATHE_ASSIGN_OR_RETURN(out.inputs, InputsOf(arguments, out.model.plan(), Missing::kRandom));
  out.context = std::make_unique<runtime::graph::Context>(out.model.executable);
  for (size_t i = 0; i < out.inputs.size(); ++i)
    LATHE_RETURN_IF_ERROR(out.context->SetInput(static_cast<int>(i), out.inputs[i]));
  return out;
}

double Percentile(const std::vector<double>& sorted, double part) {
  const auto rank = static_cast<int64_t>(std::ceil(part * static_cast<double>(sorted.size())));
  return sorted[static_cast<size_t>(std::clamp<int64_t>(rank - 1, 0, std::ssize(sorted) - 1))];
}

std::string TimeText(double seconds) {
  const double micros = seconds * 1e6;
  char text[32];
  if (micros < 1000) {
    std::snprintf(text, sizeof text, "%.4g us", micros);
  } else if (micros < 1e6) {
    std::snprintf(text, sizeof text, "%.4g ms", micros / 1e3);
  } else {
    std::snprintf(text, sizeof text, "%.4g s", micros / 1e6);
  }
  return text;
}

}  // namespace lathe::cli
