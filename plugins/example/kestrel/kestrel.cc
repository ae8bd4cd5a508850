// The Kestrel: an invented accelerator. A scalar unit runs the loops, a DMA engine moves 16 x 16
// tiles between the card's memory and two scratchpads, a matrix unit multiplies tiles. Simulated;
// the host reaches the card's memory by copies alone.
#include <sys/mman.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <mutex>

#include "plugins/sdk/ir.h"
#include "plugins/sdk/sdk.h"

using namespace lathe;
using Kind = ir::NodeKind;

[[noreturn]] void Refuse(const std::string& what, const char* name = "kestrel-unsupported") {
  throw sdk::Error(LATHE_UNIMPLEMENTED, name, "the Kestrel takes no " + what);
}

struct Card final : sdk::DeviceAPI {
  static constexpr size_t kPage = 4096;
  std::mutex busy;
  // The card's memory, open while a call of the driver's runs.
  struct Open {
    explicit Open(Card& card) : card(card), lock(card.busy) {
      card.Protect(PROT_READ | PROT_WRITE);
    }
    ~Open() { card.Protect(PROT_NONE); }
    Card& card;
    std::lock_guard<std::mutex> lock;
  };
  void Protect(int how) {
    for (const auto& [at, bytes] : memory) mprotect(at, bytes, how);
  }
  void* Alloc(int32_t id, const lathe_alloc_request& want) override {
    if (id != 0) Refuse("id but 0", "device-no-such-id");
    if (want.scope != std::string_view("global")) Refuse(want.scope, "device-no-such-scope");
    if (want.bytes > (uint64_t{1} << 32) || want.alignment > kPage)
      throw sdk::Error(LATHE_RESOURCE_EXHAUSTED, "device-out-of-memory", "the card has 4 GiB");
    const size_t bytes = (want.bytes + kPage - 1) / kPage * kPage;
    void* at = mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED)
      throw sdk::Error(LATHE_RESOURCE_EXHAUSTED, "device-out-of-memory", "the card is full");
    std::lock_guard lock(busy);
    memory[static_cast<char*>(at)] = bytes;
    return at;
  }
  void Free(int32_t, std::string_view, void* data) override {
    std::lock_guard lock(busy);
    const auto found = memory.find(static_cast<char*>(data));
    if (found == memory.end()) Refuse("memory of others");
    munmap(data, found->second);
    memory.erase(found);
  }
  void Copy(const DLTensor& from, DLTensor& to, void*) override {
    Open open(*this);
    if (sdk::NumBytes(from) != 0)
      std::memcpy(sdk::DataOf(to), sdk::DataOf(from), sdk::NumBytes(from));
  }
  std::map<char*, size_t> memory;
};
Card& card = *new Card;

struct Number {
  int64_t i = 0;
  double d = 0;
};
struct Pointer {
  char* at = nullptr;
  char* end = nullptr;
};

double Function(const std::string& op, double x) {
  static const std::map<std::string, double (*)(double)> table = {
      {"exp", std::exp},     {"exp2", std::exp2},
      {"log", std::log},     {"log2", std::log2},
      {"log10", std::log10}, {"log1p", std::log1p},
      {"expm1", std::expm1}, {"sqrt", std::sqrt},
      {"sin", std::sin},     {"cos", std::cos},
      {"tan", std::tan},     {"tanh", std::tanh},
      {"sinh", std::sinh},   {"cosh", std::cosh},
      {"asin", std::asin},   {"acos", std::acos},
      {"atan", std::atan},   {"asinh", std::asinh},
      {"acosh", std::acosh}, {"atanh", std::atanh},
      {"erf", std::erf},     {"floor", std::floor},
      {"ceil", std::ceil},   {"trunc", std::trunc},
      {"round", std::round}, {"nearbyint", std::nearbyint},
      {"abs", std::fabs}};
  if (op == "rsqrt") return 1 / std::sqrt(x);
  if (op == "exp10") return std::pow(10.0, x);
  if (op == "sigmoid") return 1 / (1 + std::exp(-x));
  const auto found = table.find(op);
  if (found == table.end()) Refuse("function `" + op + "`");
  return found->second(x);
}

