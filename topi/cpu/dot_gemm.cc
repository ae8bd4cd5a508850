#include "topi/cpu/dot_gemm.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "base/error.h"
#include "ir/intrinsic.h"
#include "schedule/primitives/primitives.h"
#include "te/operation.h"
#include "topi/anchor.h"
#include "topi/cpu/dot_intrinsics.h"
#include "topi/cpu/loops.h"
#include "topi/cpu/pack_rows.h"
#include "topi/part_names.h"

namespace lathe::topi::cpu {
namespace {

using ir::Expr;
using ir::Int;
using ir::IterVar;
using schedule::AxisOf;
using schedule::Schedule;
using te::Tensor;

int64_t CeilDivide(int64_t a, int64_t b) { return (a + b - 1) / b; }

// The innermost loops: a block of sums, and the layout of its operands.
struct Block {
  int64_t rows = 1, columns = 1;
  int64_t depth = 1;  // of a step of k: so many adjacent elements
  // How many blocks make up a register tile, down and across. A block of AMX is a row of its tiles.
  int64_t down = 1, across = 1;
  DataType a, b;  // as they are packed
};

struct Plan {
  GemmShape shape;
  DataType a, b, sum, c;
  DotChoice dot;
  Block block;

  int64_t steps() const {
    const int64_t whole = dot.tile != nullptr ? dot.tile->depth() : block.depth;
    return CeilDivide(shape.k, whole) * whole / block.depth;
  }
  int64_t panel() const { return block.across * block.columns; }
  int64_t panels() const { return CeilDivide(shape.n, panel()); }
  int64_t tile_rows() const { return block.down * block.rows; }
  // The number of blocks from top to bottom in the packed A. With AMX it fills whole calls.
  int64_t row_blocks() const {
    return dot.tile != nullptr ? CeilDivide(shape.m, tile_rows()) * block.down
                               : CeilDivide(shape.m, block.rows);
  }
  // Are all elements of A's rows there that the product reads?
  bool has_whole_rows() const {
    // Shifted products sum up A's rows in whole vectors.
    const int64_t lanes = dot.shifted() ? block.columns : 1;
    return shape.k == steps() * block.depth && shape.k % (lanes * block.depth) == 0 &&
           row_blocks() * block.rows == shape.m;
  }
};

Plan MakePlan(const GemmShape& shape, DataType a, DataType b, DataType c,
              const target::Machine& machine) {
  const bool bytes = a.bits() == 8 && a.is_integral() && a.is_scalar() && b == DataType::Int(8) &&
                     c == DataType::Int(32);
  const bool floats = a == DataType::BFloat16() && b == a &&
                      (c == DataType::Float(32) || c == DataType::BFloat16());
  if (!bytes && !floats) {
    throw Error(Diagnostic{
        .name = "topi-dot-types",
        .message = "there is no such product of narrow types",
        .expected = "int8 or uint8 times int8 to int32, or bfloat16 to float32 or bfloat16",
        .found = a.ToString() + " times " + b.ToString() + " to " + c.ToString(),
        .help = "use topi::cpu::Gemm for float32 and float64"});
  }
  if (shape.batch != 0) {
    throw Error(Diagnostic{.name = "topi-batch",
                           .message = "products of narrow types take no batches",
                           .expected = "matrices",
                           .found = "a batch of " + std::to_string(shape.batch),
                           .help = "call it for each of them"});
  }
  Plan plan{.shape = shape,
            .a = a,
            .b = b,
            .sum = floats ? DataType::Float(32) : DataType::Int(32),
            .c = c,
            .dot = ChooseDot(a, b, shape.m, shape.n, machine),
            .block = {}};
  Block& block = plan.block;
  block.a = a;
  block.b = plan.dot.shifted() ? plan.dot.dot->b : b;
  if (plan.dot.tile != nullptr) {
    block.columns = kTileBlockColumns;
    block.depth = plan.dot.tile->group();
    // A call covers as many rows as half of the second cache has of A. They divide the rows of A
    // unless that wastes much of the tiles.
    constexpr int64_t kFewRows = 64;
    const int64_t row_bytes = plan.steps() * block.depth * a.bytes(),
                  most = std::clamp<int64_t>(machine.l2.bytes / 2 / row_bytes / 32 * 32, 32, 256);
    block.down = TileRowsOf(shape.m, most);
    if (shape.m > most && block.down < kFewRows) block.down = most;
    return plan;
  }
  target::Machine registers = machine;
  if (plan.dot.dot != nullptr) {
    block.rows = plan.dot.dot->rows, block.columns = plan.dot.dot->columns;
    block.depth = plan.dot.dot->depth;
    // Steps of several instructions need registers for intermediate values.
    if (plan.dot.dot->instructions > 2) registers.vector_registers /= 2;
  } else {
    block.columns = machine.Lanes(plan.sum);
    block.a = block.b = plan.sum;
  }
  const RegisterTile tile =
      ChooseRegisterTile(CeilDivide(shape.m, block.rows), shape.n, block.columns, registers);
  block.down = tile.rows, block.across = tile.columns / block.columns;
  if (registers.vector_registers < 16) block.down = std::min<int64_t>(block.down, 4);
  return plan;
}

struct Product {
  Tensor a, b;
  Tensor rows;          // A as the product reads it: A itself or a packed copy
  Tensor whole;         // B itself, or B with zeros around it
  Tensor packed;        // B in panels
  Tensor lanes, shift;  // of shifted products: sums of A's rows, by lanes and in total
  Tensor sums, c;
};

// Rows of A: as they are; or each padded to whole vectors; or in blocks of rows.
Tensor RowsOf(const Plan& plan, const Tensor& a, const target::Machine& machine) {
  const Block& block = plan.block;
  const int64_t m = plan.shape.m, k = plan.shape.k;
  const int64_t rows = plan.row_blocks() * block.rows;
  if (block.rows == 1 && plan.has_whole_rows() && block.a == a->dtype()) return a;
  const auto element = [&](const Expr& row, const Expr& at, bool whole) {
    Expr condition;
    if (!whole) condition = at < k;
    if (rows != m) {
      const Expr inside = row < m;
      condition = condition ? ir::LogicalAnd(inside, condition) : inside;
    }
    const Expr value = ir::MakeCast(block.a, te::At(a, {row, at}));
    return condition ? ir::IfThenElse(condition, value, ir::Const(0, block.a)) : value;
  };
  if (block.rows == 1) {
    const int64_t lanes = std::max<int64_t>(machine.Lanes(block.a), block.depth);
    const int64_t length = std::max(CeilDivide(k, lanes) * lanes, plan.steps() * block.depth);
    return te::Compute({Int(rows), Int(length)},
                       [&](const te::Indices& i) { return element(i[0], i[1], k == length); },
                       "rows",
                       {.attrs = PartAttrs(kMatmul, part::kRows), .axis_names = {"i", "k"}});
  }
  return te::Compute(
      {Int(plan.row_blocks()), Int(plan.steps()), Int(block.rows), Int(block.depth)},
      [&](const te::Indices& i) {
        return element(i[0] * block.rows + i[2], i[1] * block.depth + i[3], k % block.depth == 0);
      },
      "rows",
      {.attrs = PartAttrs(kMatmul, part::kRows), .axis_names = {"block", "step", "i", "k"}});
}

// 128 times the sums of A's rows: first sums for each lane of a vector, then the sum of the lanes.
void AddRowsUp(const Plan& plan, Product& p) {
  const DotRow& row = *plan.dot.sums_of_a;
  const int64_t m = plan.shape.m, vector = row.columns * row.depth;
  const IterVar step = te::ReduceAxis(Int(0), Int(CeilDivide(plan.shape.k, vector)), "step"),
                k = te::ReduceAxis(Int(0), Int(row.depth), "k"),
                lane = te::ReduceAxis(Int(0), Int(row.columns), "lane");
  p.lanes = te::Compute(
      {Int(m), Int(row.columns)},
      [&](const te::Indices& i) {
        const Expr at = step->var * vector + i[1] * row.depth + Expr(k->var);
        return te::Sum(ir::MakeCast(plan.sum, te::At(p.rows, {i[0], at})), {step, k});
      },
      "lanes", {.attrs = PartAttrs(kMatmul, part::kLanes), .axis_names = {"row", "lane"}});
  p.shift = te::Compute(
      {Int(m)},
      [&](const te::Indices& i) {
        return te::Sum(te::At(p.lanes, {i[0], lane->var}) * ir::Const(128, plan.sum), {lane});
      },
      "shift", {.attrs = PartAttrs(kMatmul, part::kShift), .axis_names = {"row"}});
}

Product Describe(const Plan& plan, const target::Machine& machine) {
  const Block& block = plan.block;
  const auto [m, n, k, batch] = plan.shape;
  const int64_t steps = plan.steps(), panel = plan.panel(), panels = plan.panels();
  Product p;
  p.a = te::Placeholder({Int(m), Int(k)}, plan.a, "A");
  p.b = te::Placeholder({Int(k), Int(n)}, plan.b, "B");
  p.rows = RowsOf(plan, p.a, machine);
  p.whole = p.b;
  const int64_t length = steps * block.depth;
  if (k != length || n % panel != 0) {
    p.whole = te::Compute(
        {Int(length), Int(panels * panel)},
        [&](const te::Indices& i) {
          Expr inside = n % panel == 0 ? i[0] < k : i[1] < n;
          if (n % panel != 0 && k != length) inside = ir::LogicalAnd(i[0] < k, inside);
          return ir::IfThenElse(inside, te::At(p.b, {i[0], i[1]}), ir::Const(0, plan.b));
        },
        "whole", {.attrs = PartAttrs(kMatmul, part::kWhole), .axis_names = {"k", "j"}});
  }
  p.packed = te::Compute(
      {Int(panels), Int(steps), Int(panel), Int(block.depth)},
      [&](const te::Indices& i) {
        const Expr row = i[1] * block.depth + Expr(i[3]);
        const Expr element = te::At(p.whole, {row, i[0] * panel + Expr(i[2])});
        return plan.dot.shifted() ? TurnHighestBit(element) : ir::MakeCast(block.b, element);
      },
      "packed",
      {.attrs = PartAttrs(kMatmul, part::kPacked), .axis_names = {"panel", "step", "j", "k"}});

  const IterVar step = te::ReduceAxis(Int(0), Int(steps), "step"),
                in_step = te::ReduceAxis(Int(0), Int(block.depth), "k");
  const auto of_b = [&](const Expr& across, const Expr& column) {
    return te::At(p.packed,
                  {ir::FloorDivide(across, block.across), step->var,
                   ir::FloorModulo(across, block.across) * block.columns + column, in_step->var});
  };
  const auto product = [&](const Expr& a, const Expr& b) {
    return te::Sum(ir::MakeCast(plan.sum, a) * ir::MakeCast(plan.sum, b), {step, in_step});
  };
  const int64_t all_down = CeilDivide(m, plan.tile_rows()) * block.down;
  const int64_t rows = plan.row_blocks();
  p.sums = te::Compute(
      {Int(all_down), Int(panels * block.across), Int(block.rows), Int(block.columns)},
      [&](const te::Indices& i) {
        const Expr down = all_down == rows ? Expr(i[0]) : ir::MakeMin(i[0], Int(rows - 1));
        const Expr a = block.rows == 1
                           ? te::At(p.rows, {down, step->var * block.depth + Expr(in_step->var)})
                           : te::At(p.rows, {down, step->var, i[2], in_step->var});
        return product(a, of_b(i[1], i[3]));
      },
      "sums", {.attrs = AnchorAttrs(kMatmul), .axis_names = {"down", "across", "i", "j"}});
  if (plan.dot.shifted()) AddRowsUp(plan, p);
  p.c = te::Compute({Int(m), Int(n)},
                    [&](const te::Indices& i) {
                      const Expr across = ir::FloorDivide(i[1], block.columns),
                                 column = ir::FloorModulo(i[1], block.columns);
                      Expr value = te::At(p.sums, {ir::FloorDivide(i[0], block.rows), across,
                                                   ir::FloorModulo(i[0], block.rows), column});
                      if (plan.dot.shifted()) value = value - te::At(p.shift, {i[0]});
                      return ir::MakeCast(plan.c, value);
                    },
                    "C", {.attrs = PartAttrs(kMatmul, part::kResult), .axis_names = {"i", "j"}});
  return p;
}

class Scheduler {
 public:
  Scheduler(const Plan& plan, const Product& p, const OperatorWork& work)
      : plan_(plan), p_(p), machine_(work.machine), config_(work.config), s_(work.schedule) {
    const GemmShape& shape = plan.shape;
    parallel_ = WorthThreads(2.0 * static_cast<double>(shape.m) * static_cast<double>(shape.n) *
                             static_cast<double>(shape.k));
  }

