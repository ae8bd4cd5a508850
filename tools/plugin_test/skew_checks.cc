// Hosts of other versions: older than any release, today's, and a future one.
#include <cstring>

#include "tools/plugin_test/library.h"

namespace lathe::kit {
namespace {

// Table members that no plugin of today knows.
struct FutureHost {
  lathe_host host;
  void* more[8];
};
const lathe_host* MakeFutureHost() {
  static FutureHost future;
  future.host = *KitHost();
  future.host.struct_size = sizeof(FutureHost);
  future.host.abi_minor = LATHE_ABI_MINOR + 7;
  future.host.version = "99.1.0";
  std::memset(future.more, 0x5a, sizeof(future.more));
  return &future.host;
}

absl::Status FutureHostIsServed(const Subject& subject) {
  absl::StatusOr<Library> library = Library::Open(subject, MakeFutureHost());
  return library.ok() ? library->Shutdown() : library.status();
}

// A table smaller than that of version 1.0. No such host ever existed.
absl::Status OlderHostIsRefused(const Subject& subject) {
  absl::StatusOr<lathe_plugin_query> query = OpenQuery(subject.path);
  if (!query.ok()) return query.status();
  static lathe_host old = *KitHost();
  old.struct_size = offsetof(lathe_host, make_function);
  return Require((*query)(&old) == nullptr, "it serves a host that lacks half of the table");
}

absl::Status NoHostIsRefused(const Subject& subject) {
  absl::StatusOr<lathe_plugin_query> query = OpenQuery(subject.path);
  if (!query.ok()) return query.status();
  return Require((*query)(nullptr) == nullptr, "it serves no host");
}

// A plugin must ignore what a future host adds to the end of its requests.
absl::Status LargerAllocRequest(const Subject& subject) {
  absl::StatusOr<Library> library = Library::Open(subject, MakeFutureHost());
  if (!library.ok()) return library.status();
  const lathe_device_api* device = library->device();
  if (device == nullptr) return NotApplicable("it has no device");
  int32_t count = 0;
  lathe_value error{};
  if (device->count(device->self, &count, &error) != 0) return Failed(TakeError(&error));
  if (count == 0) return NotApplicable("no device is here");
  struct {
    lathe_alloc_request request;
    uint64_t more[4];
  } larger{{sizeof(larger), "global", 256, 64, {kDLUInt, 8, 1}, 0, nullptr},
           {~0ull, ~0ull, ~0ull, ~0ull}};
  void* data = nullptr;
  if (device->alloc(device->self, 0, &larger.request, &data, &error) != 0)
    return Failed(TakeError(&error));
  if (device->free(device->self, 0, "global", data, &error) != 0) return Failed(TakeError(&error));
  return library->Shutdown();
}

// A plugin must not write beyond the end of a result of today's size.
absl::Status ResultsKeepTheirSize(const Subject& subject) {
  const std::string ir = SmallIr(subject);
  absl::StatusOr<Library> library = Library::Open(subject);
  if (!library.ok()) return library.status();
  const lathe_codegen_api* codegen = library->codegen();
  if (codegen == nullptr) return NotApplicable("it compiles nothing");
  const std::string target = TargetTextOf(subject);
  struct {
    lathe_compile_request request;
    uint64_t more[4];
  } larger{
      {sizeof(larger), {ir.data(), ir.size()}, target.c_str(), LATHE_OUTPUT_MODULE, 0, nullptr, ""},
      {~0ull, ~0ull, ~0ull, ~0ull}};
  struct {
    lathe_compile_result result;
    uint64_t behind;
  } made{{sizeof(lathe_compile_result), {}, {}, {}, 0, {}, {}}, 0x5a5a5a5a5a5a5a5a};
  lathe_value error{};
  if (codegen->compile(codegen->self, &larger.request, &made.result, &error) != 0)
    return Failed(TakeError(&error));
  for (lathe_value* value : {&made.result.output, &made.result.module_kind, &made.result.consumed,
                             &made.result.log, &made.result.times})
    Drop(value);
  KIT_RETURN_IF_ERROR(Require(made.behind == 0x5a5a5a5a5a5a5a5a, "it wrote behind the result"));
  return library->Shutdown();
}

}  // namespace

void AddSkewChecks(const Subject&, Checks* checks) {
  checks->push_back({"skew", "future-host", FutureHostIsServed});
  checks->push_back({"skew", "older-host", OlderHostIsRefused});
  checks->push_back({"skew", "no-host", NoHostIsRefused});
  checks->push_back({"skew", "larger-alloc-request", LargerAllocRequest});
  checks->push_back({"skew", "results-keep-their-size", ResultsKeepTheirSize});
}

}  // namespace lathe::kit