int64_t Wrap(int64_t value, DataType type) {
  return type.bits() == 32 ? static_cast<int32_t>(value) : type.is_bool() ? (value != 0) : value;
}

// One call of a function: walks its loops.
class Run {
 public:
  Run(const ir::FuncNode& function, const sdk::Args& args) {
    args.Expect(static_cast<int32_t>(function.params.size()));
    for (int32_t i = 0; i < args.size(); ++i) {
      const auto* buffer = ir::As<ir::BufferNode>(function.params[static_cast<size_t>(i)]);
      if (buffer == nullptr) {
        const auto* var = ir::As<ir::VarNode>(function.params[static_cast<size_t>(i)]);
        vars_[var] = var->dtype.is_float() ? Number{0, args.Float(i)} : Number{args.Int(i), 0};
        continue;
      }
      const auto rank = static_cast<int64_t>(buffer->shape.size());
      const DLTensor& tensor = args.DeviceTensor(i, buffer->dtype.dl(), rank);
      for (int d = 0; d < rank; ++d) {
        const ir::Expr& extent = buffer->shape[static_cast<size_t>(d)];
        if (const auto* var = ir::As<ir::VarNode>(extent))
          vars_.try_emplace(var, Number{tensor.shape[d], 0});
        if (Eval(extent).i != tensor.shape[d])
          Refuse("tensor of another shape", "kestrel-wrong-shape");
      }
      char* data = sdk::DataOf(tensor);
      Bind(*buffer, {data, data + sdk::NumBytes(tensor)});
    }
    Exec(function.body);
    if (!queue_.empty()) Refuse("transfer that nobody waits for", "kestrel-dma-pending");
  }

 private:
  struct Bound {
    Pointer data;
    std::vector<int64_t> shape, strides;
    int64_t offset = 0;
  };
  struct Transfer {
    float* to;
    int64_t to_stride;
    const float* from;
    int64_t from_stride, tag;
  };

  void Bind(const ir::BufferNode& buffer, Pointer data) {
    Bound bound{data, {}, {}, buffer.elem_offset ? Eval(buffer.elem_offset).i : 0};
    for (const ir::Expr& extent : buffer.shape) bound.shape.push_back(Eval(extent).i);
    for (const ir::Expr& stride : buffer.strides) bound.strides.push_back(Eval(stride).i);
    if (bound.strides.empty()) {
      bound.strides.resize(bound.shape.size(), 1);
      for (size_t d = bound.shape.size(); d-- > 1;)
        bound.strides[d - 1] = bound.strides[d] * bound.shape[d];
    }
    buffers_[&buffer] = std::move(bound);
    pointers_[buffer.data.get()] = data;
  }
  char* At(const ir::Node* source, const std::vector<ir::Expr>& indices) {
    const auto* buffer = ir::As<ir::BufferNode>(source);
    if (buffer == nullptr) Refuse("load of no buffer");
    const Bound& bound = buffers_.at(buffer);
    int64_t at = bound.offset;
    for (size_t d = 0; d < indices.size(); ++d) {
      const int64_t index = Eval(indices[d]).i;
      if (index < 0 || index >= bound.shape.at(d))
        Refuse("index outside of `" + buffer->name + "`");
      at += index * bound.strides[d];
    }
    return In(bound.data, at * buffer->dtype.bytes(), buffer->dtype.bytes()).at;
  }
  static Pointer In(Pointer whole, int64_t offset, int64_t bytes) {
    if (offset < 0 || bytes > whole.end - whole.at - offset)
      Refuse("address outside of its memory");
    return {whole.at + offset, whole.end};
  }
  Pointer Address(const ir::NodeRef& node) {
    if (const auto* var = ir::As<ir::VarNode>(node)) return pointers_.at(var);
    const auto* call = ir::As<ir::Call>(node);
    if (call != nullptr && call->op == "address_of") {
      const auto* load = ir::As<ir::Load>(call->args[0]);
      char* at = At(load->source.get(), load->indices);
      return {at, buffers_.at(ir::As<ir::BufferNode>(load->source)).data.end};
    }
    if (call != nullptr && call->op == "access_ptr") {
      const auto* buffer = ir::As<ir::BufferNode>(call->args[0]);
      const Bound& bound = buffers_.at(buffer);
      const int64_t offset = bound.offset + Eval(call->arg(1)).i;
      return In(bound.data, offset * buffer->dtype.bytes(),
                Eval(call->arg(2)).i * buffer->dtype.bytes());
    }
    Refuse("such address");
  }
  // `count` floats from there on.
  float* Floats(const ir::NodeRef& node, int64_t count) {
    return reinterpret_cast<float*>(In(Address(node), 0, count * 4).at);
  }

