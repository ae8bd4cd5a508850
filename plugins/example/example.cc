// A whole vendor: a device whose memory the host cannot touch, its byte code, and a compiler to it.
#include <sys/mman.h>

#include <bit>
#include <cstring>
#include <map>
#include <mutex>

#include "plugins/sdk/ir.h"
#include "plugins/sdk/sdk.h"

using namespace lathe;
using Kind = ir::NodeKind;
[[noreturn]] void Refuse(const std::string& what, const char* name = "example-unsupported") {
  throw sdk::Error(LATHE_UNIMPLEMENTED, name, "the device takes no " + what);
}

struct Device final : sdk::DeviceAPI {
  std::recursive_mutex busy;  // held while memory is open: no call closes what another uses
  // A compact tensor's elements, while the result lives. Device memory is PROT_NONE otherwise.
  std::shared_ptr<char> Open(const DLTensor& tensor) {
    if (sdk::OnHost(tensor)) return {std::shared_ptr<char>(), sdk::DataOf(tensor)};
    const auto lock = std::make_shared<std::unique_lock<std::recursive_mutex>>(busy);
    const size_t bytes = tensor.byte_offset + sdk::NumBytes(tensor);
    if (mprotect(tensor.data, bytes, PROT_READ | PROT_WRITE) != 0) Refuse("memory of others");
    const auto close = [lock, bytes, base = tensor.data](char*) { mprotect(base, bytes, 0); };
    return {sdk::DataOf(tensor), close};
  }
  // Before each allocation lies a page of the driver's own, with its size.
  void* Alloc(int32_t id, const lathe_alloc_request& want) override {
    if (id != 0) Refuse("id but 0", "device-no-such-id");
    if (want.scope != std::string_view("global")) Refuse(want.scope, "device-no-such-scope");
    const size_t bytes = want.bytes + kPage;
    void* page = mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED || mprotect(page, kPage, PROT_READ | PROT_WRITE) != 0)
      throw sdk::Error(LATHE_RESOURCE_EXHAUSTED, "device-out-of-memory", "the device is full");
    std::memcpy(page, &bytes, sizeof(bytes));
    return static_cast<char*>(page) + kPage;
  }
  void Free(int32_t, std::string_view, void* data) override {
    void* page = static_cast<char*>(data) - kPage;
    munmap(page, *static_cast<size_t*>(page));
  }
  void Copy(const DLTensor& from, DLTensor& to, void*) override {
    std::memcpy(Open(to).get(), Open(from).get(), sdk::NumBytes(from));
  }
  static constexpr size_t kPage = 4096;
};
Device& device = *new Device;

double Arithmetic(Kind kind, double a, double b) {
  if (kind == Kind::kAdd) return a + b;
  if (kind == Kind::kSub) return a - b;
  if (kind == Kind::kMul) return a * b;
  if (kind == Kind::kMax) return a != a || b > a ? b : a;
  Refuse("operation " + std::to_string(static_cast<int>(kind)));
}

// Runs code: IR in prefix order, two words a node: its kind, and an operand (see Compile).
struct Machine {
  const sdk::Words& code;
  size_t at = 0;
  bool dry = false;  // in the body of a loop that does not run
  float scratch = 0;
  std::map<int64_t, double> vars = {};
  std::map<int64_t, std::pair<const DLTensor*, std::shared_ptr<char>>> tensors = {};
  float& Element(int64_t name) {
    const auto& [tensor, data] = tensors.at(name);
    int64_t offset = 0;
    for (int d = 0; d < tensor->ndim; ++d) {
      const double index = Eval();
      if (!dry && !(index >= 0 && index < tensor->shape[d])) Refuse("index outside its tensor");
      offset = offset * tensor->shape[d] + static_cast<int64_t>(index);
    }
    return dry ? scratch : reinterpret_cast<float*>(data.get())[offset];
  }
  double Eval() {
    const Kind kind = static_cast<Kind>(code.at(at++));
    const int64_t operand = code.at(at++);
    if (kind == Kind::kIntImm || kind == Kind::kFloatImm) return std::bit_cast<double>(operand);
    if (kind == Kind::kVarNode) return vars[operand];
    if (kind == Kind::kLoad) return Element(operand);
    for (int64_t i = 0; kind == Kind::kSeq && i < operand; ++i) Eval();
    if (kind == Kind::kSeq) return 0;
    const double a = Eval();
    if (kind == Kind::kStore) return Element(operand) = static_cast<float>(a);
    const double b = Eval();
    if (kind == Kind::kFor) {  // from a, b times: the variable's node, the body
      const bool was_dry = std::exchange(dry, dry || b <= 0);
      const size_t body = at + 2;
      for (double i = 0; i < (dry ? 1 : b); ++i) vars[code.at((at = body) - 1)] = a + i, Eval();
      return dry = was_dry;
    }
    return operand ? static_cast<float>(Arithmetic(kind, a, b)) : Arithmetic(kind, a, b);
  }
};

