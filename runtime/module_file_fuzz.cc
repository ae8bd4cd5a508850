// Fuzzes module files: any bytes give a module or a status; a module that was read can be written
// again.
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/digest.h"
#include "base/error.h"
#include "runtime/module.h"
#include "runtime/registry.h"

namespace lathe::runtime {
namespace {

class Bytes : public ModuleNode {
 public:
  explicit Bytes(std::string bytes) : bytes_(std::move(bytes)) {}
  std::string_view kind() const override { return "n"; }
  Function GetFunction(std::string_view) override { return nullptr; }
  absl::StatusOr<std::string> Save() const override { return bytes_; }

 private:
  std::string bytes_;
};

void Try(const std::string& file) {
  const absl::StatusOr<Module> module = Module::Deserialize(file);
  if (!module.ok()) return;
  const std::string again = module->Serialize().value();
  LATHE_CHECK(Module::Deserialize(again)->Serialize().value() == again);
  LATHE_CHECK(!module->GetFunction("any").ok());
}

}  // namespace
}  // namespace lathe::runtime

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace lathe::runtime;  // NOLINT(google-build-using-namespace)
  static const bool registered =
      RegisterGlobal("module.load.n", Function::From([](const std::string& bytes) {
                       return Module(lathe::Make<Bytes>(bytes));
                     }))
          .ok();
  LATHE_CHECK(registered);
  std::string file(reinterpret_cast<const char*>(data), size);
  Try(file);
  // Without a correct digest at the end, changed inputs would be refused at once.
  const lathe::Digest digest = lathe::DigestOf(file);
  for (uint64_t half : {digest.low, digest.high})
    for (int i = 0; i < 8; ++i) file += static_cast<char>(half >> (8 * i));
  Try(file);
  return 0;
}