  void Engine(const ir::Call& call) {
    if (call.op == "kestrel_dma_start") {
      const int64_t to = Eval(call.arg(1)).i, from = Eval(call.arg(3)).i;
      queue_.push_back({Floats(call.args[0], 15 * to + 16), to,
                        Floats(call.args[2], 15 * from + 16), from, Eval(call.arg(4)).i});
    } else if (call.op == "kestrel_dma_wait") {
      const int64_t tag = Eval(call.arg(0)).i;
      std::erase_if(queue_, [&](const Transfer& one) {
        for (int r = 0; r < 16 && one.tag == tag; ++r)
          std::memcpy(one.to + r * one.to_stride, one.from + r * one.from_stride, 64);
        return one.tag == tag;
      });
    } else if (call.op == "kestrel_mma16") {
      float *acc = Floats(call.args[0], 256), *a = Floats(call.args[1], 256),
            *b = Floats(call.args[2], 256);
      for (int i = 0; i < 256; ++i)
        for (int k = 0; k < 16; ++k) acc[i] += a[i / 16 * 16 + k] * b[k * 16 + i % 16];
    } else {
      Refuse("call of `" + call.op + "`");
    }
  }

  void Exec(const ir::Stmt& stmt) {
    if (++steps_ > (int64_t{1} << 28)) Refuse("program of this length");
    if (const auto* store = ir::As<ir::Store>(stmt)) {
      if (store->mask && Eval(store->mask).i == 0) return;
      const Number value = Eval(store->value);
      char* at = At(store->buffer.get(), store->indices);
      if (store->buffer->dtype.is_float()) {
        const auto x = static_cast<float>(value.d);
        std::memcpy(at, &x, 4);
      } else {
        std::memcpy(at, &value.i, static_cast<size_t>(store->buffer->dtype.bytes()));
      }
    } else if (const auto* loop = ir::As<ir::For>(stmt)) {
      const int64_t begin = Eval(loop->min).i, count = Eval(loop->extent).i;
      for (int64_t i = 0; i < count; ++i) vars_[loop->var.get()] = {begin + i, 0}, Exec(loop->body);
    } else if (const auto* seq = ir::As<ir::Seq>(stmt)) {
      for (const ir::Stmt& one : seq->stmts) Exec(one);
    } else if (const auto* branch = ir::As<ir::If>(stmt)) {
      if (Eval(branch->condition).i != 0) {
        Exec(branch->then_case);
      } else if (branch->else_case) {
        Exec(branch->else_case);
      }
    } else if (const auto* let = ir::As<ir::LetStmt>(stmt)) {
      vars_[let->var.get()] = Eval(let->value);
      Exec(let->body);
    } else if (const auto* eval = ir::As<ir::Evaluate>(stmt)) {
      if (const auto* call = ir::As<ir::Call>(eval->value)) Engine(*call);
    } else if (const auto* view = ir::As<ir::DeclBuffer>(stmt)) {
      Bind(*view->buffer, Address(view->data));
      Exec(view->body);
    } else if (const auto* memory = ir::As<ir::Allocate>(stmt)) {
      Allocate(*memory);
    } else if (const auto* note = ir::As<ir::Attr>(stmt)) {
      Exec(note->body);
    } else if (const auto* assertion = ir::As<ir::Assert>(stmt)) {
      if (Eval(assertion->condition).i == 0)
        throw sdk::Error(LATHE_INVALID_ARGUMENT, assertion->name, assertion->message);
    } else {
      Refuse("statement of kind " + std::to_string(static_cast<int>(stmt->node_kind())));
    }
  }

