#include "plugins/threads_example/program.h"

#include <map>
#include <mutex>
#include <utility>

#include "ir/interpreter/interpreter.h"
#include "ir/intrinsic_names.h"
#include "ir/names.h"
#include "ir/text/printer.h"
#include "lathe/abi/names.h"

namespace lathe::threads_example {
namespace {

using sdk::Kernel;

constexpr std::string_view kMagic = "THR1";

struct Constant {
  DLDataType dtype;
  std::vector<int64_t> shape;
  std::string bytes;
};

// What a launch of `kernel` calls: a packed function that hands its arguments on, so that the
// interpreter checks the extents too.
ir::Func Launcher(const Kernel& kernel) {
  const ir::Var self = ir::MakeVar("self", DataType::Handle()),
                args = ir::MakeVar("args", DataType::Handle()), n = ir::MakeVar("n"),
                ret = ir::MakeVar("ret", DataType::Handle()), status = ir::MakeVar("status");
  const ir::Expr cache = ir::MakeCall(DataType::Handle(), ir::intrinsic::kCallSiteCache, {});
  const ir::Expr call = ir::MakeCall(
      DataType::Int(32), ir::intrinsic::kRuntimeCall,
      {ir::String(ir::runtime_entry::kCallPacked), ir::String(kernel.name), cache, args, n, ret});
  return ir::MakeFunc("launch " + kernel.name, {self, args, n, ret},
                      ir::MakeLetStmt(status, call,
                                      ir::MakeEvaluate(ir::MakeCall(
                                          DataType::Void(), ir::intrinsic::kReturn, {status}))),
                      {{ir::func_attr::kCallingConvention, ir::String(ir::convention::kPacked)}},
                      DataType::Int(32));
}

class Program final : public sdk::ModuleNode {
 public:
  Program(std::string bytes, Device* device) : bytes_(std::move(bytes)), device_(device) {
    sdk::Reader in(kMagic, bytes_);
    code_ = ir::DecodeModule(in.Text());
    metadata_ = sdk::MetadataOf(code_);
    std::vector<ir::Func> functions = code_->functions;
    for (int64_t i = in.Int(); i > 0; --i) {
      Kernel kernel = sdk::ReadKernel(&in);
      functions.push_back(Launcher(kernel));
      const std::string name = kernel.name;
      kernels_[name] = std::move(kernel);
    }
    for (int64_t i = in.Int(); i > 0; --i) {
      Constant& constant = constants_.emplace_back();
      constant.dtype.code = static_cast<uint8_t>(in.Int());
      constant.dtype.bits = static_cast<uint8_t>(in.Int());
      constant.dtype.lanes = static_cast<uint16_t>(in.Int());
      constant.shape = in.Ints();
      constant.bytes = in.Text();
    }
    ir::InterpretOptions options;
    for (Constant& constant : constants_)
      options.constants.push_back(
          ir::InterpTensor::Of(constant.bytes.data(), DataType(constant.dtype), constant.shape));
    interpreter_ = std::make_unique<ir::Interpreter>(ir::MakeModule(std::move(functions)), options);
  }

  sdk::Function GetFunction(std::string_view name) override {
    const auto found = kernels_.find(std::string(name));
    if (found == kernels_.end()) return nullptr;
    return [this, &kernel = found->second](const sdk::Args& args) {
      Run(kernel, args);
      return sdk::Value();
    };
  }
  std::string Save() override { return bytes_; }
  std::string Describe(std::string_view what) override {
    if (what == LATHE_DESCRIBE_METADATA) return metadata_;
    if (what == LATHE_DESCRIBE_FORMATS) return "source";
    return what == LATHE_DESCRIBE_SOURCE ? ir::ToText(code_) : "";
  }

 private:
  void Run(const Kernel& kernel, const sdk::Args& args) {
    sdk::Launch launch;
    sdk::ReadLaunch(kernel, args, sdk::DeviceTypeOf("threads"), &launch);
    const int32_t id = launch.device_id >= 0 ? launch.device_id : Device::current();
    std::lock_guard lock(one_at_a_time_);
    Device::Session session(device_);
    std::vector<ir::InterpValue> values;
    for (size_t i = 0; i < kernel.params.size(); ++i) {
      const DataType dtype(kernel.params[i].dtype);
      const uint64_t raw = launch.values[i];
      if (!kernel.params[i].is_pointer()) {
        const lathe_value& scalar = args[static_cast<int32_t>(i)];
        values.push_back(scalar.kind == LATHE_VALUE_FLOAT ? ir::InterpValue::Float(scalar.v_float)
                                                          : ir::InterpValue::Int(scalar.v_int));
        continue;
      }
      if (raw == 0) {
        values.emplace_back();
        continue;
      }
      const auto* pointer = reinterpret_cast<const char*>(static_cast<uintptr_t>(raw));
      const Device::Memory memory = session.Open(pointer);
      if (memory.id != id) {
        throw sdk::Error(LATHE_INVALID_ARGUMENT, "threads-wrong-device",
                         "`" + kernel.params[i].name + "` is memory of device " +
                             std::to_string(memory.id) + ", and device " + std::to_string(id) +
                             " is current");
      }
      ir::InterpTensor view = ir::InterpTensor::Of(memory.begin, DataType::UInt(8),
                                                   {static_cast<int64_t>(memory.bytes)});
      view.byte_offset = static_cast<uint64_t>(pointer - memory.begin);
      values.emplace_back(std::move(view));
    }
    for (int64_t extent : launch.extents) values.push_back(ir::InterpValue::Int(extent));
    values.push_back(ir::InterpValue::Int(launch.dynamic_shared_bytes));
    device_->CountLaunch(id, launch.stream);
    interpreter_->Call("launch " + kernel.name, values);
  }
  const std::string bytes_;
  Device* const device_;
  ir::Module code_;
  std::string metadata_;
  std::map<std::string, Kernel> kernels_;
  std::vector<Constant> constants_;
  std::mutex one_at_a_time_;  // an interpreter is for one thread
  std::unique_ptr<ir::Interpreter> interpreter_;
};

}  // namespace

std::string SaveProgram(const sdk::CompileRequest& request) {
  const ir::Module module = ir::DecodeModule(request.ir);
  sdk::Writer out(kMagic);
  out.Text(request.ir);
  out.Int(static_cast<int64_t>(module->functions.size()));
  for (const ir::Func& function : module->functions)
    sdk::WriteKernel(sdk::KernelOf(*function), &out);
  out.Int(request.num_constants);
  for (uint32_t i = 0; i < request.num_constants; ++i) {
    const DLTensor& tensor = *request.constants[i];
    out.Int(tensor.dtype.code);
    out.Int(tensor.dtype.bits);
    out.Int(tensor.dtype.lanes);
    out.Ints({tensor.shape, tensor.shape + tensor.ndim});
    out.Text({sdk::DataOf(tensor), sdk::NumBytes(tensor)});
  }
  return out.Take();
}

std::unique_ptr<sdk::ModuleNode> LoadProgram(std::string_view bytes, Device* device) {
  return std::make_unique<Program>(std::string(bytes), device);
}

}  // namespace lathe::threads_example
