#include "graph/merge_compiled.h"

#include <algorithm>
#include <utility>

#include "driver/link/merge_objects.h"
#include "runtime/status.h"

namespace lathe::graph {

absl::StatusOr<driver::Compiled> MergeCompiled(driver::Compiled first, driver::Compiled second) {
  if (first.bytes.empty()) return second;
  if (second.bytes.empty()) return first;
  const runtime::ObjectBytes objects[] = {{"first", first.bytes}, {"second", second.bytes}};
  LATHE_ASSIGN_OR_RETURN(const Pieces merged, driver::MergeArtifacts(objects));
  driver::Compiled out = std::move(first);
  for (driver::SymbolConstant& constant : second.constants) {
    const bool is_new = std::ranges::none_of(
        out.constants, [&](const auto& other) { return other.symbol == constant.symbol; });
    if (is_new) out.constants.push_back(std::move(constant));
  }
  out.bytes = merged.Join();
  return out;
}

}  // namespace lathe::graph
