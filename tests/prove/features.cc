#include "tests/prove/features.h"

#include "schedule/bounds.h"
#include "schedule/normalize.h"

namespace lathe::prove {

using schedule::Stage;

std::set<std::string> FeaturesOf(const schedule::Schedule& given) {
  std::set<std::string> features;
  const schedule::Schedule schedule = schedule::Normalize(given);
  bool threads = false;
  for (const Ref<Stage>& stage : schedule->stages) {
    for (const auto& [axis, attr] : stage->leaf_attrs) threads = threads || attr.thread;
    threads = threads || !stage->env_threads.empty();
  }
  for (const Ref<Stage>& stage : schedule->stages) {
    if (stage->is_placeholder()) continue;
    bool touched = !stage->relations.empty();
    for (const auto& leaf : stage->leaf_axes) {
      const schedule::LeafAttr* attr = stage->FindAttr(leaf);
      touched = touched || attr != nullptr;
      if (attr == nullptr || !attr->thread) continue;
      if (attr->thread->thread_tag == "vthread") features.insert("vthread");
      if (leaf->iter_kind == ir::IterKind::kReduce) features.insert("cross-thread reduction");
    }
    if (threads && !stage->is_output && stage->attach == schedule::AttachKind::kScope)
      features.insert(schedule::StorageScope(*stage) + " memory");
    if (touched && ir::As<ir::ScanOp>(stage->op) != nullptr) features.insert("time loop");
    if (touched && stage->scan != nullptr) features.insert("within a scan");
  }
  return features;
}

}  // namespace lathe::prove
