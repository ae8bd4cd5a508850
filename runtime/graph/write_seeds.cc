// Writes inputs for the fuzzers of plans and of parameter files: what is sound in this version.
//
// usage: write_seeds plans|params FILE...
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "runtime/graph/params.h"
#include "runtime/graph/plan.h"
#include "runtime/graph/test_plans.h"
#include "runtime/init.h"

namespace lathe::runtime::graph {
namespace {

std::vector<std::string> Plans() {
  std::vector<std::string> out = {EncodePlan(PlanBuilder("").plan)};
  PlanBuilder b("main");
  const int32_t n = b.Extent(0, 0), two = b.Constant(2),
                twice = b.Size(PlanSize::Kind::kMul, n, two),
                half = b.Size(PlanSize::Kind::kFloorDiv, n, two);
  const int32_t x = b.Input("x", {n}), w = b.Weight("w", {two}), y = b.Arena({n, half}),
                z = b.Arena({twice}), folded = b.Alias(z, {two, n});
  b.plan.outputs = {x};
  out.push_back(EncodePlan(b.plan));
  b.Step("f", {x, w, y}, {{"n", n}});
  b.Step("g", {y, z}, {{"n", n}, {"m", twice}});
  b.plan.outputs = {folded, y};
  b.plan.constants_entry = "constants";
  const int32_t run = b.Run(), count = b.Arena({}, DataType::Int(64)),
                condition = b.Arena({}, DataType::Bool()), part = b.Prefix(z, {run});
  b.Step("c", {x, count});
  b.Bind(count, run);
  b.Step("k", {x, condition});
  b.If(condition, [&] { b.Copy(z, b.Arena({twice})); }, [&] { b.Step("f", {part, y}); });
  b.Loop(condition, [&] { b.Step("k", {x, condition}); }, [&] { b.Step("f", {y, z}); });
  const int32_t device = b.Device("opencl", 1), there = b.OnDevice(b.Arena({n}), device),
                back = b.Arena({n});
  b.Copy(x, there);
  b.Step("d", {there, b.OnDevice(b.Arena({n}), device)}, {{"n", n}});
  b.Copy(there, back);
  if (!CheckPlan(b.plan).ok()) std::abort();
  out.push_back(EncodePlan(b.plan));
  // Without the digest, which the fuzzer adds.
  const std::string whole = out.back();
  out.push_back(whole.substr(0, whole.size() - 16));
  return out;
}

std::vector<std::string> Params() {
  Initialize();
  const int8_t data[6] = {1, 2, 3, 4, 5, 6};
  const auto tensor = [&](std::vector<int64_t> shape, uint64_t bytes) {
    return Tensor::FromHost(data, bytes, shape, DataType::Int(8)).value();
  };
  const NamedTensor one[] = {{"w", tensor({2, 3}, 6)}};
  const NamedTensor three[] = {
      {"a", tensor({}, 1)}, {"b", tensor({0, 7}, 0)}, {"", tensor({4}, 4)}};
  const std::string all = EncodeParams(three).value();
  return {EncodeParams({}).value(), EncodeParams(one).value(), all, all.substr(0, 60)};
}

}  // namespace
}  // namespace lathe::runtime::graph

int main(int argc, char** argv) {
  using namespace lathe::runtime::graph;  // NOLINT(google-build-using-namespace)
  if (argc < 2) return 2;
  const std::vector<std::string> seeds = std::string(argv[1]) == "plans" ? Plans() : Params();
  if (static_cast<size_t>(argc) != seeds.size() + 2) return 2;
  for (int i = 2; i < argc; ++i)
    std::ofstream(argv[i], std::ios::binary) << seeds[static_cast<size_t>(i) - 2];
  return 0;
}
