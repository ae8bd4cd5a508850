#include "lower/legalize_dtypes.h"

#include <unordered_map>
#include <unordered_set>

#include "base/error.h"
#include "ir/intrinsic.h"
#include "ir/intrinsic_names.h"
#include "ir/rewrite.h"
#include "lower/small_floats.h"

namespace lathe::lower {
namespace {

using namespace ir;  // NOLINT: the nodes' names, in this file only

enum class Form {
  kLegal,
  kConverted,  // the target converts between memory and wider values
  kBits,       // memory is integers
};

// How one element type is replaced.
class Types {
 public:
  explicit Types(const PassContext& context) : context_(context) {}

  Form FormOf(DataType dtype) const {
    const DataType t = dtype.element_of();
    const bool small = t.is_float() ? t.bits() < 32 : t.is_integral() && t.bits() < 8;
    if (!small || !context_.supports || context_.supports("arithmetic", t)) return Form::kLegal;
    return t.is_float() && context_.supports("cast", t) ? Form::kConverted : Form::kBits;
  }
  bool IsLegal(DataType dtype) const { return FormOf(dtype) == Form::kLegal; }
  // Of types that stay as they are.
  bool HasVectors(DataType dtype) const {
    const bool stays = dtype.is_bool() || IsLegal(dtype);
    return !stays || !context_.supports || context_.supports("vector", dtype.element_of());
  }

  // The type of values, and the type in memory.
  static DataType Wide(DataType t) { return With(t, t.is_float() ? kDLFloat : t.code(), 32); }
  static DataType Storage(DataType t) { return With(t, kDLUInt, t.bits() < 8 ? 8 : t.bits()); }

 private:
  static DataType With(DataType t, int code, int bits) {
    DLDataType dl = t.dl();
    dl.code = static_cast<uint8_t>(code);
    dl.bits = static_cast<uint8_t>(bits);
    return DataType(dl);
  }
  const PassContext& context_;
};

[[noreturn]] void Unsupported(DataType dtype, const std::string& what) {
  throw Error(Diagnostic{.name = "legalize-unsupported",
                         .message = what + " of " + dtype.ToString() +
                                    ", which the target does not have, cannot be made of others",
                         .expected = "a type that the target has",
                         .found = dtype.ToString(),
                         .help = "cast to a wider type in the program"});
}

// The bits of `value` (wide) beyond its type's are removed: as if it had been computed in the
// narrow type.
Expr Wrapped(const Expr& value, DataType narrow) {
  const int unused = 32 - narrow.bits();
  if (narrow.is_uint())
    return BitwiseAnd(value, Int((int64_t{1} << narrow.bits()) - 1, value->dtype));
  const Expr shift = Int(unused, value->dtype);
  return ShiftRight(ShiftLeft(value, shift), shift);
}

class Legalizer final : public Mutator {
 public:
  Legalizer(const Func& func, const Types& types)
      : Mutator(Memo::kPerRoot), func_(func), types_(types) {
    ForEach<Call>(func, [&](const Call& call) {
      for (const NodeRef& arg : call.args) {
        if (const auto* buffer = As<BufferNode>(arg)) named_.insert(buffer);
      }
    });
  }

  Func Run(const Func& func) {
    std::vector<NodeRef> params;
    std::vector<std::pair<Var, Var>> scalars;
    for (const NodeRef& param : func->params) {
      const Var var = RefAs<VarNode>(param);
      if (!var || types_.IsLegal(var->dtype)) {
        params.push_back(param);
        continue;
      }
      const Var given = MakeVar(var->name, Types::Wide(var->dtype));
      const Var rounded = MakeVar(var->name, given->dtype);
      Rename(var, rounded);
      params.push_back(given);
      scalars.emplace_back(given, rounded);
      narrow_[rounded.get()] = var->dtype;
    }
    Stmt body = Mutator::Run(func->body);
    for (const NodeRef& param : func->params) {
      if (const Buffer buffer = RefAs<BufferNode>(param)) body = Viewed(buffer, body);
    }
    for (const auto& [given, rounded] : scalars)
      body = MakeLetStmt(rounded, Rounded(given, narrow_.at(rounded.get())), body);
    if (scalars.empty()) return WithBody(func, body);
    return MakeFunc(func->name, params, body, func->attrs, func->return_type);
  }