  void Allocate(const ir::Allocate& memory) {
    const ir::BufferNode& buffer = *memory.buffer;
    const std::map<std::string, int64_t> pads = {{"kestrel.buf", 65536}, {"kestrel.acc", 16384}};
    int64_t bytes = buffer.dtype.bytes();
    for (const ir::Expr& extent : buffer.shape) bytes *= Eval(extent).i;
    int64_t& used = used_[buffer.scope];
    const auto pad = pads.find(buffer.scope);
    if (pad != pads.end() && used + bytes > pad->second)
      throw sdk::Error(LATHE_RESOURCE_EXHAUSTED, "kestrel-scratchpad-full",
                       "`" + buffer.name + "` does not fit into " + buffer.scope);
    used += bytes;
    std::vector<char> space(static_cast<size_t>(bytes) + 64);
    Bind(buffer, {space.data(), space.data() + bytes});
    Exec(memory.body);
    used_[buffer.scope] -= bytes;
  }

  Number Eval(const ir::Expr& expr) {
    if (const auto* imm = ir::As<ir::IntImm>(expr)) return {imm->value, 0};
    if (const auto* imm = ir::As<ir::FloatImm>(expr)) return {0, imm->value};
    if (const auto* var = ir::As<ir::VarNode>(expr)) return vars_.at(var);
    const DataType type = expr->dtype;
    if (const auto* load = ir::As<ir::Load>(expr)) {
      if (load->mask && Eval(load->mask).i == 0) return {};
      const char* at = At(load->source.get(), load->indices);
      Number value;
      if (type.is_float()) {
        float x;
        std::memcpy(&x, at, 4);
        value.d = x;
      } else if (type.bytes() == 4) {
        int32_t x;
        std::memcpy(&x, at, 4);
        value.i = x;
      } else {
        value.i = *at;
      }
      return value;
    }
    if (const auto* select = ir::As<ir::Select>(expr))
      return Eval(Eval(select->condition).i != 0 ? select->true_value : select->false_value);
    if (const auto* let = ir::As<ir::Let>(expr)) {
      vars_[let->var.get()] = Eval(let->value);
      return Eval(let->body);
    }
    if (const auto* no = ir::As<ir::Not>(expr)) return {Eval(no->a).i == 0, 0};
    if (const auto* cast = ir::As<ir::Cast>(expr)) {
      const Number value = Eval(cast->value);
      const bool from_float = cast->value->dtype.is_float();
      if (type.is_float()) return {0, from_float ? value.d : static_cast<float>(value.i)};
      return {Wrap(from_float ? Saturate(value.d) : value.i, type), 0};
    }
    if (const auto* call = ir::As<ir::Call>(expr)) return Called(*call);
    return Binary(*expr);
  }
  static int64_t Saturate(double x) {
    if (x != x) return 0;
    return static_cast<int64_t>(std::max(-2147483648.0, std::min(2147483647.0, std::trunc(x))));
  }
  Number Called(const ir::Call& call) {
    if (call.op == "if_then_else") return Eval(call.arg(Eval(call.arg(0)).i != 0 ? 1 : 2));
    if (call.dtype.is_float() && call.args.size() == 1)
      return {0, static_cast<float>(Function(call.op, Eval(call.arg(0)).d))};
    if (call.dtype.is_float() && call.op == "pow")
      return {0, static_cast<float>(std::pow(Eval(call.arg(0)).d, Eval(call.arg(1)).d))};
    if (call.op == "likely") return Eval(call.arg(0));
    const int64_t a = Eval(call.arg(0)).i, b = call.args.size() > 1 ? Eval(call.arg(1)).i : 0;
    if (call.op == "bitwise_and") return {a & b, 0};
    if (call.op == "bitwise_or") return {a | b, 0};
    if (call.op == "bitwise_xor") return {a ^ b, 0};
    if (call.op == "bitwise_not") return {~a, 0};
    if (call.op == "shift_left")
      return {Wrap(static_cast<int64_t>(static_cast<uint64_t>(a) << (b & 31)), call.dtype), 0};
    if (call.op == "shift_right") return {a >> (b & 31), 0};
    if (call.op == "abs") return {Wrap(a < 0 ? -a : a, call.dtype), 0};
    Refuse("call of `" + call.op + "`");
  }
  Number Binary(const ir::ExprNode& expr) {
    const ir::Expr *left = nullptr, *right = nullptr;
    const Kind kind = expr.node_kind();
    // All have the same layout: two operands.
    const auto& two = static_cast<const ir::Add&>(expr);
    if (kind < Kind::kAdd || kind > Kind::kOr)
      Refuse("expression of kind " + std::to_string(static_cast<int>(kind)));
    left = &two.a;
    right = &two.b;
    const Number a = Eval(*left);
    if (kind == Kind::kAnd && a.i == 0) return {0, 0};
    if (kind == Kind::kOr && a.i != 0) return {1, 0};
    const Number b = Eval(*right);
    const bool floats = (*left)->dtype.is_float();
    const auto compare = [&](auto x, auto y) -> Number {
      switch (kind) {
        case Kind::kEQ:
          return {x == y, 0};
        case Kind::kNE:
          return {x != y, 0};
        case Kind::kLT:
          return {x < y, 0};
        case Kind::kLE:
          return {x <= y, 0};
        case Kind::kGT:
          return {x > y, 0};
        default:
          return {x >= y, 0};
      }
    };
    if (kind >= Kind::kEQ && kind <= Kind::kGE)
      return floats ? compare(a.d, b.d) : compare(a.i, b.i);
    if (kind == Kind::kAnd || kind == Kind::kOr) return {b.i != 0, 0};
    if (floats) {
      const auto x = static_cast<float>(a.d), y = static_cast<float>(b.d);
      switch (kind) {
        case Kind::kAdd:
          return {0, x + y};
        case Kind::kSub:
          return {0, x - y};
        case Kind::kMul:
          return {0, x * y};
        case Kind::kDiv:
          return {0, x / y};
        case Kind::kMin:
          return {0, x != x || y < x ? (x != x ? x : y) : (y != y ? y : x)};
        case Kind::kMax:
          return {0, x != x || y > x ? (x != x ? x : y) : (y != y ? y : x)};
        default:
          Refuse("such operation on floats");
      }
    }
    const bool divides = kind == Kind::kDiv || kind == Kind::kMod || kind == Kind::kFloorDiv ||
                         kind == Kind::kFloorMod;
    if (divides && b.i == 0)
      throw sdk::Error(LATHE_INVALID_ARGUMENT, "kestrel-division-by-zero", "a division by zero");
    const int64_t quotient = divides ? a.i / b.i : 0, rest = divides ? a.i % b.i : 0;
    const bool below = rest != 0 && (rest < 0) != (b.i < 0);
    switch (kind) {
      case Kind::kAdd:
        return {Wrap(a.i + b.i, expr.dtype), 0};
      case Kind::kSub:
        return {Wrap(a.i - b.i, expr.dtype), 0};
      case Kind::kMul:
        return {Wrap(a.i * b.i, expr.dtype), 0};
      case Kind::kDiv:
        return {Wrap(quotient, expr.dtype), 0};
      case Kind::kMod:
        return {rest, 0};
      case Kind::kFloorDiv:
        return {Wrap(quotient - below, expr.dtype), 0};
      case Kind::kFloorMod:
        return {below ? rest + b.i : rest, 0};
      case Kind::kMin:
        return {std::min(a.i, b.i), 0};
      case Kind::kMax:
        return {std::max(a.i, b.i), 0};
      default:
        Refuse("such operation");
    }
  }

