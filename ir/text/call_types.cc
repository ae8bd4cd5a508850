#include "ir/text/call_types.h"

#include "ir/intrinsic.h"

namespace lathe::ir {
namespace {

bool TypeOfArg(const std::vector<NodeRef>& args, size_t i, DataType* type) {
  if (i >= args.size() || !IsExpr(args[i].get())) return false;
  *type = static_cast<const ExprNode&>(*args[i]).dtype;
  return true;
}

}  // namespace

bool InferCallType(std::string_view op, const std::vector<NodeRef>& args, bool statement,
                   DataType* type) {
  const Intrinsic* intrinsic = FindIntrinsic(op);
  if (intrinsic == nullptr) return false;
  switch (intrinsic->result_rule) {
    case ResultRule::kFirst:
      return TypeOfArg(args, 0, type);
    case ResultRule::kSecond:
      return TypeOfArg(args, 1, type);
    case ResultRule::kBoolLanes:
      if (!TypeOfArg(args, 0, type)) return false;
      *type = DataType(DLDataType{kDLBool, 8, type->dl().lanes});
      return true;
    case ResultRule::kFixed:
      *type = intrinsic->result;
      return true;
    case ResultRule::kVoid:
      *type = DataType::Void();
      return true;
    case ResultRule::kCaller:
      *type = DataType::Void();
      return statement;
  }
  return false;
}

}  // namespace lathe::ir
