// What the operators of quantised numbers have in common.
#pragma once

#include <string>
#include <utility>

#include "graph/ops/define.h"

namespace lathe::graph::ops {

inline AttrDef QuantisedType(std::string fallback) {
  return ElementType("out_dtype", "the type of the result, an integer", std::move(fallback));
}
// The value of that attribute.
inline DataType QuantisedTypeOf(const TypeContext& c) {
  const DataType dtype = c.attrs.Type("out_dtype");
  if (!(dtype.is_int() || dtype.is_uint()) || dtype.bits() > 32) {
    c.FailAttr("out_dtype", "is no type of quantised numbers", "an integer of at most 32 bits",
               dtype.ToString());
  }
  return dtype;
}

}  // namespace lathe::graph::ops
