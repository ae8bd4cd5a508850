// The Osprey: an invented accelerator of eight cores whose vendor has a compiler that takes C.
// Kernels over the axis osprey.core become C (plugins/sdk/c_source.h); the card is simulated by
// this machine's own C++ compiler ($OSPREY_CC, "c++") and a thread for each core.
#include <dlfcn.h>
#include <stdlib.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <mutex>

#include "plugins/sdk/c_source.h"
#include "plugins/sdk/ir.h"
#include "plugins/sdk/kernel.h"
#include "plugins/sdk/sdk.h"

using namespace lathe;
namespace fs = std::filesystem;

// --- The card's memory: the host could reach it, and does not. ---

struct Card final : sdk::DeviceAPI {
  uint64_t flags() const override { return LATHE_DEVICE_POINTER_ARITHMETIC; }
  void* Alloc(int32_t id, const lathe_alloc_request& want) override {
    if (id != 0)
      throw sdk::Error(LATHE_INVALID_ARGUMENT, "device-no-such-id", "there is one Osprey");
    if (want.scope != std::string_view("global"))
      throw sdk::Error(LATHE_INVALID_ARGUMENT, "device-no-such-scope",
                       "tensors lie in global memory, not in " + std::string(want.scope));
    void* data = nullptr;
    const uint64_t most = uint64_t{1} << 32, alignment = std::max<uint64_t>(want.alignment, 64);
    if (want.bytes > most ||
        posix_memalign(&data, alignment, std::max<uint64_t>(want.bytes, 1)) != 0)
      throw sdk::Error(LATHE_RESOURCE_EXHAUSTED, "device-out-of-memory", "the card has 4 GiB");
    return data;
  }
  void Free(int32_t, std::string_view, void* data) override { free(data); }
  void Copy(const DLTensor& from, DLTensor& to, void*) override {
    if (sdk::NumBytes(from) != 0)
      std::memcpy(sdk::DataOf(to), sdk::DataOf(from), sdk::NumBytes(from));
  }
};

// --- C of kernels. ---

