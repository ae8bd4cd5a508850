#include "te/shape_text.h"

namespace lathe::te {

std::string ShapeText(const std::vector<ir::Expr>& shape) {
  std::string text = "[";
  for (const ir::Expr& extent : shape) {
    const int64_t* value = ir::AsConstInt(extent);
    text += (text.size() == 1 ? "" : ", ") + (value != nullptr ? std::to_string(*value) : "?");
  }
  return text + "]";
}

}  // namespace lathe::te