  std::map<const ir::Node*, Number> vars_;
  std::map<const ir::Node*, Pointer> pointers_;
  std::map<const ir::BufferNode*, Bound> buffers_;
  std::map<std::string, int64_t> used_;
  std::vector<Transfer> queue_;
  int64_t steps_ = 0;
};

// The loops walk recursively: neither deep nor huge ones.
ir::Module Decode(std::string_view bytes) {
  ir::DecodeLimits limits;
  limits.max_depth = 300;
  limits.max_tree_size = 1 << 18;
  ir::Module module = ir::DecodeModule(bytes, limits);
  const auto check = [](DataType type) {
    const bool fine = type.is_void() || type.is_handle() || type.is_bool() ||
                      type == DataType::Float(32) || type == DataType::Int(32) ||
                      type == DataType::Int(64);  // strides of views
    if (!fine) Refuse("type " + type.ToString());
  };
  for (const ir::Func& function : module->functions) {
    ir::PreOrder(function, [&](const ir::Node& node) {
      if (ir::IsExpr(&node)) check(static_cast<const ir::ExprNode&>(node).dtype);
      const auto* loop = ir::As<ir::For>(&node);
      if (loop != nullptr &&
          (loop->for_kind == ir::ForKind::kVectorized || loop->for_kind == ir::ForKind::kThread))
        Refuse("loop of this kind");
      if (ir::As<ir::AllocConst>(&node) != nullptr) Refuse("constants");
      if (const auto* call = ir::As<ir::Call>(&node);
          call != nullptr && call->dtype.is_float() && call->args.size() == 1)
        Function(call->op, 1);
      return true;
    });
  }
  return module;
}

