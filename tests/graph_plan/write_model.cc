// Writes a small graph as a file: y = relu(x * w) + b for any number of rows, with the weight named
// `w`.
//
// usage: write_model FILE.so|FILE.tar
#include <cstdio>
#include <string>

#include "base/blob.h"
#include "driver/build_module.h"
#include "driver/default_plugins.h"
#include "graph/build.h"
#include "runtime/graph/plan_module.h"
#include "target/host_target.h"

int main(int argc, char** argv) {
  using namespace lathe;  // NOLINT(google-build-using-namespace)
  if (argc != 2) return 2;
  driver::UseDefaultPlugins();
  if (!runtime::graph::RegisterGraph().ok()) return 1;
  const auto blob = [](const std::vector<float>& data) {
    return Blob::Copy({reinterpret_cast<const char*>(data.data()), data.size() * sizeof(float)});
  };
  graph::Builder b("main");
  const ir::Expr n = b.Size("n");
  const ir::GraphVar x = b.Input("x", DataType::Float(32), {n, graph::Int64(2)});
  const ir::GraphVar w = b.Constant("w", DataType::Float(32), {2}, blob({2, -1})),
                     bias = b.Constant("b", DataType::Float(32), {2}, blob({10, 20}));
  const ir::GraphVar scaled = b.Call("nn.relu", {b.Call("multiply", {x, w})});
  Ref<ir::GraphModuleNode> module = Make<ir::GraphModuleNode>();
  module->functions.push_back(b.Finish(b.Call("add", {scaled, bias})));
  const auto built = graph::BuildGraphModule(module, "main", target::HostTarget(), {}, "default");
  if (!built.ok()) {
    std::fprintf(stderr, "%s\n", built.status().ToString().c_str());
    return 1;
  }
  const absl::Status written = driver::ExportLibrary(*built, argv[1]);
  if (!written.ok()) std::fprintf(stderr, "%s\n", written.ToString().c_str());
  return written.ok() ? 0 : 1;
}