  void Run() {
    const IterVar row = Result();
    schedule::ComputeAt(s_[p_.sums], s_[p_.c], row);
    Sums();
    Rows();
    Panels();
    if (plan_.dot.shifted()) Shift();
  }

 private:
  // Schedules the result. Returns the loop over register tiles one below the other.
  IterVar Result() {
    const Block& block = plan_.block;
    schedule::Stage& c = s_[p_.c];
    auto t = schedule::Tile(c, AxisOf(p_.c, 0), AxisOf(p_.c, 1), plan_.tile_rows(), plan_.panel());
    if (plan_.dot.tile != nullptr) {
      // A call of tiles finds its rows of A in the second cache for all panels, each of which is
      // read once for them. Its sums are in memory already.
      schedule::Reorder(c, {t.x_outer, t.y_outer, t.x_inner, t.y_inner});
      VectorizeRow(c, t.y_inner, std::min(machine_.Lanes(plan_.sum), block.columns));
      const IterVar call = schedule::Fuse(c, {t.x_outer, t.y_outer});
      if (parallel_) schedule::Parallel(c, call);
      return call;
    }
    auto [part, row] = schedule::Split(
        c, t.x_outer,
        config_.Ask({"dot_gemm.block_tiles", std::max<int64_t>(1, 96 / plan_.tile_rows()), 1, 1024,
                     "tiles one below the other that a thread takes at once"}));
    schedule::Reorder(c, {t.y_outer, part, row, t.x_inner, t.y_inner});
    // Sums in registers need constant positions, so the loop is unrolled.
    schedule::Unroll(c, t.x_inner);
    VectorizeRow(c, t.y_inner, block.columns);
    if (parallel_) schedule::Parallel(c, schedule::Fuse(c, {t.y_outer, part}));
    return row;
  }

