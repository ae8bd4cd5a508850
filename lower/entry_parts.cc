#include "lower/entry_parts.h"

#include "base/error.h"
#include "ir/intrinsic_names.h"
#include "ir/rewrite.h"

namespace lathe::lower {

using namespace ir;  // NOLINT: the nodes' names, in this file only

void ThrowUnbound(const Func& func, const Var& var) {
  throw Error(Diagnostic{.name = "call-unbound-variable",
                         .message = "function `" + func->name + "` uses the variable `" +
                                    var->name + "`, which no argument determines",
                         .expected = "an argument with `" + var->name +
                                     "` alone as an extent or stride, or `" + var->name +
                                     "` itself as an argument",
                         .found = "none",
                         .help = "pass `" + var->name + "` as an argument"});
}

bool CallsPacked(const Func& func) {
  bool calls = false;
  PostOrder(func->body, [&](const Node& node) {
    const auto* call = As<Call>(&node);
    calls = calls || (call != nullptr && call->op == intrinsic::kCallPacked);
  });
  return calls;
}

Stmt ViewOf(const Buffer& buffer, const Stmt& body) {
  Buffer declared = CopyBuffer(
      buffer, [&](BufferNode& copy) { copy.data = MakeVar(copy.name, DataType::Handle()); });
  return MakeDeclBuffer(declared, buffer->data, ReplaceBuffer(body, buffer, declared));
}

}  // namespace lathe::lower