constexpr std::string_view kMagic = "KESTREL1";
int64_t Sum(std::string_view bytes) {
  uint64_t sum = 1469598103934665603ull;
  for (char c : bytes) sum = (sum ^ static_cast<unsigned char>(c)) * 1099511628211ull;
  return static_cast<int64_t>(sum);
}

struct Program final : sdk::ModuleNode {
  explicit Program(std::string_view saved) : bytes(saved) {
    sdk::Reader in(kMagic, saved);
    const int64_t sum = in.Int();
    const std::string ir = in.Text();
    if (sum != Sum(ir) || !in.done())
      throw sdk::Error(LATHE_INVALID_ARGUMENT, "module-damaged", "the program is damaged");
    module = Decode(ir);
  }
  sdk::Function GetFunction(std::string_view name) override {
    const ir::Func function = ir::FindFunc(module, name);
    if (!function) return nullptr;
    return [function](const sdk::Args& args) {
      Card::Open open(card);
      Run(*function, args);
      return sdk::Value();
    };
  }
  std::string Save() override { return bytes; }
  std::string Describe(std::string_view what) override {
    return what == "metadata" ? sdk::MetadataOf(module) : "";
  }
  std::string bytes;
  ir::Module module;
};

struct Compiler final : sdk::CodeGenerator {
  std::string Check(std::string_view ir, const sdk::Target&) override {
    try {
      Decode(ir);
      return "";
    } catch (const std::exception& error) {
      return error.what();
    }
  }
  sdk::CompileResult Compile(const sdk::CompileRequest& request) override {
    if (request.output != LATHE_OUTPUT_MODULE) UnsupportedOutput(request);
    Decode(request.ir);
    sdk::Writer out(kMagic);
    out.Int(Sum(request.ir));
    out.Text(request.ir);
    sdk::CompileResult result;
    result.output = out.Take();
    result.module_kind = "kestrel";
    return result;
  }
};

void sdk::RegisterPlugin(Plugin& plugin) {
  plugin.Device("kestrel", std::unique_ptr<DeviceAPI>(&card));
  plugin.Module("kestrel", [](std::string_view bytes) { return std::make_unique<Program>(bytes); });
  plugin.CodeGen("kestrel", std::make_unique<Compiler>());
}