  void Sums() {
    schedule::Stage& sums = s_[p_.sums];
    const IterVar down = AxisOf(p_.sums, 0), across = AxisOf(p_.sums, 1), i = AxisOf(p_.sums, 2),
                  j = AxisOf(p_.sums, 3), step = schedule::ReduceAxisOf(p_.sums, 0),
                  in_step = schedule::ReduceAxisOf(p_.sums, 1);
    if (plan_.dot.tile != nullptr) {
      schedule::Reorder(sums, {across, i, down, j, step, in_step});
      schedule::Tensorize(sums, down,
                          TileIntrin(*plan_.dot.tile, plan_.block.down,
                                     plan_.steps() * plan_.block.depth / plan_.dot.tile->depth()));
      return;
    }
    schedule::Reorder(sums, {step, down, across, i, j, in_step});
    schedule::Unroll(sums, down);
    schedule::Unroll(sums, across);
    if (plan_.dot.dot != nullptr) {
      schedule::Tensorize(sums, i, DotIntrin(*plan_.dot.dot));
    } else {
      schedule::Vectorize(sums, j);
    }
  }

  void Rows() {
    if (ir::SameTensor(p_.rows, p_.a)) return;
    schedule::Stage& rows = s_[p_.rows];
    const IterVar last = rows.leaf_axes.back();
    // Vector by vector: a row is too long to be unrolled.
    VectorizeInner(rows, last, 1,
                   std::min(machine_.Lanes(plan_.block.a),
                            plan_.block.rows == 1 ? int64_t{64} : plan_.block.depth));
    if (parallel_) schedule::Parallel(rows, AxisOf(p_.rows, 0));
  }

