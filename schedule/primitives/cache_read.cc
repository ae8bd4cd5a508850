#include "schedule/primitives/cache_read.h"

#include <algorithm>

#include "base/error.h"
#include "ir/names.h"
#include "schedule/trace.h"
#include "schedule/trace_names.h"
#include "te/operation.h"

namespace lathe::schedule {

namespace {

[[noreturn]] void NoReader(std::string message, std::string expected, std::string found,
                           std::string help) {
  throw Error(Diagnostic{.name = "schedule-cache-no-reader",
                         .message = std::move(message),
                         .expected = std::move(expected),
                         .found = std::move(found),
                         .help = std::move(help)});
}

// A scan reads its parts and states without copies: they are its own buffer (S49).
bool Reads(const Stage& stage, const Tensor& tensor) {
  if (ir::As<ir::ScanOp>(stage.op) != nullptr) {
    const Stage* source = stage.schedule->Find(tensor->op);
    if (source->is_placeholder() || source->scan == &stage) return false;
  }
  for (const Tensor& input : ir::InputsOf(*stage.op)) {
    if (ir::SameTensor(input, tensor)) return true;
  }
  return false;
}

// Those of `readers` that read the tensor; all its readers if `readers` is empty.
std::vector<Stage*> FindReaders(const Schedule& schedule, const Tensor& tensor,
                                const std::vector<Op>& readers, bool all_must_read) {
  std::vector<Stage*> found;
  for (const Op& reader : readers) {
    Stage& stage = schedule[reader];
    if (Reads(stage, tensor)) {
      found.push_back(&stage);
    } else if (all_must_read) {
      NoReader("cache_read: stage `" + stage.name + "` does not read `" + tensor->name() + "`",
               "readers of `" + tensor->name() + "`", "`" + stage.name + "`",
               "name the operations that read the tensor now (an earlier cache_read may have "
               "redirected them)");
    }
  }
  if (readers.empty()) {
    for (const Ref<Stage>& stage : schedule->stages) {
      if (Reads(*stage, tensor)) found.push_back(stage.get());
    }
  }
  if (found.empty()) {
    NoReader("cache_read: nothing reads `" + tensor->name() + "`", "at least one reader", "none",
             "use cache_write for the copy of an output");
  }
  return found;
}

// The scan in whose steps the tensor changes, or null.
Stage* ScanAround(const ScheduleNode& schedule, const Stage& source) {
  if (source.scan != nullptr) return source.scan;
  for (const Ref<Stage>& stage : schedule.stages) {
    const auto* scan = ir::As<ir::ScanOp>(stage->op);
    if (scan == nullptr) continue;
    for (const Tensor& state : scan->state) {
      if (state->op.same_as(source.op)) return stage.get();
    }
  }
  return nullptr;
}

Tensor Current(const Schedule& schedule, const Tensor& tensor) {
  return ir::OutputOf(schedule[tensor].op, tensor->value_index);
}

Tensor CacheFor(Schedule& schedule, const Tensor& tensor, std::string scope,
                const std::vector<Stage*>& consumers) {
  Stage& source = schedule[tensor];
  const Tensor current = Current(schedule, tensor);
  // Stages and readers by name, before the names change.
  std::vector<Expr> reader_names;
  for (const Stage* stage : consumers) reader_names.push_back(ir::String(stage->name));
  Dict operands = {{operand::kStage, ir::String(source.name)},
                   {operand::kOutput, ir::Int(tensor->value_index)},
                   {operand::kScope, ir::String(scope)},
                   {operand::kReaders, ir::MakeCall(DataType::Handle(), ir::kListOperand,
                                                    {reader_names.begin(), reader_names.end()})}};
  const Tensor cache = te::Compute(
      current->shape(), [&](const te::Indices& i) { return te::At(current, {i.begin(), i.end()}); },
      current->name() + "." + scope);
  Stage& stage = schedule->Insert(schedule->PositionOf(source) + 1, cache->op);
  stage.scope = std::move(scope);
  if (Stage* scan = ScanAround(*schedule, source)) {
    stage.scan = scan;
    stage.attach = AttachKind::kScan;
    stage.attach_stage = scan;
    stage.attach_axis = static_cast<const ir::ScanOp&>(*scan->op).scan_axis;
  }
  if (std::all_of(consumers.begin(), consumers.end(),
                  [&](const Stage* reader) { return reader->group == consumers[0]->group; }))
    stage.group = consumers[0]->group;

  // First the readers read the copy; then all later operations use the readers' new operations.
  const size_t position = schedule->PositionOf(stage) + 1;
  std::vector<std::pair<Tensor, Tensor>> changed;
  for (Stage* consumer : consumers) {
    const Op before = consumer->op;
    const Op after = te::ReplaceInputs(before, {{current, cache}});
    consumer->op = after;
    schedule->Map(after, consumer);
    for (Op& output : schedule->outputs) {
      if (output.same_as(before)) output = after;
    }
    for (int64_t k = 0; k < ir::NumOutputs(*after); ++k)
      changed.emplace_back(ir::OutputOf(before, k), ir::OutputOf(after, k));
  }
  schedule->ReplaceTensors(std::move(changed), position, {});
  Record(*schedule, primitive::kCacheRead, {stage.name}, std::move(operands));
  return cache;
}

}  // namespace

Tensor CacheRead(Schedule& schedule, const Tensor& tensor, std::string scope,
                 const std::vector<Op>& readers) {
  return CacheFor(schedule, tensor, std::move(scope),
                  FindReaders(schedule, Current(schedule, tensor), readers, true));
}

std::vector<Tensor> CacheRead(Schedule& schedule, const std::vector<Tensor>& tensors,
                              const std::string& scope, const std::vector<Op>& readers) {
  // All checks come before all changes. Stages stay the same while their operations change.
  std::vector<std::vector<Stage*>> consumers;
  for (const Tensor& tensor : tensors)
    consumers.push_back(FindReaders(schedule, Current(schedule, tensor), readers, false));
  std::vector<Tensor> caches;
  for (size_t i = 0; i < tensors.size(); ++i)
    caches.push_back(CacheFor(schedule, tensors[i], scope, consumers[i]));
  return caches;
}

}  // namespace lathe::schedule
