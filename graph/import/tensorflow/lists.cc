// Lists of tensors of one shape, as loops of recurrent networks read and write them. A list is a
// tensor with one more dimension, the first.
//
// A list that is reserved may not say the shape of its elements. It is then a row of zeros until
// the first element is written. A loop that carries it is made of what its body writes
// (control.cc).
#include "graph/import/tensorflow/operators.h"

namespace lathe::graph::tensorflow {
namespace {

Results Reserve(NodeContext& n) {
  const int64_t count = n.Int(1, "num_elements");
  if (count < 0 || count > Values::kMostElements) {
    n.Fail("has an impossible number of elements", "0 and more", std::to_string(count));
  }
  std::vector<int64_t> shape = n.Ints(0, "element_shape");
  bool known = Maker::RankOf(n.In(0)) == 1;  // of rank 0, it says nothing
  for (const int64_t extent : shape) known = known && extent >= 0;
  if (!known) shape.clear();
  shape.insert(shape.begin(), count);
  const GraphVar zeros = n.Call(
      "zeros", {},
      {{"shape", IntsAttr(shape)}, {"dtype", StringAttr(n.Type("element_dtype").ToString())}});
  if (!known) n.importer.AddOpenList(zeros);
  return {zeros};
}

Results Same(NodeContext& n) { return {n.Identity(n.In(0))}; }

Results GetItem(NodeContext& n) {
  if (n.importer.IsOpenList(n.In(0))) n.Fail("reads a list before anything is written into it");
  return {n.Call("take", {n.In(0), n.In(1)}, {{"axis", IntAttr(0)}})};
}

Results SetItem(NodeContext& n) {
  GraphVar list = n.In(0);
  const GraphVar item = n.In(2);
  if (n.importer.IsOpenList(list)) {
    std::vector<Expr> shape = Maker::ShapeOf(item);
    shape.insert(shape.begin(), Maker::ShapeOf(list)[0]);
    list = n.Call(
        "zeros", {},
        {{"shape", ShapeAttr(shape)}, {"dtype", StringAttr(Maker::DTypeOf(item).ToString())}});
  }
  return {n.Call("index_put", {list, n.ExpandDims(item, 0), n.Reshape(n.In(1), {Int64(1)})})};
}

Results Length(NodeContext& n) {
  const GraphVar shape = n.Call("shape_of", {n.In(0)}, {{"dtype", StringAttr("int32")}});
  return {n.Reshape(n.Slice(shape, 0, Int64(0), Int64(1)), {})};
}

}  // namespace

std::vector<Conversion> Lists() {
  return {
      {"TensorListReserve", Reserve}, {"TensorListFromTensor", Same}, {"TensorListStack", Same},
      {"TensorListGetItem", GetItem}, {"TensorListSetItem", SetItem}, {"TensorListLength", Length},
  };
}

}  // namespace lathe::graph::tensorflow