  void Panels() {
    if (!ir::SameTensor(p_.whole, p_.b)) {
      schedule::Stage& whole = s_[p_.whole];
      VectorizeInner(whole, AxisOf(p_.whole, 1), 1,
                     std::min(machine_.Lanes(plan_.b), std::gcd(plan_.panel(), int64_t{64})));
      if (parallel_) schedule::Parallel(whole, AxisOf(p_.whole, 0));
    }
    schedule::Stage& packed = s_[p_.packed];
    const IterVar j = AxisOf(p_.packed, 2);
    if (plan_.block.depth == 1) {
      VectorizeRow(packed, j, plan_.block.columns);
    } else {
      const int64_t columns = std::gcd(plan_.panel(), int64_t{16});
      const IterVar inner = schedule::Split(packed, j, columns).second;
      schedule::Tensorize(packed, inner,
                          PackRowsIntrin(plan_.block.depth, columns, plan_.b, plan_.dot.shifted()));
    }
    if (parallel_) schedule::Parallel(packed, AxisOf(p_.packed, 0));
  }

  void Shift() {
    schedule::Stage &shift = s_[p_.shift], &lanes = s_[p_.lanes];
    const IterVar row = AxisOf(p_.shift, 0);
    schedule::Unroll(shift, schedule::ReduceAxisOf(p_.shift, 0));
    schedule::ComputeAt(lanes, shift, row);
    schedule::Reorder(lanes, {schedule::ReduceAxisOf(p_.lanes, 0), AxisOf(p_.lanes, 1),
                              schedule::ReduceAxisOf(p_.lanes, 1)});
    schedule::Tensorize(lanes, AxisOf(p_.lanes, 1), SumIntrin(*plan_.dot.sums_of_a));
    if (parallel_) schedule::Parallel(shift, row);
  }