class OspreyC final : public sdk::CDialect {
 public:
  std::string KernelHead(const sdk::CKernel& kernel,
                         const std::vector<std::string>& params) override {
    std::string out = "static void " + kernel.symbol + "(";
    for (const std::string& one : params) out += one + ", ";
    return out + "const int osprey_number, pthread_barrier_t* osprey_meet)";
  }
  std::string Parameter(const sdk::CParameter& p) override {
    if (!p.is_pointer) return "const " + MemoryType(p.dtype) + " " + p.name;
    return Pointer(p.scope, p.dtype, !p.is_written) + (p.noalias ? " __restrict " : " ") + p.name;
  }
  std::string ThreadIndex(const std::string&) override { return "osprey_number"; }
  std::string Barrier(const std::string& scope) override {
    if (scope != "shared") Unsupported("barrier of scope " + scope);
    return "pthread_barrier_wait(osprey_meet)";
  }
  std::string Array(const std::string& scope, DataType element, const std::string& name,
                    int64_t count, int64_t) override {
    if (scope != "local" && scope != "local.sram") Unsupported("memory of scope \"" + scope + "\"");
    return "alignas(64) " + MemoryType(element) + " " + name + "[" + std::to_string(count) + "];";
  }
  std::string Reinterpret(DataType to, DataType from, const std::string& x) override {
    return to == from ? x : "osprey_bits<" + Type(to) + ">(" + x + ")";
  }
  std::string Math(std::string_view op, DataType type,
                   const std::vector<std::string>& args) override {
    if (op == "popcount" || op == "clz") {
      const std::string bits = std::to_string(type.bits());
      return "osprey_" + std::string(op) + "<" + bits + ">((unsigned long long)" + args[0] + ")";
    }
    return CDialect::Math(op, type, args);
  }
  std::string Intrinsic(std::string_view op, DataType,
                        const std::vector<std::string>& args) override {
    return op == "osprey_dot32" ? "osprey_dot32(" + args[0] + ", " + args[1] + ", " + args[2] + ")"
                                : "";
  }
  // The generator names variables as the schedule does: after tensors, loops and axes.
  bool IsReserved(std::string_view name) override {
    return (name.starts_with("osprey_") && name != "osprey_core") || CDialect::IsReserved(name);
  }
  std::string UnrollPragma() override { return ""; }
  std::string Prelude() override {
    return R"(#include <math.h>
#include <pthread.h>
#include <string.h>
template <class To, class From> static inline To osprey_bits(From x) {
  static_assert(sizeof(To) == sizeof(From), "");
  To y;
  memcpy(&y, &x, sizeof(y));
  return y;
}
template <int bits> static inline int osprey_popcount(unsigned long long x) {
  return __builtin_popcountll(bits == 64 ? x : x & ((1ULL << (bits % 64)) - 1));
}
template <int bits> static inline int osprey_clz(unsigned long long x) {
  if (bits < 64) x &= (1ULL << (bits % 64)) - 1;
  return x == 0 ? bits : __builtin_clzll(x) - (64 - bits);
}
static inline void osprey_dot32(int* acc, const signed char* a, const signed char* b) {
  for (int k = 0; k < 32; ++k) *acc += a[k] * b[k];
}
struct osprey_task {
  const unsigned long long* values;
  int number;
  pthread_barrier_t* meet;
};
static inline void osprey_launch(void* (*core)(void*), const unsigned long long* values, int cores) {
  pthread_barrier_t meet;
  pthread_t threads[8];
  osprey_task tasks[8];
  pthread_barrier_init(&meet, 0, cores);
  for (int i = 0; i < cores; ++i) {
    tasks[i] = {values, i, &meet};
    if (i > 0) pthread_create(&threads[i], 0, core, &tasks[i]);
  }
  core(&tasks[0]);
  for (int i = 1; i < cores; ++i) pthread_join(threads[i], 0);
  pthread_barrier_destroy(&meet);
}
)";
  }
};

// What the card's firmware calls: the values of a launch (sdk::Launch), and how many cores there
// are.
std::string Entry(const sdk::CKernel& kernel, sdk::CDialect& dialect) {
  const std::string& name = kernel.symbol;
  std::string out = "static void* core_" + name + "(void* data) {\n" +
                    "  const osprey_task* task = (const osprey_task*)data;\n  " + name + "(";
  for (size_t i = 0; i < kernel.parameters.size(); ++i) {
    const sdk::CParameter& p = kernel.parameters[i];
    const std::string at = "task->values[" + std::to_string(i) + "]";
    out += p.is_pointer ? "(" + dialect.Pointer(p.scope, p.dtype, false) + ")" + at
                        : "*(const " + dialect.MemoryType(p.dtype) + "*)&" + at;
    out += ", ";
  }
  return out + "task->number, task->meet);\n  return 0;\n}\nextern \"C\" void launch_" + name +
         "(const unsigned long long* values, int cores) {\n  osprey_launch(core_" + name +
         ", values, cores);\n}\n";
}

constexpr const char* kMagic = "OSP1";

struct Compiler final : sdk::CodeGenerator {
  sdk::CompileResult Compile(const sdk::CompileRequest& request) override {
    if (request.output != LATHE_OUTPUT_MODULE && request.output != LATHE_OUTPUT_SOURCE)
      UnsupportedOutput(request);
    const ir::Module module = ir::DecodeModule(request.ir);
    OspreyC dialect;
    sdk::CSource source =
        sdk::GenerateC(*module, dialect, {request.constants, request.num_constants});
    for (const sdk::CKernel& kernel : source.kernels) source.text += Entry(kernel, dialect);
    sdk::CompileResult result;
    result.consumed.assign(request.num_constants, 1);
    if (request.output == LATHE_OUTPUT_SOURCE) return result.output = source.text, result;
    sdk::Writer out(kMagic);
    out.Text(sdk::MetadataOf(module));
    out.Text(source.text);
    out.Int(request.target.GetInt("optimize", 1));
    out.Int(static_cast<int64_t>(source.kernels.size()));
    for (size_t i = 0; i < source.kernels.size(); ++i) {
      sdk::WriteKernel(sdk::KernelOf(*module->functions[i]), &out);
      out.Text(source.kernels[i].symbol);
    }
    result.output = out.Take();
    result.module_kind = "osprey";
    return result;
  }
};

