// Statements of operators that are written as loops (te::Extern).
//
// Loads and stores take indices of any integer type. All functions are pure and thread-safe.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "graph/ops/define.h"
#include "ir/stmt.h"

namespace lathe::graph::ops {

using ir::Buffer;
using ir::Stmt;

Expr LoadAt(const Buffer& buffer, const std::vector<Expr>& indices);
Stmt StoreAt(const Buffer& buffer, const Expr& value, const std::vector<Expr>& indices);

// `body` for min, min + 1, ... min + extent - 1, one after the other.
Stmt ForRange(const Expr& min, const Expr& extent, const std::string& name,
              const std::function<Stmt(const Expr&)>& body);
// `body` for each place of `shape`, in row-major order.
Stmt ForEach(const std::vector<Expr>& shape,
             const std::function<Stmt(const std::vector<Expr>& at)>& body);
// `body` with a name for `value`, which is computed once.
Stmt LetIn(const std::string& name, const Expr& value,
           const std::function<Stmt(const Expr&)>& body);

// One output of a statement.
Results OneExtern(te::Shape shape, DataType dtype, std::vector<Tensor> inputs,
                  const std::function<Stmt(const std::vector<Buffer>& in, const Buffer& out)>& body,
                  std::string name = "y");

}  // namespace lathe::graph::ops
