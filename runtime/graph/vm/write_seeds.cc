// Writes inputs for the fuzzer of programs: what is sound in this version.
//
// usage: write_seeds FILE...
#include <fstream>
#include <string>
#include <vector>

#include "runtime/graph/test_plans.h"
#include "runtime/graph/vm/test_programs.h"

namespace lathe::runtime::vm {
namespace {

std::vector<std::string> Programs() {
  Program with_plan = TestProgram();
  graph::PlanBuilder b("p");
  const int32_t n = b.Extent(0, 0);
  const int32_t x = b.Input("x", {n}), y = b.Arena({n});
  b.Copy(x, y);
  b.plan.outputs = {y};
  with_plan.plans.push_back(b.plan);
  with_plan.functions.push_back(
      {"run", 1, 2, {Make1(Op::kRun, {0}, {1}, 0), Make1(Op::kReturn, {1}, {})}});
  const std::string whole = EncodeProgram(TestProgram());
  // Without the digest, which the fuzzer adds.
  return {EncodeProgram(Program()), whole, whole.substr(0, whole.size() - 16),
          EncodeProgram(with_plan)};
}

}  // namespace
}  // namespace lathe::runtime::vm

int main(int argc, char** argv) {
  const std::vector<std::string> seeds = lathe::runtime::vm::Programs();
  if (static_cast<size_t>(argc) != seeds.size() + 1) return 2;
  for (int i = 1; i < argc; ++i)
    std::ofstream(argv[i], std::ios::binary) << seeds[static_cast<size_t>(i) - 1];
  return 0;
}