// --- Modules: compiled when first launched. ---

struct Program final : sdk::ModuleNode {
  explicit Program(std::string_view bytes) : saved(bytes) {
    sdk::Reader in(kMagic, bytes);
    metadata = in.Text();
    source = in.Text();
    optimize = in.Int();
    for (int64_t i = in.Int(); i > 0; --i) {
      sdk::Kernel kernel = sdk::ReadKernel(&in);
      std::string symbol = in.Text();
      kernels.emplace(kernel.name, std::make_pair(kernel, symbol));
    }
    if (!in.done())
      throw sdk::Error(LATHE_DATA_LOSS, "module-damaged", "bytes behind the last kernel");
  }
  ~Program() override {
    if (library != nullptr) dlclose(library);
  }
  std::string Save() override { return saved; }
  std::string Describe(std::string_view what) override {
    return what == "metadata" ? metadata : what == "source" ? source : "";
  }
  sdk::Function GetFunction(std::string_view name) override {
    const auto found = kernels.find(std::string(name));
    if (found == kernels.end()) return nullptr;
    return [this, entry = &found->second](const sdk::Args& args) {
      sdk::Launch launch;
      sdk::ReadLaunch(entry->first, args, sdk::DeviceTypeOf("osprey"), &launch);
      using Run = void (*)(const unsigned long long*, int);
      const auto run = reinterpret_cast<Run>(dlsym(Library(), ("launch_" + entry->second).c_str()));
      const std::vector<unsigned long long> values(launch.values.begin(), launch.values.end());
      run(values.data(), launch.extents.empty() ? 1 : static_cast<int>(launch.extents[0]));
      return sdk::Value();
    };
  }
  void* Library() {
    const std::lock_guard lock(mutex);
    if (library != nullptr) return library;
    std::string folder = fs::temp_directory_path() / "osprey-XXXXXX";
    if (mkdtemp(folder.data()) == nullptr)
      throw sdk::Error(LATHE_UNAVAILABLE, "osprey-no-folder", "no folder can be made: " + folder);
    std::ofstream(folder + "/k.cc") << source;
    const char* named = getenv("OSPREY_CC");
    const std::string command = std::string(named == nullptr ? "c++" : named) + " -O" +
                                std::to_string(optimize) +
                                " -w -pthread -ffp-contract=off -fPIC -shared -o " + folder +
                                "/k.so " + folder + "/k.cc 2> " + folder + "/log";
    const bool compiled = std::system(command.c_str()) == 0;
    std::string why;
    if (compiled &&
        (library = dlopen((folder + "/k.so").c_str(), RTLD_NOW | RTLD_LOCAL)) == nullptr)
      why = dlerror();
    if (!compiled) {
      std::ifstream log(folder + "/log");
      why.assign(std::istreambuf_iterator<char>(log), {});
    }
    fs::remove_all(folder);
    if (library == nullptr) throw sdk::Error(LATHE_INTERNAL, "osprey-build-failed", why);
    return library;
  }

  const std::string saved;
  std::string metadata, source;
  int64_t optimize = 1;
  std::map<std::string, std::pair<sdk::Kernel, std::string>> kernels;
  std::mutex mutex;
  void* library = nullptr;
};

void sdk::RegisterPlugin(Plugin& plugin) {
  plugin.Device("osprey", std::make_unique<Card>());
  plugin.Module("osprey", [](std::string_view bytes) { return std::make_unique<Program>(bytes); });
  plugin.CodeGen("osprey", std::make_unique<Compiler>());
}
