#include "backends/llvm/test_kernel.h"

#include <cmath>
#include <cstring>

#include "base/float_formats.h"
#include "gtest/gtest.h"
#include "lathe/abi/kernel.h"
#include "runtime/artifact/elf_object.h"
#include "runtime/table.h"

namespace lathe::llvm_backend {

using ir::Expr;
using ir::Stmt;

Data::Data(DataType type, int64_t count)
    : dtype(type), elements(count), bytes(static_cast<size_t>(count * type.bytes())) {}

namespace {

uint64_t Bits(const Data& data, int64_t i) {
  uint64_t bits = 0;
  const auto size = static_cast<size_t>(data.dtype.bytes());
  std::memcpy(&bits, data.bytes.data() + static_cast<size_t>(i) * size, size);
  return bits;
}

}  // namespace

void Data::Set(int64_t i, double value) {
  const uint64_t bits = dtype.is_float() ? EncodeFloat(value, dtype)
                        : dtype.is_uint() && value >= 0x1p63
                            ? static_cast<uint64_t>(value)
                            : static_cast<uint64_t>(static_cast<int64_t>(value));
  const auto size = static_cast<size_t>(dtype.bytes());
  std::memcpy(bytes.data() + static_cast<size_t>(i) * size, &bits, size);
}

double Data::Get(int64_t i) const {
  const uint64_t bits = Bits(*this, i);
  if (dtype.is_float()) return DecodeFloat(bits, dtype);
  if (dtype.is_int()) {
    const int unused = 64 - 8 * dtype.bytes();
    return static_cast<double>(static_cast<int64_t>(bits << unused) >> unused);
  }
  return static_cast<double>(bits);
}

Expr Intrin(DataType dtype, const std::string& op, std::vector<ir::NodeRef> args) {
  return ir::MakeCall(dtype, op, std::move(args));
}

ir::Func MakeKernel(const KernelSpec& spec) {
  const DataType handle = DataType::Handle();
  const ir::Var self = ir::MakeVar("self", handle), args = ir::MakeVar("args", handle),
                n = ir::MakeVar("n"), ret = ir::MakeVar("ret", handle);
  Stmt body =
      ir::MakeSeq({spec.body, ir::MakeEvaluate(Intrin(DataType::Void(), "return", {ir::Int(0)}))});
  int64_t at = 0;
  for (const ir::Buffer& buffer : spec.buffers) {
    const ir::Var tensor = ir::MakeVar(buffer->name + "_tensor", handle);
    body = ir::MakeDeclBuffer(buffer, Intrin(handle, "tensor_field", {tensor, ir::String("data")}),
                              body);
    body = ir::MakeLetStmt(tensor, Intrin(handle, "arg_value", {args, ir::Int(at++)}), body);
  }
  for (const ir::Var& scalar : spec.scalars) {
    body = ir::MakeLetStmt(scalar, Intrin(scalar->dtype, "arg_value", {args, ir::Int(at++)}), body);
  }
  return ir::MakeFunc(spec.name, {self, args, n, ret}, body,
                      {{"calling_convention", ir::String("packed")}}, DataType::Int(32));
}

ir::Module MakeKernelModule(const KernelSpec& spec, std::vector<ir::Func> others) {
  others.insert(others.begin(), MakeKernel(spec));
  return ir::MakeModule(std::move(others), {{"metadata", ir::String("{}")}});
}

namespace {

struct Tensors {
  std::vector<DLTensor> tensors;
  std::vector<int64_t> shapes;
  explicit Tensors(const std::vector<Data*>& buffers)
      : tensors(buffers.size()), shapes(buffers.size()) {
    for (size_t i = 0; i < buffers.size(); ++i) {
      shapes[i] = buffers[i]->elements;
      tensors[i].data = buffers[i]->bytes.data();
      tensors[i].device = {kDLCPU, 0};
      tensors[i].ndim = 1;
      tensors[i].dtype = buffers[i]->dtype.dl();
      tensors[i].shape = &shapes[i];
    }
  }
};

}  // namespace

struct CompiledKernel::Image {
  std::unique_ptr<runtime::LoadedElf> elf;
  const lathe_artifact* artifact = nullptr;
  const lathe_artifact_function* Find(const std::string& name) const {
    for (uint64_t i = 0; i < artifact->num_functions; ++i) {
      if (artifact->functions[i].name == name) return &artifact->functions[i];
    }
    return nullptr;
  }
};

CompiledKernel::CompiledKernel(const ir::Module& module, const std::string& target,
                               const std::vector<Data>& constants)
    : image_(std::make_unique<Image>()) {
  std::vector<Data*> pointers;
  for (const Data& constant : constants) pointers.push_back(const_cast<Data*>(&constant));
  Tensors tensors(pointers);
  std::vector<const DLTensor*> table;
  for (const DLTensor& tensor : tensors.tensors) table.push_back(&tensor);
  const Compilation made = Compile(module, sdk::ParseTarget(target), {table}, Output::kObject);
  const runtime::ObjectBytes object{"kernel", made.output};
  auto loaded = runtime::LoadedElf::Load({&object, 1}, {});
  if (!loaded.ok()) throw std::runtime_error(std::string(loaded.status().message()));
  image_->elf = std::move(*loaded);
  image_->artifact = static_cast<const lathe_artifact*>(image_->elf->Find(LATHE_ARTIFACT_SYMBOL));
  *image_->artifact->table = runtime::RuntimeTable();
}

CompiledKernel::~CompiledKernel() = default;

bool CompiledKernel::Defines(const std::string& name) const {
  return image_->Find(name) != nullptr;
}

int CompiledKernel::Call(const std::string& name, std::vector<Data*> buffers,
                         const std::vector<ir::InterpValue>& scalars, std::string* error,
                         std::string* message) const {
  Tensors tensors(buffers);
  std::vector<lathe_value> args;
  for (DLTensor& tensor : tensors.tensors) {
    lathe_value value{LATHE_VALUE_DLTENSOR, 0, {}};
    value.v_dltensor = &tensor;
    args.push_back(value);
  }
  for (const ir::InterpValue& scalar : scalars) {
    lathe_value value{scalar.kind, 0, {}};
    if (scalar.kind == LATHE_VALUE_FLOAT)
      value.v_float = scalar.d;
    else
      value.v_int = scalar.i;
    args.push_back(value);
  }
  lathe_value ret{};
  const int status =
      image_->Find(name)->call(nullptr, args.data(), static_cast<int32_t>(args.size()), &ret);
  if (status != 0 && ret.kind == LATHE_VALUE_OBJECT) {
    const auto* said = reinterpret_cast<const lathe_error*>(ret.v_object);
    if (error != nullptr) *error = said->name;
    if (message != nullptr) *message = said->message;
    ret.v_object->drop(ret.v_object);
  }
  return status;
}

int64_t CountOf(const std::string& text, const std::string& what) {
  int64_t count = 0;
  for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++count;
  return count;
}

void Interpret(const ir::Module& module, const std::string& name, std::vector<Data*> buffers,
               const std::vector<ir::InterpValue>& scalars, const std::vector<Data>& constants) {
  ir::InterpretOptions options;
  options.check_initialized = false;
  for (const Data& constant : constants) {
    options.constants.push_back(ir::InterpTensor::Of(const_cast<uint8_t*>(constant.bytes.data()),
                                                     constant.dtype, {constant.elements}));
  }
  std::vector<ir::InterpValue> args;
  for (Data* buffer : buffers)
    args.push_back(ir::InterpTensor::Of(buffer->bytes.data(), buffer->dtype, {buffer->elements}));
  args.insert(args.end(), scalars.begin(), scalars.end());
  ir::Interpret(module, name, args, options);
}

void ExpectSame(const KernelSpec& spec, const std::vector<Data>& buffers, const std::string& target,
                double max_ulps, const std::vector<Data>& constants) {
  const ir::Module module = MakeKernelModule(spec);
  std::vector<Data> compiled = buffers, interpreted = buffers;
  std::vector<Data*> compiled_args, interpreted_args;
  for (Data& data : compiled) compiled_args.push_back(&data);
  for (Data& data : interpreted) interpreted_args.push_back(&data);
  ASSERT_EQ(CompiledKernel(module, target, constants).Call(spec.name, compiled_args), 0);
  Interpret(module, spec.name, interpreted_args, {}, constants);
  for (size_t k = 0; k < buffers.size(); ++k) {
    const Data &got = compiled[k], &want = interpreted[k];
    for (int64_t i = 0; i < got.elements; ++i) {
      if (got.dtype.is_scalar() && got.dtype.is_float()) {
        const double a = got.Get(i), b = want.Get(i);
        if (std::isnan(a) && std::isnan(b)) continue;
        const double ulp = std::ldexp(1.0, std::max(std::ilogb(b == 0 ? 0x1p-149 : b), -126) -
                                               (got.dtype.bits() == 64 ? 52 : 23));
        if (max_ulps > 0 && std::fabs(a - b) <= max_ulps * ulp) continue;
        ASSERT_EQ(Bits(got, i), Bits(want, i))
            << spec.buffers[k]->name << "[" << i << "]: compiled " << a << ", interpreted " << b;
      } else if (got.dtype.bytes() <= 8) {
        ASSERT_EQ(Bits(got, i), Bits(want, i)) << spec.buffers[k]->name << "[" << i << "]";
      }
    }
  }
}

}  // namespace lathe::llvm_backend
