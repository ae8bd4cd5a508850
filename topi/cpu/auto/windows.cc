#include "topi/cpu/auto/windows.h"

#include <algorithm>
#include <map>

#include "schedule/primitives/primitives.h"
#include "topi/cpu/loops.h"

namespace lathe::topi::cpu {
namespace {

using ir::IterVar;

// Rows of a strip, which a thread takes at once: many more than the rows that it computes twice.
constexpr int64_t kStripRows = 128;
// Several vectors at once let their loads overlap (backends/llvm/overlap.h).
constexpr Knob kVectorsKnob = {"default.window_vectors", 4, 1, 16,
                               "vectors of a row of stencils computed together"};
// The default was measured: see topi/cpu/stencil.cc.
constexpr Knob kBytesAheadKnob = {"default.bytes_ahead", 3072, 1, 1 << 16,
                                  "bytes of a row that memory is asked for"};

int64_t BytesOf(const Facts& facts) {
  int64_t bytes = facts.compute->body[0]->dtype.bytes();
  for (const IterVar& axis : facts.compute->axis) bytes *= ExtentOf(axis);
  return bytes;
}

// The rows of a stage, first and last, that one row of the last stage needs. They are relative to
// that row.
struct Rows {
  int64_t first = 0, last = 0;
  int64_t count() const { return last - first + 1; }
};
using RowsOf = std::map<const ir::Node*, Rows>;

// `chain`: each stage comes before the stages that it reads.
RowsOf FindRows(const std::vector<const Facts*>& chain) {
  RowsOf rows;
  rows[chain[0]->compute] = {};
  for (const Facts* facts : chain) {
    const auto own = rows.find(facts->compute);
    if (own == rows.end()) continue;
    const Rows of = own->second;
    for (const Access& access : facts->accesses) {
      if (access.offsets.empty()) continue;
      const int64_t offset = access.offsets[access.offsets.size() - 2];
      const auto [at, is_new] =
          rows.try_emplace(access.tensor->op.get(), Rows{of.first + offset, of.last + offset});
      if (!is_new) {
        at->second.first = std::min(at->second.first, of.first + offset);
        at->second.last = std::max(at->second.last, of.last + offset);
      }
    }
  }
  return rows;
}

// The large tensors outside of the chain that a stage reads at three rows or more. That is more
// than the processor's own prefetching keeps up with.
std::vector<ir::Tensor> WindowsFromMemory(const StageWork& work,
                                          const std::vector<const Facts*>& chain) {
  const RowsOf rows = FindRows({&work.facts});
  std::vector<ir::Tensor> found;
  for (const Access& access : work.facts.accesses) {
    const ir::Tensor& tensor = access.tensor;
    const auto computes = [&](const Facts* member) { return member->compute == tensor->op.get(); };
    const auto is_it = [&](const ir::Tensor& other) { return ir::SameTensor(other, tensor); };
    if (access.offsets.empty() || rows.at(tensor->op.get()).count() < 3 ||
        std::any_of(chain.begin(), chain.end(), computes) ||
        work.schedule[tensor].attach != schedule::AttachKind::kRoot ||
        std::any_of(found.begin(), found.end(), is_it))
      continue;
    int64_t bytes = tensor->dtype().bytes();
    for (const ir::Expr& extent : tensor->shape()) bytes *= ExtentOf(extent);
    if (bytes > work.machine.l2.bytes) found.push_back(tensor);
  }
  return found;
}

bool IsKept(const StageWork& member) {
  return member.stage().attach != schedule::AttachKind::kInline;
}

std::vector<const Facts*> ChainOf(const StageWork& root, const std::vector<StageWork>& members) {
  std::vector<const Facts*> chain = {&root.facts};
  for (size_t i = members.size(); i-- > 0;) chain.push_back(&members[i].facts);
  return chain;
}

// Computes the columns of a stage in vectors, several at a time.
void Columns(const StageWork& work, const IterVar& columns, const std::vector<ir::Tensor>& ahead) {
  const int64_t extent = ExtentOf(work.facts.compute->axis.back());
  const int64_t vectors = work.config.Ask(kVectorsKnob);
  const int64_t block = std::clamp<int64_t>(extent / work.lanes(), 1, vectors) * work.lanes();
  auto [outer, inner] = schedule::Split(work.stage(), columns, block);
  VectorizeRow(work.stage(), inner, work.lanes());
  for (const ir::Tensor& tensor : ahead) {
    const int64_t bytes = work.config.Ask(kBytesAheadKnob);
    schedule::Prefetch(work.stage(), tensor, outer,
                       std::max<int64_t>(1, bytes / (block * tensor->dtype().bytes())));
  }
}

}  // namespace

bool IsPlane(const Facts& facts, const target::Machine&) {
  if (facts.pattern != Pattern::kMap || facts.compute == nullptr) return false;
  const auto& axes = facts.compute->axis;
  if (axes.size() < 2 || facts.compute->body.size() != 1) return false;
  return ExtentOf(axes[axes.size() - 2]) >= 16 && ExtentOf(axes.back()) >= 64;
}

bool IsWindowOf(const Facts& facts, const Facts& reader, const Access& access) {
  if (facts.pattern != Pattern::kMap || facts.compute->body.size() != 1 ||
      access.offsets.size() < 2 || facts.compute->axis.size() != reader.compute->axis.size())
    return false;
  for (size_t axis = 0; axis + 2 < access.offsets.size(); ++axis) {
    if (access.offsets[axis] != 0 ||
        ExtentOf(facts.compute->axis[axis]) != ExtentOf(reader.compute->axis[axis]))
      return false;
  }
  return true;
}

bool WorthWindows(const StageWork& root, const std::vector<StageWork>& members) {
  const RowsOf rows = FindRows(ChainOf(root, members));
  bool worth = false;
  for (const StageWork& member : members) {
    const int64_t count = rows.at(member.facts.compute).count();
    if (count > kStripRows / 4) return false;  // strips would compute too much twice
    worth = worth || (IsKept(member) && count > 1 && BytesOf(member.facts) > root.machine.l2.bytes);
  }
  return worth;
}

void ScheduleWindows(const StageWork& root, const std::vector<StageWork>& members) {
  const std::vector<const Facts*> chain = ChainOf(root, members);
  const RowsOf rows = FindRows(chain);
  // Columns in blocks, so that all windows fit into the second-level cache.
  int64_t column_bytes = 0;
  double work = root.facts.work;
  for (const StageWork& member : members) {
    if (IsKept(member))
      column_bytes += rows.at(member.facts.compute).count() * member.tensor->dtype().bytes();
    work += member.facts.work * (member.facts.cost.has_function ? 20 : 1);
  }
  const auto& axes = root.facts.compute->axis;
  const int64_t height = ExtentOf(axes[axes.size() - 2]), width = ExtentOf(axes.back());
  const int64_t unit = root.config.Ask(kVectorsKnob) * root.lanes();
  const int64_t most =
      std::max(unit, root.machine.l2.bytes / 2 / std::max<int64_t>(1, column_bytes) / unit * unit);
  const int64_t strip = root.config.Ask(
      {"default.strip_rows", std::min(kStripRows, std::max<int64_t>(16, height / 16)), 16, 1 << 16,
       "rows of stencils that a thread takes at once"});

  schedule::Stage& stage = root.stage();
  std::vector<IterVar> outer(stage.leaf_axes.begin(), stage.leaf_axes.end() - 2);
  const auto [strips, row] = schedule::Split(stage, axes[axes.size() - 2], strip);
  outer.push_back(strips);
  IterVar columns = axes.back();
  // An unknown width counts as a small one: loops over blocks beyond its end would cost more than
  // the caches gain.
  if (ir::AsConstInt(columns->domain->extent) != nullptr && width > most) {
    const auto [blocks, within] = schedule::Split(stage, columns, most);
    outer.push_back(blocks);
    columns = within;
  }
  std::vector<IterVar> order = outer;
  order.push_back(row);
  order.push_back(columns);
  schedule::Reorder(stage, order);
  if (WorthThreads(work)) {
    const IterVar piece = ParallelOver(stage, outer);
    if (stage.is_output) StreamResults(stage, piece, BytesOf(root.facts), root.machine);
  }
  Columns(root, columns, WindowsFromMemory(root, chain));
  for (const StageWork& member : members) {
    if (!IsKept(member)) continue;
    schedule::Stage& kept = member.stage();
    const auto& own = member.facts.compute->axis;
    schedule::ComputeAt(kept, stage, row);
    if (rows.at(member.facts.compute).count() > 1) {
      schedule::RollingBuffer(kept);
      schedule::StorageAlign(kept, own[own.size() - 2], member.lanes(), 0);
    }
    Columns(member, own.back(), WindowsFromMemory(member, chain));
  }
}

}  // namespace lathe::topi::cpu
