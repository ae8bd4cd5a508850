// Tests the text form itself and the file-test driver: the files in testdata/ must print as they
// say.

#include "ir/module.h"
#include "tests/file_test/file_test.h"

int main(int argc, char** argv) {
  using lathe::ir::NodeRef;
  return lathe::tests::FileTestMain(
      argc, argv,
      {{"drop-functions",
        [](const NodeRef& node, const lathe::tests::FileTestOptions& options) -> NodeRef {
          const auto module = lathe::ir::RefAs<lathe::ir::ModuleNode>(node);
          std::vector<lathe::ir::Func> kept;
          for (const auto& func : module->functions) {
            if (auto it = options.find("keep"); it != options.end() && it->second == func->name) {
              kept.push_back(func);
            }
          }
          return lathe::ir::WithFunctions(module, kept);
        }}});
}
