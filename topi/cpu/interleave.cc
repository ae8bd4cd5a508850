#include "topi/cpu/interleave.h"

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "ir/intrinsic.h"
#include "ir/intrinsic_names.h"
#include "te/operation.h"

namespace lathe::topi::cpu {
namespace {

using ir::Buffer;
using ir::Expr;
using ir::Tensor;

std::string NameOf(const char* what, int64_t lanes, int64_t channels, DataType dtype) {
  return std::string(what) + "_" + std::to_string(lanes) + "x" + std::to_string(channels) + "_" +
         dtype.ToString();
}

Expr Columns(int64_t lanes) {
  return ir::MakeRamp(ir::Int(0), ir::Int(1), static_cast<int>(lanes));
}

// Gives `statement` all elements of `block`, a compact operand, as one row of memory.
ir::Stmt WithRow(const Buffer& block, int64_t elements,
                 const std::function<ir::Stmt(const Buffer&)>& statement) {
  const Buffer row = ir::MakeBuffer(block->name + ".row", block->dtype, {ir::Int(elements)});
  const Expr first =
      ir::CallIntrinsic(ir::intrinsic::kAddressOf, {ir::MakeLoad(block, {ir::Int(0), ir::Int(0)})});
  return ir::MakeDeclBuffer(row, first, statement(row));
}

// An intrinsic that copies `from` of shape `shape` and exchanges its two dimensions.
te::TensorIntrin Exchange(const std::string& name, const te::Shape& shape, DataType dtype,
                          const te::IntrinBody& body) {
  return te::FindOrRegisterTensorIntrin(name, "", [&] {
    const Tensor from = te::Placeholder(shape, dtype, "from");
    const Tensor to = te::Compute(
        {shape[1], shape[0]}, [&](const te::Indices& i) { return te::At(from, {i[1], i[0]}); },
        "to");
    return te::DeclTensorIntrin(name, to->op, body, {});
  });
}

}  // namespace

te::TensorIntrin Deinterleave(int64_t lanes, int64_t channels, DataType dtype) {
  const auto body = [=](const std::vector<Buffer>& in, const std::vector<Buffer>& out) {
    const int64_t elements = lanes * channels;
    const ir::Var pixels = ir::MakeVar("pixels", dtype.with_lanes(static_cast<int>(elements)));
    std::vector<ir::Stmt> stores;
    for (int64_t c = 0; c < channels; ++c) {
      std::vector<int> picks;
      for (int64_t i = 0; i < lanes; ++i) picks.push_back(static_cast<int>(i * channels + c));
      stores.push_back(
          ir::MakeStore(out[0], ir::MakeShuffle({pixels}, picks), {ir::Int(c), Columns(lanes)}));
    }
    return te::IntrinStmts{.body = WithRow(in[0], elements, [&](const Buffer& row) {
                             return ir::MakeLetStmt(pixels, ir::MakeLoad(row, {Columns(elements)}),
                                                    ir::MakeSeq(stores));
                           })};
  };
  return Exchange(NameOf("deinterleave", lanes, channels, dtype),
                  {ir::Int(lanes), ir::Int(channels)}, dtype, body);
}

te::TensorIntrin Interleave(int64_t lanes, int64_t channels, DataType dtype) {
  const auto body = [=](const std::vector<Buffer>& in, const std::vector<Buffer>& out) {
    const int64_t elements = lanes * channels;
    std::vector<Expr> planes;
    for (int64_t c = 0; c < channels; ++c) {
      planes.push_back(ir::MakeLoad(in[0], {ir::Int(c), Columns(lanes)}));
    }
    std::vector<int> picks;
    for (int64_t i = 0; i < elements; ++i) {
      picks.push_back(static_cast<int>(i % channels * lanes + i / channels));
    }
    return te::IntrinStmts{.body = WithRow(out[0], elements, [&](const Buffer& row) {
                             return ir::MakeStore(row, ir::MakeShuffle(planes, picks),
                                                  {Columns(elements)});
                           })};
  };
  return Exchange(NameOf("interleave", lanes, channels, dtype), {ir::Int(channels), ir::Int(lanes)},
                  dtype, body);
}

int64_t PixelsAtATime(int64_t pixels, DataType dtype, const target::Machine& machine) {
  const int64_t lanes = machine.Lanes(dtype);
  const int64_t two = dtype.bits() == 8 && machine.vector_bytes >= 64 ? 2 * lanes : lanes;
  return pixels % two == 0 ? two : pixels % lanes == 0 ? lanes : 0;
}

}  // namespace lathe::topi::cpu