  const Plan& plan_;
  const Product& p_;
  const target::Machine& machine_;
  Config& config_;
  Schedule s_;
  bool parallel_ = false;
};

// Finds the stages of the product that gives `result`, as Describe made them.
Product ProductOf(const ir::Op& result) {
  Product p;
  const auto part = [&](const char* name) {
    const ir::Op op = PartOf(result, name);
    return op ? ir::OutputOf(op, 0) : Tensor();
  };
  p.c = ir::OutputOf(result, 0);
  for (const Tensor& input : ir::InputsOf(*result)) {
    if (AnchorOf(*input->op) == kMatmul) p.sums = input;
  }
  p.packed = part(part::kPacked), p.whole = part(part::kWhole), p.rows = part(part::kRows);
  p.lanes = part(part::kLanes), p.shift = part(part::kShift);
  if (!p.sums || !p.packed) return {};
  p.b = ir::InputsOf(*(p.whole ? p.whole : p.packed)->op)[0];
  if (!p.whole) p.whole = p.b;
  for (const Tensor& input : ir::InputsOf(*(p.rows ? p.rows : p.sums)->op)) {
    if (!ir::SameTensor(input, p.packed)) p.a = input;
  }
  if (!p.rows) p.rows = p.a;
  return p;
}

Plan PlanOf(const Product& p, const target::Machine& machine) {
  return MakePlan({ConstExtent(p.c, 0), ConstExtent(p.c, 1), ConstExtent(p.a, 1)}, p.a->dtype(),
                  p.b->dtype(), p.c->dtype(), machine);
}

bool HasShape(const Tensor& tensor, const std::vector<int64_t>& extents) {
  if (tensor->shape().size() != extents.size()) return false;
  for (size_t i = 0; i < extents.size(); ++i) {
    if (ConstExtent(tensor, i) != extents[i]) return false;
  }
  return true;
}

}  // namespace

std::string WhyNotDotGemm(const ir::Op& result, const target::Machine& machine) {
  const Product p = ProductOf(result);
  if (!p.packed || p.packed->shape().size() != 4)
    return "it is not described in operands of dot products";
  const Plan plan = PlanOf(p, machine);
  const Block& block = plan.block;
  return HasShape(p.packed, {plan.panels(), plan.steps(), plan.panel(), block.depth}) &&
                 HasShape(p.sums, {CeilDivide(plan.shape.m, plan.tile_rows()) * block.down,
                                   plan.panels() * block.across, block.rows, block.columns}) &&
                 plan.dot.shifted() == static_cast<bool>(p.shift)
             ? ""
             : "it is described in operands of another machine's instruction";
}

void ScheduleDotGemm(const OperatorWork& work) {
  const Product p = ProductOf(work.result->op);
  const Plan plan = PlanOf(p, work.machine);
  Scheduler(plan, p, work).Run();
}

Kernel DotGemm(const GemmShape& shape, DataType a, DataType b, DataType c,
               const target::Machine& machine, Config config) {
  const Product p = Describe(MakePlan(shape, a, b, c, machine), machine);
  const Schedule s = schedule::CreateSchedule({p.c->op});
  ScheduleDotGemm({s, p.c, machine, config});
  return {s, {p.a, p.b, p.c}};
}

}  // namespace lathe::topi::cpu
