// One source for all plugins that misbehave: which way is chosen by a macro, EVIL_<CASE>. Without
// one it behaves, as far as the least that a plugin must do goes. Written against the C headers
// alone, as a vendor without the SDK would.
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <stdexcept>
#include <string>

#include "lathe/abi/codegen.h"
#include "lathe/abi/device.h"
#include "lathe/abi/module.h"
#include "lathe/abi/plugin.h"
#include "plugins/sdk/manifest.h"

namespace {

const lathe_host* g_host = nullptr;

// Keeps the compiler from proving what a case does.
volatile int g_zero = 0;

int Fail(const char* name, lathe_value* error) {
  return g_host->raise(LATHE_INTERNAL, name, "by intent", nullptr, nullptr, error);
}

int Init(const lathe_plugin_context*, lathe_value* error) {
#if defined(EVIL_INIT_FAILS)
  return Fail("evil-init", error);
#elif defined(EVIL_INIT_FAILS_SILENTLY)
  return -1;
#elif defined(EVIL_INIT_FAILS_WITH_RUBBISH)
  static lathe_error rubbish = {
      {1000, LATHE_OBJECT_ERROR, nullptr}, 99, nullptr, nullptr, nullptr, nullptr};
  error->kind = LATHE_VALUE_OBJECT;
  error->v_object = &rubbish.object;
  return -1;
#elif defined(EVIL_INIT_THROWS)
  throw std::runtime_error("evil-init throws");
#elif defined(EVIL_INIT_CRASHES)
  *reinterpret_cast<volatile int*>(static_cast<uintptr_t>(g_zero)) = 1;
#elif defined(EVIL_INIT_ABORTS)
  abort();
#elif defined(EVIL_INIT_EXITS)
  exit(0);
#elif defined(EVIL_INIT_HANGS)
  while (true) pause();
#elif defined(EVIL_PASSES)
  // Fails by what is around it, as EVIL_PASSES in the environment says.
  const char* around = getenv("EVIL_PASSES");
  const char mood = around == nullptr ? '\0' : around[0];
  if (mood == 'k') raise(SIGKILL);
  if (mood == 's') raise(SIGSTOP);
  if (mood == 'm') {
    void* volatile memory = malloc(size_t{1} << 30);
    if (memory == nullptr) return Fail("evil-memory", error);
    free(memory);
  }
#elif defined(EVIL_LEAKS)
  return g_host->alloc(4096, 64) == nullptr ? -1 : 0;
#endif
  static_cast<void>(error);
  return 0;
}

int Shutdown(lathe_value* error) {
#if defined(EVIL_SHUTDOWN_FAILS)
  return Fail("evil-shutdown", error);
#elif defined(EVIL_SHUTDOWN_CRASHES)
  *reinterpret_cast<volatile int*>(static_cast<uintptr_t>(g_zero)) = 1;
#elif defined(EVIL_SHUTDOWN_EXITS)
  exit(7);
#elif defined(EVIL_SHUTDOWN_HANGS)
  while (true) pause();
#elif defined(EVIL_SHUTDOWN_THROWS)
  throw std::runtime_error("evil-shutdown throws");
#endif
  static_cast<void>(error);
  return 0;
}

#if defined(EVIL_ANSWERS)
constexpr bool kEvilAnswers = true;
#else
constexpr bool kEvilAnswers = false;
#endif

int Count(void*, int32_t* count, lathe_value*) {
  *count = kEvilAnswers ? -5 : 1;
  return 0;
}
int Attribute(void*, int32_t, const char*, lathe_value*) { return kEvilAnswers ? -1 : 0; }
int Alloc(void*, int32_t, const lathe_alloc_request* request, void** data, lathe_value*) {
  *data = kEvilAnswers ? nullptr : malloc(request->bytes);
  return 0;
}
int Free(void*, int32_t, const char*, void* data, lathe_value*) {
  free(data);
  return 0;
}
int Copy(void*, const DLTensor*, DLTensor*, void*, lathe_value*) { return 0; }

[[maybe_unused]] int Probe(void*, const lathe_bytes* bytes, int32_t* verdict, lathe_value* reason) {
  const char first = bytes->size > 0 ? bytes->data[0] : '\0';
  if (first != 'o' && first != 'r') return 0;
  *verdict = first == 'o' ? LATHE_PROBE_RECOMPILE : LATHE_PROBE_REFUSE;
  return g_host->make_string("by intent", 9, reason);
}
int Load(void*, const lathe_bytes* bytes, void** module, lathe_value* error) {
  if (!kEvilAnswers) return Fail("evil-load", error);
  *module = bytes->size == 0 ? nullptr : const_cast<int*>(&g_zero);
  return 0;
}
// Something that is no function, no bytes and no text.
int GiveTwelve(lathe_value* result) {
  result->kind = LATHE_VALUE_INT;
  result->v_int = 12;
  return 0;
}
int GetFunction(void*, const char*, lathe_value* result) { return GiveTwelve(result); }
int Save(void*, lathe_value* result) { return GiveTwelve(result); }
void Drop(void*) {}

int Canonical(void*, const char* target, lathe_value* result) {
  const char* text =
      strstr(target, "canonical") != nullptr ? "evil_answers -what=ever" : "evil_answers";
  return g_host->make_string(text, strlen(text), result);
}
int Check(void*, const lathe_bytes*, const char*, int32_t* accepted, lathe_value*) {
  *accepted = 0;  // and no reason
  return 0;
}
#if defined(EVIL_COMPILES)
void* volatile g_kept = nullptr;

// As code without exceptions does.
void AllocateMoreThanThereIs() noexcept {
  const rlimit limit = {256 << 20, 256 << 20};
  setrlimit(RLIMIT_AS, &limit);
  while (true) g_kept = new char[16 << 20];
}

// What was asked for, as a text.
std::string Echo(const lathe_compile_request& request) {
  std::string text = request.options;
  for (uint32_t i = 0; i < request.num_constants; ++i) {
    const DLTensor& constant = *request.constants[i];
    int64_t bytes = constant.dtype.bits / 8;
    for (int32_t d = 0; d < constant.ndim; ++d) bytes *= constant.shape[d];
    const char* symbol =
        request.constant_symbols == nullptr ? nullptr : request.constant_symbols[i];
    text += std::to_string(bytes) + " bytes " + (symbol == nullptr ? "without" : symbol) + ": " +
            std::string(static_cast<const char*>(constant.data), static_cast<size_t>(bytes));
  }
  return text;
}

// Does what the IR says.
int Compile(void*, const lathe_compile_request* request, lathe_compile_result* result,
            lathe_value* error) {
  const std::string what(request->ir.data, request->ir.size);
  std::string output = "works " + Echo(*request);
  if (what.empty()) return 0;
  if (what == "fails") return Fail("evil-compile", error);
  if (what == "who") output = std::to_string(getpid());
  if (what == "crash") *reinterpret_cast<volatile int*>(static_cast<uintptr_t>(g_zero)) = 1;
  if (what == "exit well") _exit(0);
  if (what == "killed") raise(SIGKILL);
  if (what == "allocate") AllocateMoreThanThereIs();
  if (what == "exit") {
    fputs("I leave\n", stderr);
    exit(3);
  }
  if (what == "abort of LLVM") {
    fputs("LLVM ERROR: out of memory\nAllocation failed\n", stderr);
    abort();
  }
  if (what.rfind("hang ", 0) == 0) {
    FILE* file = fopen(what.c_str() + 5, "we");
    fprintf(file, "%d\n", getpid());
    fclose(file);
    while (true) pause();
  }
  g_host->make_bytes(output.data(), output.size(), &result->output);
  g_host->make_string("evil", 4, &result->module_kind);
  g_host->make_string("a log", 5, &result->log);
  const lathe_stage_time times[] = {{"think", 0.5}, {"write", 0.25}};
  g_host->make_bytes(reinterpret_cast<const char*>(times), sizeof times - (what == "odd times"),
                     &result->times);
  const std::string held = request->num_constants == 2 ? std::string("\1\0", 2) : "";
  return g_host->make_bytes(held.data(), held.size(), &result->consumed);
}
#else
int Compile(void*, const lathe_compile_request* request, lathe_compile_result* result,
            lathe_value* error) {
  if (request->ir.size == 0) return 0;   // success, and no output
  if (request->ir.size == 1) return -1;  // failure, and no error
  static_cast<void>(error);
  g_host->make_bytes("bytes", 5, &result->output);
  if (request->ir.size == 2) return 0;  // no module kind
  g_host->make_string("evil", 4, &result->module_kind);
  g_host->make_bytes("123", 3, &result->consumed);  // there is no constant
  return 0;
}
#endif

const void* GetInterface(const char* id, const char*) {
#if defined(EVIL_NO_INTERFACE)
  return nullptr;
#elif defined(EVIL_INTERFACE_CRASHES)
  *reinterpret_cast<volatile int*>(static_cast<uintptr_t>(g_zero)) = 1;
#elif defined(EVIL_INTERFACE_THROWS)
  throw std::runtime_error("evil-interface throws");
#endif
  static lathe_device_api device = {sizeof(device), 0, nullptr, Count, Attribute, Alloc, Free};
  device.copy = Copy;
  static lathe_module_api module = {sizeof(module), 0,    nullptr, nullptr, Load,
                                    GetFunction,    Save, nullptr, Drop};
  static lathe_codegen_api codegen = {sizeof(codegen), 0,       nullptr, nullptr,
                                      nullptr,         Compile, nullptr};
#if defined(EVIL_NULL_COPY)
  device.copy = nullptr;
#elif defined(EVIL_SHORT_DEVICE)
  device.struct_size = offsetof(lathe_device_api, alloc);
#elif defined(EVIL_NULL_LOAD)
  module.load = nullptr;
#elif defined(EVIL_NULL_COMPILE)
  codegen.compile = nullptr;
#elif defined(EVIL_GIANT_DEVICE)
  device.struct_size = uint64_t{1} << 40;
#elif defined(EVIL_ANSWERS)
  codegen.canonical = Canonical;
  codegen.check = Check;
  module.probe = Probe;
#endif
  static_cast<void>(&Canonical);
  static_cast<void>(&Check);
  if (strcmp(id, LATHE_DEVICE_INTERFACE) == 0) return &device;
  if (strcmp(id, LATHE_MODULE_INTERFACE) == 0) return &module;
  return strcmp(id, LATHE_CODEGEN_INTERFACE) == 0 ? &codegen : nullptr;
}

[[maybe_unused]] lathe_plugin MakePlugin() {
  lathe_plugin plugin = {sizeof(plugin),
                         LATHE_ABI_MAJOR,
                         LATHE_ABI_MINOR,
                         "none",
                         lathe_plugin_manifest,
                         lathe_plugin_manifest_size,
                         Init,
                         Shutdown,
                         GetInterface};
#if defined(EVIL_TINY_SIZE)
  plugin.struct_size = 4;
#elif defined(EVIL_HUGE_SIZE)
  plugin.struct_size = ~uint64_t{0};
#elif defined(EVIL_SHORT_TABLE)
  plugin.struct_size = offsetof(lathe_plugin, shutdown);
#elif defined(EVIL_OLD_ABI)
  plugin.abi_major = 0;
#elif defined(EVIL_LIES_ABOUT_ABI)
  plugin.abi_major = 2;
#elif defined(EVIL_NULL_INIT)
  plugin.init = nullptr;
#elif defined(EVIL_NULL_VERSION)
  plugin.sdk_version = nullptr;
#elif defined(EVIL_OTHER_MANIFEST)
  plugin.manifest = "{}";
  plugin.manifest_size = 2;
#endif
  return plugin;
}

#if defined(EVIL_CONSTRUCTOR_EXITS)
__attribute__((constructor)) void Constructor() { _exit(0); }
#elif defined(EVIL_CONSTRUCTOR_CRASHES)
__attribute__((constructor)) void Constructor() {
  *reinterpret_cast<volatile int*>(static_cast<uintptr_t>(g_zero)) = 1;
}
#elif defined(EVIL_CONSTRUCTOR_HANGS)
__attribute__((constructor)) void Constructor() {
  while (true) pause();
}
#elif defined(EVIL_OPEN_SYMBOL)
extern "C" void evil_symbol_that_nobody_defines();
__attribute__((constructor)) void Constructor() { evil_symbol_that_nobody_defines(); }
#endif

}  // namespace

#if defined(EVIL_NO_ENTRY)
extern "C" LATHE_EXPORT const lathe_plugin* lathe_plugin_query_v0(const lathe_host* host) {
#else
extern "C" LATHE_EXPORT const lathe_plugin* lathe_plugin_query_v1(const lathe_host* host) {
#endif
  g_host = host;
#if defined(EVIL_QUERY_CRASHES)
  *reinterpret_cast<volatile int*>(static_cast<uintptr_t>(g_zero)) = 1;
#elif defined(EVIL_QUERY_EXITS)
  exit(0);
#elif defined(EVIL_QUERY_HANGS)
while (true) pause();
#elif defined(EVIL_QUERY_THROWS)
throw std::runtime_error("evil-query throws");
#endif
#if defined(EVIL_REFUSES)
  return nullptr;
#else
  static const lathe_plugin plugin = MakePlugin();
  return &plugin;
#endif
}
