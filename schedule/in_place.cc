#include "schedule/in_place.h"

#include "ir/walk.h"
#include "schedule/normalize.h"

namespace lathe::schedule {
namespace {

bool IsTensorized(const Stage& stage) {
  for (const auto& [leaf, attr] : stage.leaf_attrs) {
    if (attr.intrin) return true;
  }
  return false;
}

// Does `compute` read each element of `tensor` only for the same element of its result?
bool ReadsItsPlacesOnly(const ir::ComputeOp& compute, const Tensor& tensor) {
  bool own = true;
  ir::PostOrder(compute.body[0], [&](const ir::Node& node) {
    const auto* load = ir::As<ir::Load>(&node);
    if (load == nullptr) return;
    const Tensor source = ir::RefAs<ir::TensorNode>(load->source);
    if (!source || !ir::SameTensor(source, tensor)) return;
    own = own && load->indices.size() == compute.axis.size();
    for (size_t i = 0; own && i < load->indices.size(); ++i)
      own = load->indices[i].same_as(compute.axis[i]->var);
  });
  return own;
}

}  // namespace

std::string WhyNotInPlace(const Schedule& normal, const Tensor& from, const Tensor& to) {
  const Stage& stage = normal->Require(to->op);
  const auto* compute = ir::As<ir::ComputeOp>(stage.op);
  if (compute == nullptr || compute->body.size() != 1 || !compute->reduce_axis.empty())
    return "it is no compute with one result and without a reduction";
  if (IsTensorized(stage)) return "a loop of it is a tensor intrinsic";
  if (stage.store_predicate) return "a predicate decides which elements are stored";
  if (stage.kept_whole) return "a loop of another stage may compute elements twice";
  if (!stage.env_threads.empty()) return "threads around the stage may compute elements twice";
  if (!stage.layouts.empty()) return "its layout was transformed";
  for (const Stage* reader : ReadersOf(*normal, from->op, from->value_index)) {
    if (reader != &stage) return "`" + reader->name + "` reads `" + from->name() + "`, too";
  }
  if (!ReadsItsPlacesOnly(*compute, from))
    return "it reads `" + from->name() + "` at other places than its own";
  return "";
}

}  // namespace lathe::schedule