 protected:
  void BeforeChild(const Edge& edge) override {
    defining_ = edge.field->role == FieldRole::kDefine;
    allocating_ = edge.parent->node_kind() == NodeKind::kAllocate;
  }

  NodeRef Enter(const NodeRef& node) override {
    if (++nodes_ > kMaxTree) ThrowTreeTooLarge("legalize_dtypes: function `" + func_->name + "`");
    const bool defining = std::exchange(defining_, false);
    if (const auto* buffer = As<BufferNode>(node)) return defining ? Defined(Buffer(buffer)) : node;
    const Expr e = RefExpr(node);
    if (!e || types_.IsLegal(e->dtype)) return nullptr;
    const DataType wide = Types::Wide(e->dtype);
    if (const auto* constant = As<IntImm>(e)) return Int(constant->value, wide);
    if (const auto* constant = As<FloatImm>(e)) return Float(constant->value, wide);
    if (const auto* var = As<VarNode>(e)) {
      if (!defining) Unsupported(e->dtype, "a free variable `" + var->name + "`");
      return MakeVar(var->name, wide);
    }
    return nullptr;
  }

  NodeRef Leave(const NodeRef& before, NodeRef after) override {
    if (const auto* store = As<Store>(after)) return Stored(*store, after);
    if (const auto* allocate = As<Allocate>(after)) {
      const Stmt body = Viewed(allocate->buffer, allocate->body);
      return body.same_as(allocate->body)
                 ? after
                 : NodeRef(MakeAllocate(allocate->buffer, body, allocate->annotations));
    }
    if (const auto* constant = As<AllocConst>(after)) {
      const Stmt body = Viewed(constant->buffer, constant->body);
      return body.same_as(constant->body)
                 ? after
                 : NodeRef(MakeAllocConst(constant->buffer, constant->index, body));
    }
    if (const auto* view = As<DeclBuffer>(after)) {
      const Stmt body = Viewed(view->buffer, view->body);
      return body.same_as(view->body) ? after
                                      : NodeRef(MakeDeclBuffer(view->buffer, view->data, body));
    }
    if (const auto* loop = As<For>(after)) return Scalarized(*loop, after);
    const Expr old = RefExpr(before);
    if (!old) return after;
    return types_.IsLegal(old->dtype) ? Kept(old, after) : NodeRef(Widened(old, RefExpr(after)));
  }

 private:
  // -- Memory.

  // Memory of our own becomes integers at once, unless other code is told its type.
  NodeRef Defined(const Buffer& buffer) {
    if (types_.FormOf(buffer->dtype) != Form::kBits) return buffer;
    CheckElement(buffer->dtype);
    if (!allocating_ || named_.count(buffer.get()) != 0) return buffer;
    Buffer made =
        CopyBuffer(buffer, [](BufferNode& copy) { copy.dtype = Types::Storage(copy.dtype); });
    stored_[made.get()] = buffer->dtype;
    return made;
  }

  void CheckElement(DataType dtype) const {
    const bool packed = dtype.bits() < 8 && dtype.lanes() != 1;
    if (packed || (dtype.is_float() && !IsSmallFloat(dtype))) Unsupported(dtype, "memory");
  }

  // A view of the buffer as integers; made on first use.
  Buffer ViewOf(const Buffer& buffer) {
    CheckElement(buffer->dtype);
    Buffer& view = views_[buffer.get()];
    if (!view) {
      view = CopyBuffer(buffer, [](BufferNode& copy) {
        copy.name += ".bits";
        copy.dtype = Types::Storage(copy.dtype);
        copy.data = MakeVar(copy.name, DataType::Handle());
      });
      stored_[view.get()] = buffer->dtype;
    }
    return view;
  }
  Stmt Viewed(const Buffer& buffer, const Stmt& body) const {
    const auto view = views_.find(buffer.get());
    return view == views_.end() ? body : MakeDeclBuffer(view->second, buffer->data, body);
  }

