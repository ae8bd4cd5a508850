#include "ir/complete.h"

namespace lathe::ir {

std::string MissingPart(const Node& node) {
  for (const FieldInfo& field : FieldsOf(node.node_kind())) {
    if (field.type == FieldType::kNode && !field.nullable && field.node(node) == nullptr) {
      return std::string("its ") + field.name + " is missing";
    }
    if (field.type == FieldType::kList) {
      for (size_t i = 0; i < field.list_size(node); ++i) {
        if (field.list_at(node, i) == nullptr) {
          return "element " + std::to_string(i) + " of its " + field.name + " is missing";
        }
      }
    }
  }
  return "";
}

}  // namespace lathe::ir
