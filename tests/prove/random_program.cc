#include <algorithm>
#include <cmath>

#include "tests/prove/generator.h"
#include "tests/prove/known_program.h"

namespace lathe::prove {

using ir::Expr;
using ir::Int;
using ir::IterVar;
using ir::Tensor;
using ir::Var;
using te::At;
using te::Indices;
using te::Shape;

TestProgram Generator::Make() {
  big_ = program_.big = random_.Chance(4);
  wide_index_ = random_.Chance(20);
  const size_t rank = big_ ? 2 : random_.Pick<size_t>({0, 1, 1, 1, 2, 2, 2, 2, 2, 3, 3, 4});
  Dims dims;
  for (size_t d = 0; d < rank; ++d) dims.push_back(Choose(rank, d));
  pool_.push_back(NewInput(dims, AnyType(random_)));
  const size_t stages = big_ ? 2 : 1 + random_.Below(4);
  for (size_t i = 0; i < stages; ++i) AddStage();
  return Finish();
}

Dim Generator::Choose(size_t rank, size_t position) {
  Extent extent;
  extent.symbolic = random_.Chance(25);
  if (rank == 1) {
    extent.value = random_.Pick<int64_t>({1, 2, 3, 5, 7, 8, 13, 16, 17, 31, 33, 64, 65, 100});
  } else if (rank == 2) {
    extent.value = random_.Pick<int64_t>({1, 2, 3, 4, 5, 7, 8, 9, 13, 16, 17, 20});
  } else {
    extent.value = random_.Pick<int64_t>({1, 2, 3, 4, 5, 7, 8});
  }
  if (big_) extent.value = position == 0 ? 3 : 4500;
  if (random_.Chance(2)) extent.value = 0;
  return Take(extent);
}

Dim Generator::Take(Extent extent) {
  const size_t number = program_.extents.size();
  if (number < given_.size()) extent.value = given_[number].value;
  program_.extents.push_back(extent);
  if (!extent.symbolic) return {Int(extent.value, index_type()), extent.value};
  Note("symbolic");
  Var var = ir::MakeSizeVar("n" + std::to_string(program_.sizes.size()), index_type());
  program_.sizes.emplace_back(var, extent.value);
  return {var, extent.value};
}

Dim Generator::NewSmall(std::initializer_list<int64_t> values) {
  return Take({random_.Chance(20), random_.Pick(values)});
}

bool Generator::SameDims(const Dims& a, const Dims& b) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i) {
    const int64_t* x = ir::AsConstInt(a[i].extent);
    const int64_t* y = ir::AsConstInt(b[i].extent);
    if (x != nullptr && y != nullptr ? *x != *y : !a[i].extent.same_as(b[i].extent)) return false;
  }
  return true;
}

Shape Generator::ShapeOf(const Dims& dims) {
  Shape shape;
  for (const Dim& dim : dims) shape.push_back(dim.extent);
  return shape;
}

Source Generator::NewInput(Dims dims, DataType dtype) {
  Tensor tensor = te::Placeholder(ShapeOf(dims), dtype, "A" + std::to_string(inputs_.size()));
  inputs_.push_back(tensor);
  return {tensor, std::move(dims), dtype.is_bool() ? 1 : kInput};
}

Expr Generator::Scattered(const Expr& index, const Dim& dim) {
  // Neither number changes when the extent is known.
  return ir::FloorModulo(ir::FloorModulo(index * Index(3000000019), Index(4294967291)),
                         ir::MakeMax(dim.extent, Index(1)));
}

Value Generator::Operand(const Dims& dims, const Indices& indices, DataType like) {
  std::vector<Expr> all(indices.begin(), indices.end());
  std::vector<const Source*> same;
  for (const Source& source : pool_) {
    if (SameDims(source.dims, dims)) same.push_back(&source);
  }
  if (!same.empty() && random_.Chance(45)) {
    if (wide_index_ && !dims.empty() && random_.Chance(25)) {
      const size_t d = random_.Below(dims.size());
      all[d] = Scattered(all[d], dims[d]);
    }
    return Read(*random_.Pick(same), all);
  }
  if (!dims.empty() && random_.Chance(15)) {
    const size_t d = random_.Below(dims.size());
    return Clamp(Convert({indices[d], static_cast<double>(dims[d].most)}, like), 4);
  }
  if (random_.Chance(15))
    return {ir::Const(int64_t{2}, like.is_bool() ? DataType::Int(32) : like), 2};
  // A broadcast: some dimensions are missing, and some have extent 1.
  Dims part;
  std::vector<Expr> at;
  bool broadcast = false;
  for (size_t d = 0; d < dims.size(); ++d) {
    const size_t kind = random_.Below(4);
    if (kind == 0) {
      broadcast = true;
      continue;
    }
    if (kind == 1) {
      broadcast = true;
      part.push_back({Index(1), 1});
      at.push_back(Index(0));
    } else {
      part.push_back(dims[d]);
      at.push_back(indices[d]);
    }
  }
  if (broadcast) Note("broadcast");
  extra_.push_back(NewInput(part, random_.Chance(70) ? like : AnyType(random_)));
  return Read(extra_.back(), at);
}