  // The buffer for loads and stores of the given one, and its elements' type in the program.
  Buffer Accessed(const Buffer& buffer, DataType* narrow) {
    if (const auto made = stored_.find(buffer.get()); made != stored_.end()) {
      *narrow = made->second;
      return buffer;
    }
    *narrow = buffer->dtype;
    return types_.FormOf(buffer->dtype) == Form::kBits ? ViewOf(buffer) : buffer;
  }

  NodeRef Stored(const Store& store, const NodeRef& after) {
    DataType narrow;
    const Buffer buffer = Accessed(store.buffer, &narrow);
    if (types_.IsLegal(narrow)) return after;
    return MakeStore(buffer, Narrowed(store.value, narrow, buffer->dtype), store.indices,
                     store.mask);
  }

  // A wide value (which fits the narrow type) in the form that memory has.
  Expr Narrowed(const Expr& value, DataType narrow, DataType storage) {
    if (types_.FormOf(narrow) == Form::kConverted) return MakeCast(LanesOf(narrow, value), value);
    if (narrow.is_float()) return MakeCast(LanesOf(storage, value), Encoded(value, narrow));
    // A byte in memory has the bit pattern only.
    const Expr pattern =
        BitwiseAnd(MakeCast(LanesOf(DataType::UInt(32), value), value),
                   Int((int64_t{1} << narrow.bits()) - 1, LanesOf(DataType::UInt(32), value)));
    return MakeCast(LanesOf(storage, value), pattern);
  }

  Expr Loaded(const Load& load) {
    const Buffer source = RefAs<BufferNode>(load.source);
    LATHE_CHECK(source) << "types are legalised on buffers";
    DataType narrow;
    const Buffer buffer = Accessed(source, &narrow);
    const Expr raw = MakeLoad(buffer, load.indices, load.mask);
    const DataType wide = LanesOf(Types::Wide(narrow), raw);
    if (types_.FormOf(narrow) == Form::kConverted) return MakeCast(wide, raw);
    if (narrow.is_float()) return Decoded(MakeCast(LanesOf(DataType::UInt(32), raw), raw), narrow);
    return Wrapped(MakeCast(wide, raw), narrow);
  }

  // -- Values.

  // The results define names, so two uses need two copies.
  void Count() {
    KeepApart();
    nodes_ += kConversionNodes;
  }
  Expr Decoded(const Expr& bits, DataType narrow) {
    Count();
    return DecodeSmallFloat(bits, narrow);
  }
  Expr Encoded(const Expr& value, DataType narrow) {
    Count();
    return EncodeSmallFloat(value, narrow);
  }
  Expr Odd(const Expr& value) {
    Count();
    return OddFloat32(value);
  }

  static DataType LanesOf(DataType element, const Expr& like) {
    DLDataType type = element.dl();
    type.lanes = like->dtype.dl().lanes;
    return DataType(type);
  }

  // A wide value rounded to the narrow type.
  Expr Rounded(const Expr& value, DataType narrow) {
    if (!narrow.is_float()) return Wrapped(value, narrow);
    if (types_.FormOf(narrow) == Form::kConverted)
      return MakeCast(value->dtype, MakeCast(LanesOf(narrow, value), value));
    CheckElement(narrow.element_of());
    return Decoded(Encoded(value, narrow), narrow);
  }

  // An expression of a narrow type; its operands have become wide.
  Expr Widened(const Expr& old, const Expr& after) {
    const DataType narrow = old->dtype, wide = Types::Wide(narrow);
    if (const auto* load = As<Load>(after)) return Loaded(*load);
    if (const auto* cast = As<Cast>(after)) return CastTo(narrow, cast->value);
    if (const Operands operands = BinaryOperands(after.get())) {
      const Expr value = MakeBinary(after->node_kind(), *operands.a, *operands.b);
      const bool exact =
          after->node_kind() == NodeKind::kMin || after->node_kind() == NodeKind::kMax;
      return exact ? value : Rounded(value, narrow);
    }
    if (const auto* select = As<Select>(after))
      return MakeSelect(select->condition, select->true_value, select->false_value);
    if (const auto* let = As<Let>(after)) return MakeLet(let->var, let->value, let->body);
    if (const auto* broadcast = As<Broadcast>(after))
      return MakeBroadcast(broadcast->value, wide.lanes());
    if (const auto* call = As<Call>(after)) return CallOf(*call, narrow, wide);
    Unsupported(narrow, std::string("a ") + NodeKindName(old->node_kind()));
  }