// A function is its parameters (name, rank, each extent's node), then its body.
sdk::Value Run(const sdk::Words& code, const sdk::Args& args) {
  if (code.size() > 8192) Refuse("function of this size");  // which also bounds recursion
  Machine machine{code};
  args.Expect(code.at(machine.at++));
  for (int32_t i = 0; i < args.size(); ++i) {
    const int64_t name = code.at(machine.at++), rank = code.at(machine.at++);
    const DLTensor& tensor = args.DeviceTensor(i, {kDLFloat, 32, 1}, rank);
    for (int d = 0; d < rank; ++d) {  // the first use of a variable binds it
      const int64_t kind = code.at(machine.at), var = code.at(machine.at + 1);
      if (Kind(kind) == Kind::kVarNode) machine.vars.try_emplace(var, tensor.shape[d]);
      if (machine.Eval() != tensor.shape[d]) Refuse("tensor of another shape");
    }
    machine.tensors[name] = {&tensor, device.Open(tensor)};
  }
  return machine.Eval(), sdk::Value();
}

sdk::Words Compile(const ir::FuncNode& function) {
  sdk::Words code = {static_cast<int64_t>(function.params.size())};
  std::map<const ir::Node*, int64_t> names;
  const auto name = [&](auto* n) { return names.try_emplace(n, names.size()).first->second; };
  const auto operand = [&](const ir::Node& node) -> int64_t {
    const auto* expr = ir::IsExpr(&node) ? static_cast<const ir::ExprNode*>(&node) : nullptr;
    const bool is_float = expr && expr->dtype == DataType::Float(32);
    if (expr && !is_float && expr->dtype != DataType::Int(32)) Refuse(expr->dtype.ToString());
    if (auto* imm = ir::As<ir::IntImm>(expr)) return std::bit_cast<int64_t>(1.0 * imm->value);
    if (auto* imm = ir::As<ir::FloatImm>(expr)) return std::bit_cast<int64_t>(imm->value);
    if (auto* load = ir::As<ir::Load>(expr)) return name(load->source.get());
    if (auto* store = ir::As<ir::Store>(&node)) return name(store->buffer.get());
    if (auto* seq = ir::As<ir::Seq>(&node)) return seq->stmts.size();
    if (auto* loop = ir::As<ir::For>(&node); loop && loop->annotations.empty()) return 0;
    if (ir::As<ir::VarNode>(expr)) return name(expr);
    return Arithmetic(node.node_kind(), 1, 1), is_float;  // refuses what the device cannot do
  };
  const auto emit = [&](const ir::Node& n) {
    return code.insert(code.end(), {static_cast<int64_t>(n.node_kind()), operand(n)}), true;
  };
  for (const ir::NodeRef& param : function.params) {
    const auto* buffer = ir::As<ir::BufferNode>(param);
    if (!buffer || buffer->dtype != DataType::Float(32)) Refuse("such parameter");
    code.insert(code.end(), {name(buffer), static_cast<int64_t>(buffer->shape.size())});
    for (const ir::Expr& extent : buffer->shape) ir::PreOrder(extent, emit, ir::Sharing::kEachUse);
  }
  ir::PreOrder(function.body, emit, ir::Sharing::kEachUse);
  return code;
}

void sdk::RegisterPlugin(Plugin& plugin) {
  plugin.Device("example", std::unique_ptr<DeviceAPI>(&device));
  plugin.Module("example", WordModuleLoader("EXB1", Run));
  plugin.CodeGen("example", WordCodeGenerator("EXB1", "example", Compile));
}
