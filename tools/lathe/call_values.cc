#include "tools/lathe/call_values.h"

#include <utility>
#include <vector>

#include "runtime/status.h"

namespace lathe::cli {

using driver::BisectArguments;
using runtime::Tensor;

absl::StatusOr<BisectArguments::Argument> ValueOf(std::string name, const Tensor& tensor) {
  BisectArguments::Argument argument;
  argument.name = std::move(name);
  argument.dtype = tensor.dtype();
  argument.shape.assign(tensor.shape().begin(), tensor.shape().end());
  argument.bytes.resize(tensor.num_bytes());
  LATHE_RETURN_IF_ERROR(tensor.CopyToHost(argument.bytes.data(), argument.bytes.size()));
  return argument;
}

absl::StatusOr<BisectArguments> ValuesOf(const Call& call) {
  BisectArguments out;
  for (size_t i = 0; i < call.values().size(); ++i) {
    BisectArguments::Argument argument;
    argument.name = call.function().arguments[i].name;
    const Tensor& tensor = call.tensors()[i];
    const lathe_value& value = call.values()[i].c();
    if (tensor) {
      LATHE_ASSIGN_OR_RETURN(argument, ValueOf(argument.name, tensor));
    } else if (value.kind == LATHE_VALUE_FLOAT) {
      argument.scalar = ir::InterpValue::Float(value.v_float);
    } else if (value.kind == LATHE_VALUE_BOOL) {
      argument.scalar = ir::InterpValue::Bool(value.v_int != 0);
    } else {
      argument.scalar = ir::InterpValue::Int(value.v_int);
    }
    out.arguments.push_back(std::move(argument));
  }
  return out;
}

absl::Status ClearOutputs(const Call& call, BisectArguments* values) {
  for (size_t i = 0; i < values->arguments.size(); ++i) {
    if (!call.IsOutput(i) || !call.tensors()[i]) continue;
    std::vector<char>& bytes = values->arguments[i].bytes;
    bytes.assign(bytes.size(), 0);
    LATHE_RETURN_IF_ERROR(call.tensors()[i].CopyFromHost(bytes.data(), bytes.size()));
  }
  return absl::OkStatus();
}

}  // namespace lathe::cli