  // `value` (already legal) cast to the narrow type.
  Expr CastTo(DataType narrow, const Expr& value) {
    const DataType wide = LanesOf(Types::Wide(narrow), value);
    if (!narrow.is_float()) {
      // First truncated toward zero, like a cast to integers; then the upper bits are dropped.
      return Wrapped(MakeCast(wide, value), narrow);
    }
    if (value->dtype.is_float() && value->dtype.bits() == 64) {
      if (types_.FormOf(narrow) == Form::kConverted)
        return MakeCast(wide, MakeCast(LanesOf(narrow, value), value));
      return Rounded(Odd(value), narrow);
    }
    return Rounded(MakeCast(wide, value), narrow);
  }

  Expr CallOf(const Call& call, DataType narrow, DataType wide) {
    if (call.op == intrinsic::kIfThenElse) return IfThenElse(call.arg(0), call.arg(1), call.arg(2));
    if (call.op == intrinsic::kUndef) return MakeCall(wide, intrinsic::kUndef, {});
    const Intrinsic* entry = FindIntrinsic(call.op);
    const bool bits = call.op == intrinsic::kReinterpret || call.op == intrinsic::kPopcount ||
                      call.op == intrinsic::kClz || call.op == intrinsic::kNextafter;
    if (entry == nullptr || entry->effect != CallEffect::kPure || !entry->elementwise || bits ||
        entry->result_rule == ResultRule::kCaller || !call.attrs.empty())
      Unsupported(narrow, "a call of `" + call.op + "`");
    return Rounded(CallIntrinsic(call.op, call.args), narrow);
  }

  // An expression of a legal type; some of its operands may have become wide.
  NodeRef Kept(const Expr& old, const NodeRef& after) const {
    if (after.same_as(old)) return after;
    if (const auto* cast = As<Cast>(after)) return MakeCast(cast->dtype, cast->value);
    const auto* call = As<Call>(old);
    if (call == nullptr) return after;
    for (const NodeRef& arg : call->args) {
      const Expr e = RefExpr(arg);
      if (!e || types_.IsLegal(e->dtype)) continue;
      const Intrinsic* entry = FindIntrinsic(call->op);
      const bool bits = call->op == intrinsic::kReinterpret;
      if (entry == nullptr || entry->effect != CallEffect::kPure || bits ||
          entry->result_rule != ResultRule::kBoolLanes)
        Unsupported(e->dtype, "an argument of `" + call->op + "`");
    }
    return after;
  }

  // -- Vectors.

  NodeRef Scalarized(const For& loop, const NodeRef& after) const {
    if (loop.for_kind != ForKind::kVectorized) return after;
    bool has = true;
    PostOrder(loop.body, [&](const Node& node) {
      if (const auto* store = As<Store>(&node)) has = has && types_.HasVectors(store->value->dtype);
      if (IsExpr(&node) && static_cast<const ExprNode&>(node).dtype.is_bool() &&
          As<IntImm>(&node) == nullptr)
        has = has && types_.HasVectors(DataType::Bool());
    });
    if (has) return after;
    return MakeFor(loop.var, loop.min, loop.extent, ForKind::kSerial, loop.body, "",
                   loop.annotations);
  }

  const Func& func_;
  const Types& types_;
  static constexpr size_t kConversionNodes = 16;  // or a few more
  size_t nodes_ = 0;                              // met, or made for one use
  bool defining_ = false, allocating_ = false;
  std::unordered_set<const Node*> named_;             // buffers that calls are given
  std::unordered_map<const Node*, Buffer> views_;     // by the buffer viewed
  std::unordered_map<const Node*, DataType> stored_;  // of integer buffers: what they stand for
  std::unordered_map<const Node*, DataType> narrow_;  // of scalar parameters
};

}  // namespace

Module LegalizeDtypes(const Module& module, const PassContext& context) {
  if (!context.supports) return module;
  const Types types(context);
  return MapFunctions(module, [&](const Func& func) { return Legalizer(func, types).Run(func); });
}

}  // namespace lathe::lower
