// An LSTM in whole numbers, as a loop over time.
//
// What goes into a gate's function has 3 bits before the point, the result none. The memory has as
// many as its scale says. Sums of input and state are rounded to 16 bits one after the other.
#include "graph/import/tflite/lstm_int8.h"

#include <cmath>

#include "graph/import/tflite/fixed_functions.h"
#include "graph/import/tflite/quantised.h"

namespace lathe::graph::tflite {
namespace {

constexpr int kGateBits = 3;
constexpr size_t kWeights = 1, kRecurrence = 5, kBiases = 12, kMemory = 19, kHiddenScale = 4;
constexpr Range kWords{-32768, 32767};

const TensorInfo& InfoOf(const OpContext& n, int32_t index) {
  return n.graph.tensors[static_cast<size_t>(index)];
}

class Lstm {
 public:
  Lstm(const OpContext& n, const GraphVar& x)
      : n_(n), hidden_(n.FixedShape(n.In(kWeights), "weights")[0]), out_(AffineOf(n, n.OutInfo())) {
    CheckTypes();
    const int64_t memory_bits = MemoryBits();
    memory_shift_ = 15 + memory_bits;  // a product of two results has 30 bits behind the point
    sigmoid_ = TableOf(SigmoidTable(kGateBits));
    tanh_ = TableOf(TanhTable(kGateBits));
    memory_tanh_ = TableOf(TanhTable(static_cast<int>(memory_bits)));
    recurrence_ = Stacked(kRecurrence);
    state_sums_ = SumsOf(recurrence_, out_.zero_point, {});
    state_factors_ = FactorsOf(kRecurrence, out_.scale);
    from_input_ = FromInput(x);
  }

  GraphVar Run() {
    Builder& b = n_.importer.b();
    const Expr steps = Maker::ShapeOf(from_input_)[0], batch = Maker::ShapeOf(from_input_)[1];
    const DataType state = DataType::Int(8), memory = DataType::Int(16), i64 = DataType::Int(64);
    // The state begins with its zero point, which stands for 0.
    const std::vector<GraphVar> init{
        n_.Scalar(0, i64), Full({batch, Int64(hidden_)}, out_.zero_point, state),
        Full({batch, Int64(hidden_)}, 0, memory), Full({steps, batch, Int64(hidden_)}, 0, state)};
    Ref<ir::GraphLoop> loop = Make<ir::GraphLoop>();
    loop->init = init;
    std::vector<GraphVar> now;
    for (const GraphVar& value : init) now.push_back(ir::MakeGraphVar(value->name, value->type));
    loop->carried = now;
    b.OpenBlock();
    loop->condition = b.CloseBlock(n_.Call("less", {now[0], StepsAsTensor()}));
    b.OpenBlock();
    const Memories next = Step(now[0], now[1], now[2]);
    const GraphVar rows = n_.Call(
        "index_put", {now[3], n_.ExpandDims(next.state, 0), n_.Reshape(now[0], {Int64(1)})});
    loop->body =
        b.CloseBlock(b.Tuple({n_.Add(now[0], n_.Scalar(1, i64)), next.state, next.memory, rows}));
    return b.Get(b.Emit(loop, n_.name()), 3, n_.name());
  }

 private:
  void CheckTypes() const {
    const auto need = [&](const TensorInfo& tensor, int32_t type) {
      if (tensor.type == type) return;
      n_.Fail("has whole numbers of a type that is not supported, in tensor `" +
                  std::string(tensor.name) + "`",
              ElementTypeName(type), ElementTypeName(tensor.type),
              "convert the model with the LSTM in floats, or with states of int8 and int16");
    };
    need(n_.InInfo(0), kInt8);
    need(n_.OutInfo(), kInt8);
    need(MemoryInfo(), kInt16);
    for (size_t gate = 0; gate < 4; ++gate) {
      need(n_.InInfo(kWeights + gate), kInt8);
      need(n_.InInfo(kRecurrence + gate), kInt8);
      need(n_.InInfo(kBiases + gate), kInt32);
    }
    if (n_.op.intermediates.size() <= kHiddenScale || n_.op.intermediates[kHiddenScale] < 0) {
      n_.Fail("has no scales of its steps", "5 intermediate tensors",
              std::to_string(n_.op.intermediates.size()));
    }
  }
  // A variable, which has no value here.
  const TensorInfo& MemoryInfo() const {
    if (n_.op.inputs.size() <= kMemory || n_.op.inputs[kMemory] < 0) n_.Fail("lacks a memory");
    return InfoOf(n_, n_.op.inputs[kMemory]);
  }
  // Bits before the point of the memory, whose scale is a power of 2.
  int64_t MemoryBits() const {
    const Affine memory = AffineOf(n_, MemoryInfo());
    int exponent = 0;
    const float fraction = std::frexp(memory.scale, &exponent);
    const int64_t bits = 15 + exponent - 1;
    if (fraction != 0.5F || bits < 0 || bits > 6) {
      n_.Fail("has a scale of its memory that the format does not have", "2^-15 to 2^-9",
              std::to_string(memory.scale));
    }
    return bits;
  }

