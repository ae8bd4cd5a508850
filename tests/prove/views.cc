#include "tests/prove/views.h"

#include <algorithm>
#include <cstring>
#include <unordered_set>

#include "base/float_formats.h"
#include "ir/rewrite.h"
#include "ir/walk.h"

namespace lathe::prove {
namespace {

constexpr int64_t kAlignment = 64;

void Fill(Argument& argument, size_t bytes, Random& random) {
  argument.memory.assign(bytes / kAlignment + 2, {});
  char* at = argument.data();
  const DataType type = argument.dtype;
  for (size_t i = 0; i + static_cast<size_t>(type.bytes()) <= bytes;
       i += static_cast<size_t>(type.bytes())) {
    int64_t value = static_cast<int64_t>(random.Below(9)) - 4;
    if (type.is_bool()) value &= 1;
    if (type.is_uint()) value = value < 0 ? -value : value;
    const uint64_t bits = type.is_float() ? EncodeFloat(static_cast<double>(value), type)
                                          : static_cast<uint64_t>(value);
    std::memcpy(at + i, &bits, static_cast<size_t>(type.bytes()));
  }
}

std::vector<int64_t> Compact(const std::vector<int64_t>& shape) {
  std::vector<int64_t> strides(shape.size());
  int64_t stride = 1;
  for (size_t d = shape.size(); d-- > 0;) {
    strides[d] = stride;
    stride *= shape[d];
  }
  return strides;
}

// Buffers whose address is taken: other code than their loads and stores depends on their layout.
std::unordered_set<const ir::Node*> AddressedBuffers(const ir::Func& func) {
  std::unordered_set<const ir::Node*> found;
  ir::ForEach<ir::Call>(func, [&](const ir::Call& call) {
    if (call.op != "address_of") return;
    for (const ir::NodeRef& arg : call.args) {
      if (const auto* load = ir::As<ir::Load>(arg)) found.insert(load->source.get());
    }
  });
  return found;
}

void ChooseLayout(Argument& argument, bool input, Random& random) {
  const size_t rank = argument.shape.size();
  const int64_t item = argument.dtype.bytes();
  std::vector<Layout> layouts = {Layout::kPlain, Layout::kPlain, Layout::kOffset, Layout::kAligned};
  if (rank > 0) layouts.push_back(Layout::kStrided);
  if (rank > 0 && input) layouts.push_back(Layout::kBroadcast);
  argument.layout = random.Pick(layouts);
  switch (argument.layout) {
    case Layout::kStrided:
    case Layout::kBroadcast: {
      int64_t stride = 1;
      argument.strides.resize(rank);
      for (size_t d = rank; d-- > 0;) {
        stride += static_cast<int64_t>(random.Below(3));
        argument.strides[d] = stride;
        stride *= std::max<int64_t>(argument.shape[d], 1);
      }
      if (argument.layout == Layout::kBroadcast) {
        argument.broadcast = static_cast<int64_t>(random.Below(rank));
        argument.strides[static_cast<size_t>(argument.broadcast)] = 0;
      }
      argument.byte_offset = item * static_cast<int64_t>(random.Below(3));
      break;
    }
    case Layout::kOffset:
      argument.factor = random.Pick<int64_t>({1, 2, 4});
      argument.byte_offset = item * argument.factor * static_cast<int64_t>(random.Below(3));
      break;
    case Layout::kAligned:
      argument.byte_offset = kAlignment * static_cast<int64_t>(random.Below(2));
      break;
    default:
      argument.byte_offset = item * static_cast<int64_t>(random.Below(3));
      if (random.Chance(50)) {
        argument.strides = Compact(argument.shape);
        // If a stride is never used, any value will do (S31).
        for (size_t d = 0; d < rank; ++d) {
          if (argument.shape[d] == 1 || argument.empty()) argument.strides[d] = 77;
        }
      }
      break;
  }
}

}  // namespace

bool Argument::empty() const { return std::find(shape.begin(), shape.end(), 0) != shape.end(); }

std::vector<Argument> RandomArguments(const ir::Func& func, const Inputs& inputs,
                                      const std::vector<int64_t>& sizes, Random& random) {
  const lower::TestArguments like = lower::MakeArguments(func, sizes, 1);
  const std::unordered_set<const ir::Node*> addressed = AddressedBuffers(func);
  std::vector<Argument> out;
  for (size_t a = 0; a < like.values.size(); ++a) {
    Argument argument;
    if (like.values[a].kind == LATHE_VALUE_INT) {
      argument.scalar = like.values[a].i;
      out.push_back(std::move(argument));
      continue;
    }
    argument.dtype = like.values[a].tensor->dtype;
    argument.shape = like.values[a].tensor->shape;
    const bool input =
        ir::As<ir::PlaceholderOp>(ir::RefAs<ir::TensorNode>(inputs.args[a])->op) != nullptr;
    if (addressed.count(func->params[a].get()) != 0)
      argument.layout = Layout::kPlain;
    else
      ChooseLayout(argument, input, random);
    const std::vector<int64_t> strides =
        argument.strides.empty() ? Compact(argument.shape) : argument.strides;
    int64_t last = 0;
    for (size_t d = 0; d < strides.size() && !argument.empty(); ++d)
      last += (argument.shape[d] - 1) * strides[d];
    Fill(argument, static_cast<size_t>(argument.byte_offset + (last + 1) * argument.dtype.bytes()),
         random);
    argument.null_data = argument.empty() && random.Chance(50);
    out.push_back(std::move(argument));
  }
  return out;
}

ir::Func Redeclare(const ir::Func& func, const std::vector<Argument>& arguments) {
  std::vector<ir::NodeRef> params;
  ir::Stmt body = func->body;
  for (size_t a = 0; a < arguments.size(); ++a) {
    const Argument& argument = arguments[a];
    params.push_back(func->params[a]);
    if (argument.layout == Layout::kScalar || argument.layout == Layout::kPlain) continue;
    const ir::Buffer buffer = ir::RefAs<ir::BufferNode>(func->params[a]);
    const ir::Buffer made = ir::CopyBuffer(buffer, [&](ir::BufferNode& copy) {
      copy.data = ir::MakeVar(copy.name, DataType::Handle());
      const DataType wide = DataType::Int(64);
      if (argument.layout == Layout::kAligned) {
        copy.alignment = kAlignment;
      } else if (argument.layout == Layout::kOffset) {
        copy.elem_offset = ir::MakeVar(copy.name + ".offset", wide);
        copy.offset_factor = argument.factor;
      } else {
        for (size_t d = 0; d < argument.shape.size(); ++d) {
          if (static_cast<int64_t>(d) == argument.broadcast)
            copy.strides.push_back(ir::Int(0, wide));
          else
            copy.strides.emplace_back(ir::MakeVar(copy.name + ".s" + std::to_string(d), wide));
        }
      }
    });
    body = ir::ReplaceBuffer(body, buffer, made);
    params.back() = made;
  }
  return ir::MakeFunc(func->name, std::move(params), std::move(body), func->attrs);
}

std::vector<char> CompactCopy(const Argument& argument) {
  int64_t count = 1;
  for (int64_t extent : argument.shape) count *= extent;
  const std::vector<int64_t> strides =
      argument.strides.empty() ? Compact(argument.shape) : argument.strides;
  const int64_t item = argument.dtype.bytes();
  std::vector<char> out(static_cast<size_t>(count * item) + 1);
  for (int64_t i = 0; i < count; ++i) {
    int64_t rest = i, at = argument.byte_offset;
    for (size_t d = strides.size(); d-- > 0;) {
      at += rest % argument.shape[d] * strides[d] * item;
      rest /= argument.shape[d];
    }
    std::memcpy(&out[static_cast<size_t>(i * item)], argument.data() + at,
                static_cast<size_t>(item));
  }
  return out;
}

std::vector<ir::InterpValue> ForInterpreter(const std::vector<Argument>& arguments) {
  std::vector<ir::InterpValue> out;
  for (const Argument& argument : arguments) {
    if (argument.given == Argument::kNothing) {
      out.emplace_back();
    } else if (argument.given == Argument::kText) {
      out.push_back(ir::InterpValue::String("text"));
    } else if (argument.given == Argument::kNullTensor) {
      ir::InterpValue value;
      value.kind = LATHE_VALUE_DLTENSOR;
      out.push_back(value);
    } else if (argument.layout == Layout::kScalar || argument.given == Argument::kNumber) {
      out.push_back(ir::InterpValue::Int(argument.scalar));
    } else {
      ir::InterpTensor view;
      view.data = argument.null_data ? nullptr : argument.data();
      view.dtype = argument.dtype;
      view.shape = argument.shape;
      view.strides = argument.strides;
      view.byte_offset = static_cast<uint64_t>(argument.byte_offset);
      view.device = argument.device;
      out.emplace_back(std::move(view));
    }
  }
  return out;
}

CompiledArguments::CompiledArguments(const std::vector<Argument>& arguments) {
  for (const Argument& argument : arguments) {
    lathe_value value{};
    if (argument.given == Argument::kNothing) {
      value.kind = LATHE_VALUE_NONE;
    } else if (argument.given == Argument::kText) {
      value.kind = LATHE_VALUE_STRING;
      value.v_string = "text";
    } else if (argument.given == Argument::kNullTensor) {
      value.kind = LATHE_VALUE_DLTENSOR;
    } else if (argument.layout == Layout::kScalar || argument.given == Argument::kNumber) {
      value.kind = LATHE_VALUE_INT;
      value.v_int = argument.scalar;
    } else {
      DLTensor& tensor = tensors_.emplace_back();
      tensor.data = argument.null_data ? nullptr : argument.data();
      tensor.device = argument.device;
      tensor.ndim = static_cast<int32_t>(argument.shape.size());
      tensor.dtype = argument.dtype.dl();
      tensor.shape = const_cast<int64_t*>(argument.shape.data());
      tensor.strides =
          argument.strides.empty() ? nullptr : const_cast<int64_t*>(argument.strides.data());
      tensor.byte_offset = static_cast<uint64_t>(argument.byte_offset);
      value.kind = LATHE_VALUE_DLTENSOR;
      value.v_dltensor = &tensor;
    }
    values_.push_back(value);
  }
}

absl::Status CompiledArguments::Call(const runtime::Function& function) const {
  return function.TryCallPacked(values_.data(), static_cast<int32_t>(values_.size())).status();
}

}  // namespace lathe::prove
