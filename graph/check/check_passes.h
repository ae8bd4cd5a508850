// Checks each pass over a graph while it is compiled: the interpreter must say the same before and
// after.
//
//   PassCheck check(module, "main", {5}, 1);
//   options.after_pass = [&](std::string_view name, const auto& before, const auto& after) {
//     check.After(name, after);
//   };
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "graph/check/values.h"

namespace lathe::graph {

// One thread uses it.
class PassCheck {
 public:
  // Interprets the function of a typed module with random inputs, with these values for its sizes.
  // Throws what Interpret throws.
  PassCheck(ir::GraphModule module, const std::string& function, const std::vector<int64_t>& sizes,
            uint64_t seed);
  // Throws Error "graph-pass-differs" if what the pass made of the function gives another result.
  void After(std::string_view pass, const GraphFuncRef& after);
  int passes() const { return passes_; }  // that were checked

 private:
  const ir::GraphModule module_;
  GraphFuncRef func_;
  const uint64_t seed_;
  Values inputs_;
  Tensors expected_;
  int passes_ = 0;
};

// Values for the sizes of a function that its operators allow: those in `given` by name, for others
// the first numbers that work. Throws Error "graph-sizes" if there are none, or if `given` has a
// name that is no size.
std::vector<int64_t> ChooseSizes(const ir::GraphFunc& func,
                                 const std::map<std::string, int64_t>& given);

}  // namespace lathe::graph