void Generator::Note(const char* feature) {
  if (std::find(program_.features.begin(), program_.features.end(), feature) ==
      program_.features.end())
    program_.features.emplace_back(feature);
}

void Generator::AddStage() {
  const size_t number = random_.Chance(75) ? pool_.size() - 1 : random_.Below(pool_.size());
  const Source from = pool_[number];
  bool done = false;
  for (int attempt = 0; attempt < 8 && !done; ++attempt) {
    done = true;
    switch (random_.Below(17)) {
      case 0:
      case 1:
      case 2:
        Elementwise(from);
        break;
      case 3:
        done = Stencil(from);
        break;
      case 4:
        done = Halo(from);
        break;
      case 5:
        done = Permuted(from);
        break;
      case 6:
      case 7:
        done = Reduction(from);
        break;
      case 8:
        done = ArgReduction(from);
        break;
      case 9:
        done = Matmul(from);
        break;
      case 10:
        done = Convolution(from);
        break;
      case 11:
        done = Reshaped(from);
        break;
      case 12:
      case 14:
      case 15:
        done = Recurrence(from);
        break;
      case 13:
        done = random_.Chance(25) ? Extern(from) : Pair(from);
        break;
      default:
        done = Gather(from);
        break;
    }
  }
  if (!done) Elementwise(from);
  for (Source& source : extra_) pool_.insert(pool_.begin(), source);
  extra_.clear();
}

void Generator::Map(const Dims& dims, const std::function<Value(const Indices&)>& body,
                    std::string_view tag) {
  double bound = 0;
  Tensor out = te::Compute(ShapeOf(dims),
                           [&](const Indices& i) {
                             Value value = body(i);
                             bound = value.bound;
                             return value.expr;
                           },
                           NextName(), {.tag = std::string(tag), .attrs = {}, .axis_names = {}});
  Push(std::move(out), dims, bound);
}

Value Generator::Finishing(const Dims& dims, const Indices& i, Value value) {
  if (random_.Chance(50)) value = RandomUnary(random_, value);
  if (random_.Chance(70)) value = RandomBinary(random_, value, Operand(dims, i, value.dtype()));
  if (random_.Chance(15)) value = Convert(value, AnyType(random_));
  return value;
}

TestProgram Generator::Finish() {
  std::vector<Tensor> computed;
  for (const Source& source : pool_) {
    if (source.tensor->op->node_kind() != ir::NodeKind::kPlaceholderOp)
      computed.push_back(source.tensor);
  }
  std::vector<Tensor> readers = computed;
  readers.insert(readers.end(), hidden_.begin(), hidden_.end());
  std::vector<Tensor> outputs;
  std::vector<const ir::Node*> wanted;
  for (const Tensor& tensor : computed) {
    bool read = false;
    for (const Tensor& other : readers) {
      for (const Tensor& input : ir::InputsOf(*other->op))
        read = read || input->op.same_as(tensor->op);
    }
    if (!read || random_.Chance(12)) wanted.push_back(tensor->op.get());
  }
  for (const Tensor& tensor : computed) {
    if (std::find(wanted.begin(), wanted.end(), tensor->op.get()) == wanted.end()) continue;
    outputs.push_back(tensor);
    if (tensor->value_index == 0) program_.outputs.push_back(tensor->op);
  }
  // Only inputs that something reads are arguments.
  std::vector<const ir::Node*> read;
  for (const Tensor& tensor : readers) {
    for (const Tensor& input : ir::InputsOf(*tensor->op)) read.push_back(input->op.get());
  }
  // Sizes that are not the extent of a tensor must be passed. Others may be.
  std::vector<const ir::Node*> bound;
  auto bind = [&](const Tensor& tensor) {
    for (const Expr& extent : tensor->shape()) bound.push_back(extent.get());
  };
  for (const Tensor& input : inputs_) {
    if (std::find(read.begin(), read.end(), input->op.get()) != read.end()) bind(input);
  }
  for (const Tensor& output : outputs) bind(output);
  const bool pass_first = random_.Chance(20);
  for (size_t i = 0; i < program_.sizes.size(); ++i) {
    const Var& var = program_.sizes[i].first;
    if ((i == 0 && pass_first) || std::find(bound.begin(), bound.end(), var.get()) == bound.end())
      program_.args.push_back(var);
  }
  for (const Tensor& input : inputs_) {
    if (std::find(read.begin(), read.end(), input->op.get()) != read.end())
      program_.args.push_back(input);
  }
  for (const Tensor& output : outputs) program_.args.push_back(output);
  if (outputs.size() > 1) Note("several outputs");
  if (outputs[0]->ndim() == 0) Note("rank 0");
  return std::move(program_);
}

TestProgram RandomProgram(uint64_t seed, const std::vector<Extent>& extents) {
  if (seed % 10 == 0) return KnownProgram(seed, extents);
  return Generator(seed, extents).Make();
}

}  // namespace lathe::prove
