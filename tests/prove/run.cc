#include "tests/prove/run.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <sstream>
#include <unordered_map>

#include "base/float_formats.h"
#include "ir/interpreter/interpreter.h"
#include "ir/rewrite.h"
#include "ir/walk.h"
#include "runtime/tensor.h"
#include "te/evaluator.h"
#include "tests/prove/random.h"

namespace lathe::prove {
namespace {

uint64_t BitsAt(const char* bytes, DataType dtype) {
  uint64_t bits = 0;
  std::memcpy(&bits, bytes, static_cast<size_t>(dtype.bytes()));
  return bits;
}

long double NumberAt(const char* bytes, DataType dtype) {
  const uint64_t bits = BitsAt(bytes, dtype);
  if (dtype.is_float()) return DecodeFloat(bits, dtype);
  const int unused = 64 - dtype.bits();
  if (dtype.is_int())
    return static_cast<long double>(static_cast<int64_t>(bits << unused) >> unused);
  return static_cast<long double>(bits);
}

// The unit roundoff of a float type.
long double UnitOf(DataType dtype) { return std::ldexp(1.0L, dtype.bits() == 64 ? -53 : -24); }

}  // namespace

std::string ElementText(const char* bytes, DataType dtype) {
  std::ostringstream out;
  out.precision(17);
  out << NumberAt(bytes, dtype);
  return out.str();
}

Run::Run(const ir::Func& func, const Inputs& inputs, const std::vector<int64_t>& sizes)
    : inputs_(inputs), func_(func) {
  std::unordered_map<const ir::Node*, int64_t> values;
  for (size_t i = 0; i < sizes.size(); ++i) values[inputs.size_vars[i].get()] = sizes[i];
  std::vector<const ir::Node*> seen;
  auto meet = [&](const ir::Var& var) {
    if (std::find(seen.begin(), seen.end(), var.get()) != seen.end()) return;
    seen.push_back(var.get());
    sizes_.push_back(values.at(var.get()));
  };
  for (const ir::NodeRef& param : func->params) {
    if (ir::Var var = ir::RefAs<ir::VarNode>(param)) {
      meet(var);
      continue;
    }
    for (const ir::Expr& extent : ir::As<ir::BufferNode>(param)->shape) {
      for (const ir::Var& var : ir::FreeVars(extent)) meet(var);
    }
  }
}

lower::TestArguments Run::Arguments() const {
  lower::TestArguments out = lower::MakeArguments(func_, sizes_, inputs_.seed);
  if (!inputs_.real_inputs) return out;
  Random random(inputs_.seed);
  for (size_t a = 0; a < out.values.size(); ++a) {
    if (out.values[a].kind == LATHE_VALUE_INT) continue;
    const DataType dtype = out.values[a].tensor->dtype;
    const auto width = static_cast<size_t>(dtype.bytes());
    for (size_t at = 0; at + width <= out.memory[a].size(); at += width) {
      const double value = std::ldexp(static_cast<double>(random.Next() >> 11), -52) - 1;
      const uint64_t bits = EncodeFloat(value, dtype);
      std::memcpy(&out.memory[a][at], &bits, width);
    }
  }
  return out;
}

void Run::Expect() {
  lower::TestArguments arguments = Arguments();
  if (inputs_.arithmetic) {
    std::vector<Array> tensors;
    for (size_t a = 0; a < arguments.values.size(); ++a) {
      if (arguments.values[a].kind == LATHE_VALUE_INT) continue;
      const ir::InterpTensor& view = *arguments.values[a].tensor;
      Array array{view.shape, {}, {}, 0};
      int64_t count = 1;
      for (int64_t extent : view.shape) count *= extent;
      const bool input =
          ir::As<ir::PlaceholderOp>(ir::RefAs<ir::TensorNode>(inputs_.args[a])->op) != nullptr;
      for (int64_t i = 0; i < count; ++i) {
        array.value.push_back(
            input ? NumberAt(arguments.memory[a].data() + i * view.dtype.bytes(), view.dtype) : 0);
        array.magnitude.push_back(std::fabs(array.value.back()));
      }
      tensors.push_back(std::move(array));
    }
    inputs_.arithmetic(tensors);
    exact_.resize(arguments.values.size());
    for (size_t a = 0, t = 0; a < exact_.size(); ++a) {
      if (arguments.values[a].kind != LATHE_VALUE_INT) exact_[a] = std::move(tensors[t++]);
    }
  }
  te::Evaluate(inputs_.args, arguments.values);
  expected_ = std::move(arguments.memory);
  if (inputs_.arithmetic) {
    const lower::TestArguments shapes = Arguments();
    Compare("arithmetic", shapes, expected_);
  }
}

void Run::Compare(const char* where, const lower::TestArguments& arguments,
                  const Memory& found) const {
  for (size_t a = 0; a < expected_.size(); ++a) {
    if (arguments.values[a].kind == LATHE_VALUE_INT) continue;
    const ir::InterpTensor& view = *arguments.values[a].tensor;
    const auto width = static_cast<size_t>(view.dtype.bytes());
    const Array* exact = exact_.empty() || exact_[a].terms == 0 ? nullptr : &exact_[a];
    if (exact == nullptr && expected_[a] == found[a]) continue;
    size_t count = 1;
    for (int64_t extent : view.shape) count *= static_cast<size_t>(extent);
    if (!std::equal(found[a].begin() + static_cast<std::ptrdiff_t>(count * width), found[a].end(),
                    expected_[a].begin() + static_cast<std::ptrdiff_t>(count * width)))
      throw Failed{where, "bytes behind the end of argument " + std::to_string(a) + SizesText()};
    for (size_t i = 0; i < count; ++i) {
      const size_t at = i * width;
      std::string wanted;
      if (exact != nullptr) {
        const long double value = NumberAt(&found[a][at], view.dtype);
        // Rounding is allowed only if inputs are not integers.
        const long double nu =
            inputs_.real_inputs ? static_cast<long double>(exact->terms) * UnitOf(view.dtype) : 0;
        const long double allowed = nu / (1 - nu) * exact->magnitude[i];
        if (std::fabs(value - exact->value[i]) <= allowed) continue;
        std::ostringstream text;
        text.precision(17);
        text << exact->value[i] << " +- " << allowed;
        wanted = text.str();
      } else {
        if (std::memcmp(&expected_[a][at], &found[a][at], width) == 0) continue;
        wanted = ElementText(&expected_[a][at], view.dtype);
      }
      // Names the element by its indices.
      std::string index;
      auto rest = static_cast<int64_t>(i);
      for (size_t d = view.shape.size(); d-- > 0;) {
        index = std::to_string(rest % view.shape[d]) + (index.empty() ? "" : ", ") + index;
        rest /= view.shape[d];
      }
      throw Failed{where, ir::RefAs<ir::TensorNode>(inputs_.args[a])->name() + "[" + index +
                              "]: expected " + wanted + ", found " +
                              ElementText(&found[a][at], view.dtype) + SizesText()};
    }
  }
}

void Run::Interpret() const {
  lower::TestArguments arguments = Arguments();
  ir::Interpret(func_, arguments.values);
  Compare("loops", arguments, arguments.memory);
}

void Run::Interpret(const ir::Module& module, const char* where,
                    const ir::InterpretOptions& options) const {
  lower::TestArguments arguments = Arguments();
  ir::Interpret(module, "f", arguments.values, options);
  Compare(where, arguments, arguments.memory);
}

void Run::Call(const runtime::Function& function, runtime::Device device) const {
  lower::TestArguments arguments = Arguments();
  std::vector<runtime::Tensor> tensors;
  std::vector<lathe_value> values;
  for (size_t a = 0; a < arguments.values.size(); ++a) {
    const ir::InterpValue& value = arguments.values[a];
    if (value.kind == LATHE_VALUE_INT) {
      values.push_back(runtime::ValueTraits<int64_t>::Borrow(value.i));
      tensors.emplace_back();
      continue;
    }
    // A copy in memory that is aligned as the runtime aligns it and ends where the tensor ends.
    auto empty = runtime::Tensor::Empty(value.tensor->shape, value.tensor->dtype, device);
    if (!empty.ok()) throw Failed{"run", std::string(empty.status().message())};
    tensors.push_back(*empty);
    if (!tensors.back().CopyFromHost(arguments.memory[a].data(), tensors.back().num_bytes()).ok())
      throw Failed{"run", "copying in"};
    values.push_back(runtime::ValueTraits<runtime::Tensor>::Borrow(tensors.back()));
  }
  auto result = function.TryCallPacked(values.data(), static_cast<int32_t>(values.size()));
  if (!result.ok()) throw Failed{"run", std::string(result.status().message()) + SizesText()};
  for (size_t a = 0; a < tensors.size(); ++a) {
    if (tensors[a].get() == nullptr) continue;
    if (!tensors[a].CopyToHost(arguments.memory[a].data(), tensors[a].num_bytes()).ok())
      throw Failed{"run", "copying out"};
  }
  Compare("run", arguments, arguments.memory);
}

std::string Run::SizesText() const {
  std::string out;
  for (int64_t size : sizes_) out += (out.empty() ? " (sizes " : ", ") + std::to_string(size);
  return out.empty() ? out : out + ")";
}

}  // namespace lathe::prove