  GraphVar Int32(const std::vector<int64_t>& values) const {
    return n_.Constant(MakeInts(values, {static_cast<int64_t>(values.size())}, DataType::Int(32)));
  }
  GraphVar TableOf(const std::vector<int64_t>& values) const {
    return n_.Constant(MakeInts(values, {static_cast<int64_t>(values.size())}, DataType::Int(16)));
  }
  GraphVar Full(std::vector<Expr> shape, int64_t value, DataType type) const {
    return n_.Call("broadcast_to", {n_.Scalar(static_cast<double>(value), type)},
                   {{"shape", ShapeAttr(std::move(shape))}});
  }
  GraphVar StepsAsTensor() const {
    const Expr steps = Maker::ShapeOf(from_input_)[0];
    if (const int64_t* known = ir::AsConstInt(steps)) {
      return n_.Scalar(static_cast<double>(*known), DataType::Int(64));
    }
    n_.Fail("has an open number of steps", "a known one", "an extent by name",
            "give the input's shape at import");
  }
  // The matrices of all gates: input, forget, cell, output.
  GraphVar Stacked(size_t first) const {
    std::vector<GraphVar> parts;
    for (size_t gate = 0; gate < 4; ++gate) parts.push_back(n_.In(first + gate));
    return n_.Call("concatenate", parts, {{"axis", IntAttr(0)}});
  }
  // biases - zero point * sums of rows.
  GraphVar SumsOf(const GraphVar& matrix, int64_t zero_point, const GraphVar& biases) const {
    const GraphVar sums =
        n_.Call("sum", {n_.Cast(matrix, DataType::Int(32))}, {{"axis", IntsAttr({1})}});
    const GraphVar shifted =
        n_.Mul(sums, n_.Scalar(static_cast<double>(-zero_point), DataType::Int(32)));
    return biases ? n_.Add(shifted, biases) : shifted;
  }
  // To the scale of what goes into gates, for each row of all gates. The kernel multiplies scales
  // in float32.
  std::vector<double> FactorsOf(size_t first, float scale) const {
    std::vector<double> factors;
    for (size_t gate = 0; gate < 4; ++gate) {
      const float product = AffineOf(n_, n_.InInfo(first + gate)).scale * scale;
      factors.insert(factors.end(), static_cast<size_t>(hidden_),
                     std::ldexp(product, 15 - kGateBits));
    }
    return factors;
  }
  GraphVar Clipped(const GraphVar& x, const Range& range) const {
    return n_.Call("clip", {x},
                   {{"a_min", FloatAttr(static_cast<double>(range.low))},
                    {"a_max", FloatAttr(static_cast<double>(range.high))}});
  }
  // What the gates get from the input, for all steps: int32 [time, batch, 4 hidden], of 16 bits.
  GraphVar FromInput(const GraphVar& x) const {
    const Affine in = AffineOf(n_, n_.InInfo(0));
    const GraphVar weights = Stacked(kWeights);
    const GraphVar sums = SumsOf(weights, in.zero_point, Stacked(kBiases));
    const GraphVar product =
        n_.Call("matmul", {x, n_.Transpose(weights, {1, 0})}, {{"out_dtype", StringAttr("int32")}});
    return Clipped(Rescaled(n_, n_.Add(product, sums), FactorsOf(kWeights, in.scale), 2), kWords);
  }

  // table[x]; int32.
  GraphVar LookUp(const GraphVar& table, const GraphVar& x) const {
    const GraphVar place = n_.Sub(x, n_.Scalar(static_cast<double>(kWords.low), DataType::Int(32)));
    return n_.Cast(n_.Call("take", {table, place}, {{"axis", IntAttr(0)}}), DataType::Int(32));
  }
  // x / 2^shift, with halves rounded away from 0; int32.
  GraphVar Shifted(const GraphVar& x, int64_t shift) const {
    const DataType i32 = DataType::Int(32);
    const auto number = [&](int64_t value) { return n_.Scalar(static_cast<double>(value), i32); };
    const GraphVar negative = n_.Cast(n_.Call("less", {x, number(0)}), i32);
    const GraphVar sum = n_.Sub(n_.Add(x, number(int64_t{1} << (shift - 1))), negative);
    return n_.Call("right_shift", {sum, number(shift)});
  }

  struct Memories {
    GraphVar state, memory;
  };
  Memories Step(const GraphVar& t, const GraphVar& state, const GraphVar& memory) const {
    const DataType i32 = DataType::Int(32);
    const GraphVar product =
        n_.Call("nn.dense", {state, recurrence_}, {{"out_dtype", StringAttr("int32")}});
    const GraphVar from_state = Rescaled(n_, n_.Add(product, state_sums_), state_factors_, 1);
    const GraphVar from_input = n_.Call("take", {from_input_, t}, {{"axis", IntAttr(0)}});
    const GraphVar sums = Clipped(n_.Add(from_state, from_input), kWords);
    const auto gate = [&](int64_t i, const GraphVar& table) {
      return LookUp(table, n_.Slice(sums, 1, Int64(i * hidden_), Int64((i + 1) * hidden_)));
    };
    const GraphVar kept = Shifted(n_.Mul(gate(1, sigmoid_), n_.Cast(memory, i32)), 15);
    const GraphVar fresh = Shifted(n_.Mul(gate(0, sigmoid_), gate(2, tanh_)), memory_shift_);
    const GraphVar next = Clipped(n_.Add(kept, fresh), kWords);
    const GraphVar shown = n_.Mul(gate(3, sigmoid_), LookUp(memory_tanh_, next));
    const TensorInfo& hidden = InfoOf(n_, n_.op.intermediates[kHiddenScale]);
    const auto factor = static_cast<float>(std::ldexp(1.0 / AffineOf(n_, hidden).scale, -30));
    return {Finished(n_, Rescaled(n_, shown, {factor}), RangeOf(DataType::Int(8))),
            n_.Cast(next, DataType::Int(16))};
  }

  const OpContext& n_;
  int64_t hidden_;
  Affine out_;
  int64_t memory_shift_ = 0;
  GraphVar sigmoid_, tanh_, memory_tanh_, recurrence_, state_sums_, from_input_;
  std::vector<double> state_factors_;
};

}  // namespace

GraphVar LstmOfInt8(const OpContext& n, const GraphVar& x) { return Lstm(n, x).Run(); }

}  // namespace lathe::graph::tflite
