// Values in another form than the graph's: in blocks of channels, in panels, as matrices. The
// driver of the passes choose_layouts, pack_weights and group_products.
//
//   %1 = nn.conv2d(%x, %w)        %a = (the product, in the pass's form)
//   %2 = nn.relu(%1)        -->   %1 = (a plain value made of %a)
//                                 %b = nn.relu(%a)
//                                 %2 = (a plain value made of %b)
//
// A call that makes such a form has a plain result, too, for those that read no other. Where all
// readers take the form, the plain value is dropped as dead code.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "graph/builder.h"
#include "graph/passes/known_values.h"
#include "graph/passes/pass.h"

namespace lathe::graph {

// The other forms of plain values. A `Form` has a member `var`, the value in that form; it is false
// if there is none.
template <class Form>
class Forms {
 public:
  Form Of(const ir::GraphVar& plain) const {
    const auto at = forms_.find(plain);
    return at == forms_.end() ? Form() : at->second;
  }
  void Add(const ir::GraphVar& plain, Form form) {
    forms_.insert_or_assign(plain, std::move(form));
  }

 private:
  std::unordered_map<ir::GraphVar, Form, RefHash, RefEqual> forms_;
};

// What a pass with another form is made of: it says which calls begin one, and what stands for the
// other operands of elementwise operators.
template <class Form>
class FormMaker {
 public:
  // Both arguments must outlive it.
  FormMaker(Builder& builder, const GraphPassContext& context) : b_(builder), context_(context) {}
  virtual ~FormMaker() = default;

  // Called once, with the function before.
  virtual void Begin(const ir::GraphFunc&) {}

  // Emits `value`, which `before` was in the function before, in another form too if it has one.
  // Returns the plain value.
  ir::GraphVar Emit(const ir::NodeRef& value, const ir::GraphVar& before) {
    before_ = before;
    const std::string& name = before->name;
    const auto* call = ir::As<ir::GraphCall>(value);
    if (call != nullptr && context_.RunsOnHost(*call)) {
      name_ = NameOf(name);
      if (Form form = FormOf(*call)) {
        Finish(&form);
        const ir::GraphVar plain = Plain(form, name);
        forms_.Add(plain, std::move(form));
        return plain;
      }
    }
    const ir::GraphVar plain = b_.Emit(value, name);
    known_.Add(plain, *value);
    return plain;
  }

 protected:
  // -- What a pass knows of its form. A hook emits what it returns, and what that needs.

  // The form in which a call begins or changes it, and calls with rules of their own; else false.
  virtual Form Begun(const ir::GraphCall& call) = 0;
  // The plain value of a form.
  virtual ir::GraphVar Plain(const Form& form, const std::string& name) = 0;
  // What stands for `arg` beside `leader` in an operator of elements; null if nothing can.
  virtual ir::GraphVar Operand(const ir::GraphVar& arg, const Form& leader) = 0;
  // Is the dimension `axis` of the plain value, which may count from the end, that of the channels?
  virtual bool IsChannels(const Form& form, int64_t axis) const = 0;
  // A vector with an element for each channel, as an operand beside the form.
  virtual ir::GraphVar PerChannel(const ir::GraphVar& vector, const Form& form) = 0;
  // May an operator of elements be made in the form of its operand?
  virtual bool Follows(const ir::GraphCall&, const Form&) const { return true; }
  // Called with each form before anything else sees it.
  virtual void Finish(Form*) {}
  // The name of a form whose plain value has this one.
  virtual std::string NameOf(const std::string& plain) const { return plain; }
  // Has the result of two operands the form of this one in any case? If not, that of the other is
  // taken, if it has one.
  virtual bool Leads(const Form&) const { return true; }

  Builder& b_;
  const GraphPassContext& context_;
  Forms<Form> forms_;
  KnownValues known_;
  std::string name_;     // of the form that is made now
  ir::GraphVar before_;  // what that was in the function before

 private:
  Form FormOf(const ir::GraphCall& call) {
    const OpDef& op = GetOp(call.op);
    if (call.op == "nn.bias_add") return Bias(call);
    if (op.kind == OpKind::kElementwise && call.args.size() == 1) return Elementwise(call);
    if (op.kind == OpKind::kBroadcast && call.args.size() == 2 && op.attrs.empty())
      return Pointwise(call);
    return Begun(call);
  }

  Form Bias(const ir::GraphCall& call) {
    Form form = forms_.Of(call.args[0]);
    if (!form || !IsChannels(form, Attrs(GetOp(call.op), call.attrs).Int("axis"))) return {};
    form.var = b_.Call("add", {form.var, PerChannel(call.args[1], form)}, {}, name_);
    return form;
  }

  Form Elementwise(const ir::GraphCall& call) {
    Form form = forms_.Of(call.args[0]);
    if (!form || !Follows(call, form)) return {};
    form.var = b_.Call(call.op, {form.var}, call.attrs, name_);
    return form;
  }

  // A binary operator of which at least one operand has the form.
  Form Pointwise(const ir::GraphCall& call) {
    Form leader;
    for (const ir::GraphVar& arg : call.args) {
      if (leader && Leads(leader)) continue;
      if (Form form = forms_.Of(arg)) leader = std::move(form);
    }
    if (!leader || !Follows(call, leader)) return {};
    std::vector<ir::GraphVar> args;
    for (const ir::GraphVar& arg : call.args) {
      ir::GraphVar operand = Operand(arg, leader);
      if (!operand) return {};
      args.push_back(std::move(operand));
    }
    leader.var = b_.Call(call.op, std::move(args), call.attrs, name_);
    return leader;
  }
};

// Builds a function anew with a maker of forms.
template <class Maker>
GraphFuncRef RewriteInForms(const GraphFuncRef& func, const ir::GraphModule& module,
                            const GraphPassContext& context) {
  std::optional<Maker> maker;
  return Rewrite(*func, module,
                 [&](const ir::GraphBinding& before, const ir::NodeRef& value,
                     Builder& builder) -> ir::GraphVar {
                   // What is made outside of a block is visible in it, but not the other way round.
                   if (builder.OpenBlocks() > 1) return nullptr;
                   if (!maker) maker.emplace(builder, context).Begin(*func);
                   return maker->Emit(value, before.var);
                 });
}

}  // namespace lathe::graph
