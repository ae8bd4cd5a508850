// Reverse-mode differentiation of bindings: the core of the pass Gradient (graph/passes), and what
// gradients of single operators are made with.
//
// For each binding, from the last one to the first, the gradient of its value is handed on to what
// it reads, by the operator's definition (OpDef::gradient) [Griewank, Walther, Evaluating
// Derivatives, 2008, chapter 3]. What is read several times gets the sum. Only floating tensors
// have gradients, and tuples of them.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "graph/builder.h"

namespace lathe::graph {

// The gradient of a value: `tensor` of a tensor, `fields` of a tuple. Empty: it is zero.
struct Cotangent {
  ir::GraphVar tensor = {};
  std::vector<Cotangent> fields = {};
  bool IsZero() const { return !tensor && fields.empty(); }
};

// Has the type a floating tensor?
bool IsDifferentiable(const ir::NodeRef& type);
// Has the variable a gradient, if it reads something that has one? False for other elements than
// floating ones, and for `stop_gradient`.
bool HandsOnGradient(const ir::GraphBinding& binding);
// The fields of the value `var` as gradients; parts that have no floating elements are empty.
Cotangent CotangentOf(Builder& builder, const ir::GraphVar& var);
// A value of the type, with zeros where the gradient is empty.
ir::GraphVar FullValue(Builder& builder, const Cotangent& cotangent, const ir::NodeRef& type);
// `gradient`, summed over the dimensions along which a tensor of the type was broadcast, and cast.
ir::GraphVar SumTo(Builder& builder, ir::GraphVar gradient, const ir::TensorType& type);

// The gradients of `targets`, for the gradient `seed` of `result`. `bindings` are the last ones of
// the builder's open block, and compute `result` from the targets. Targets whose gradient is zero
// are empty. Throws Error "graph-no-gradient" and "graph-gradient-loop"; the binding is a note.
std::vector<Cotangent> Reverse(Builder& builder, const List<ir::GraphBinding>& bindings,
                               const ir::GraphVar& result, const Cotangent& seed,
                               const std::vector<ir::GraphVar>& targets);

// The gradients of the arguments of `c`, for a call that does the same as what `build` makes of
// them: with it, the gradient of an operator is that of a composition of others.
using Composition = std::function<ir::GraphVar(
    Builder& builder, const std::vector<ir::GraphVar>& args, const Attrs& attrs)>;
std::vector<ir::GraphVar> PullBack(const GradientContext& c, const Composition& build);

// Emits what the block computes, and returns what stands for its result. `params` are replaced.
ir::GraphVar InlineBlock(Builder& builder, const GraphBlockRef& block,
                         const std::vector<ir::GraphVar>& params = {},
                         const std::vector<ir::GraphVar>& args = {});
// The block without bindings that nobody reads.
GraphBlockRef WithoutDeadCode(const GraphBlockRef& block);

// For loops that count: the greatest number of rounds, if it is an expression over sizes. `init` of
// the loop must have been emitted by the builder. Else nothing.
std::optional<ir::Expr> MostRounds(const Builder& builder, const ir::GraphLoop& loop);

}  // namespace lathe::graph
