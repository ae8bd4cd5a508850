#include "lower/bind_arguments.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <functional>
#include <limits>
#include <unordered_set>

#include "arith/analyzer.h"
#include "base/error.h"
#include "base/planted.h"
#include "ir/intrinsic_names.h"
#include "ir/names.h"
#include "ir/rewrite.h"
#include "ir/walk.h"
#include "lower/element_places.h"
#include "lower/entry_parts.h"
#include "lower/option_names.h"
#include "lower/unchecked_entry.h"
#include "runtime/device.h"

namespace lathe::lower {
namespace {

using namespace ir;  // NOLINT: the nodes' names, in this file only

const DataType kI64 = DataType::Int(64);
const DataType kI32 = DataType::Int(32);

Expr I64(int64_t value) { return Int(value, kI64); }
Expr Wide(const Expr& e) { return MakeCast(kI64, e); }

// The layout of lathe_tensor in 32-bit words: its kind, the start of its DLTensor, its flags (at
// this place on 64-bit machines, and only those have func_attr::kWrites), and the number of words.
constexpr int kKindWord = 1, kTensorWord = 4, kFlagsWord = 17, kObjectWords = 18;
static_assert(offsetof(lathe_tensor, dl) == 4 * kTensorWord);
static_assert(offsetof(lathe_tensor, flags) == 4 * kFlagsWord);

// Binds the parameters of one function, in order. Each step is kept as a wrapper; at the end the
// wrappers are applied around the body.
class Binder {
 public:
  explicit Binder(const Func& func)
      : func_(func),
        device_type_(IntAttr(func->attrs, func_attr::kDeviceType, kDLCPU)),
        written_(WrittenParameters(func)) {
    ForEach<Store>(func->body, [&](const Store& store) { stored_.insert(store.buffer.get()); });
  }

  Func Run() {
    const auto n = static_cast<int64_t>(func_->params.size());
    Check(Equal(num_args_, Int(n)), "call-argument-count",
          "{name} takes " + std::to_string(n) + " arguments\n  expected: " + std::to_string(n) +
              " arguments\n  found: {0}",
          {num_args_});
    for (size_t i = 0; i < func_->params.size(); ++i) {
      if (Buffer buffer = RefAs<BufferNode>(func_->params[i]))
        BindTensor(i, buffer);
      else
        BindScalar(i, RefAs<VarNode>(func_->params[i]));
    }
    // Checks with variables that were bound later.
    for (const auto& check : deferred_) check();
    MakeDeviceCurrent();
    for (const Buffer& buffer : views_) View(buffer);
    Stmt body = MakeSeq(
        {func_->body, MakeEvaluate(MakeCall(DataType::Void(), intrinsic::kReturn, {Int(0)}))});
    for (const Var& var : FreeVars(func_->body)) {
      if (bound_.count(var.get()) == 0 && data_.count(var.get()) == 0) Unbound(var);
    }
    for (size_t i = steps_.size(); i-- > 0;) body = steps_[i](body);
    Dict attrs = func_->attrs;
    attrs[func_attr::kCallingConvention] = String(convention::kPacked);
    attrs.erase(func_attr::kWrites);
    return MakeFunc(func_->name, {self_, args_, num_args_, ret_}, body, attrs, kI32);
  }

 private:
  [[noreturn]] void Unbound(const Var& var) const { ThrowUnbound(func_, var); }

  // -- Steps.

  void Check(const Expr& condition, const char* name, std::string message,
             std::vector<Expr> values) {
    if (IsConstInt(condition, 1)) return;
    const size_t at = message.find("{name}");
    if (at != std::string::npos) message.replace(at, 6, func_->name);
    Stmt check = MakeAssert(condition, name, std::move(message), std::move(values));
    steps_.push_back([check](const Stmt& body) { return MakeSeq({check, body}); });
  }

  Var Bind(const std::string& name, const Expr& value) {
    Var var = MakeVar(name, value->dtype);
    BindTo(var, value);
    return var;
  }

  void BindTo(const Var& var, const Expr& value) {
    steps_.push_back([var, value](const Stmt& body) { return MakeLetStmt(var, value, body); });
    bound_.insert(var.get());
  }

  Buffer Declare(std::string name, DataType dtype, const Expr& extent, const Expr& data) {
    Buffer buffer = MakeBuffer(std::move(name), dtype, {extent});
    steps_.push_back(
        [buffer, data](const Stmt& body) { return MakeDeclBuffer(buffer, data, body); });
    return buffer;
  }

  bool AllBound(const Expr& e) const {
    for (const Var& var : FreeVars(e)) {
      if (bound_.count(var.get()) == 0) return false;
    }
    return true;
  }

  // `actual` (int64) is the value of the declared expression: binds a new variable, or asserts
  // equality, now or after all its variables are bound (S39). `what` is the subject of the message.
  // `idle`, for strides: a condition under which the value does not matter.
  void Match(const Expr& declared, const Expr& actual, const char* name, const std::string& what,
             const Expr& idle = {}) {
    const Var var = RefAs<VarNode>(declared);
    if (var && bound_.count(var.get()) == 0) {
      if (var->dtype.bits() < 64 && !Planted(PlantedBug::kShapeWrapsInto32Bits)) {
        const int64_t high =
            (int64_t{1} << (var->dtype.bits() - (var->dtype.is_int() ? 1 : 0))) - 1;
        // A negative number is a large unsigned one, so one comparison checks both ends.
        const DataType u64 = DataType::UInt(64);
        Expr fits = var->is_size ? MakeCast(u64, actual) <= Int(high, u64) : actual <= I64(high);
        if (idle) fits = LogicalOr(idle, fits);
        Check(fits, "call-argument-range",
              what + " does not fit `" + var->name +
                  "`\n  expected: " + (var->is_size ? "0 to " : "at most ") + std::to_string(high) +
                  "\n  found: {0}\n  help: an int64 variable holds larger extents",
              {actual});
      } else if (var->is_size) {
        Check(idle ? LogicalOr(idle, actual >= I64(0)) : actual >= I64(0), "call-argument-range",
              what + " is negative\n  expected: 0 or more\n  found: {0}", {actual});
      }
      BindTo(var, MakeCast(var->dtype, actual));
      return;
    }
    if (Planted(PlantedBug::kRepeatedSizeUnchecked) && AsConstInt(declared) == nullptr) return;
    auto check = [this, declared, actual, name, what, idle] {
      const int64_t* constant = AsConstInt(declared);
      for (const Var& free : FreeVars(declared)) {
        if (bound_.count(free.get()) == 0) Unbound(free);
      }
      const Expr expected = Wide(declared);
      Expr fits = Equal(actual, expected);
      if (idle) fits = LogicalOr(idle, fits);
      if (constant != nullptr)
        Check(fits, name,
              what + " is wrong\n  expected: " + std::to_string(*constant) + "\n  found: {0}",
              {actual});
      else
        Check(fits, name,
              what + " is wrong\n  expected: {1}, as other arguments determine it\n  found: {0}",
              {actual, expected});
    };
    if (AllBound(declared))
      check();
    else
      deferred_.push_back(check);
  }

  // -- Parameters.

  std::string Label(size_t i, const std::string& name) const {
    return "argument " + std::to_string(i) + " (`" + name + "`) of {name}";
  }

  Var Kind(size_t i, const std::string& name) {
    return Bind(name + ".kind",
                MakeCall(kI32, intrinsic::kArgKind, {args_, Int(static_cast<int64_t>(i))}));
  }
  Expr Payload(size_t i, DataType type) {
    return MakeCall(type, intrinsic::kArgValue, {args_, Int(static_cast<int64_t>(i))});
  }

  void BindScalar(size_t i, const Var& var) {
    const std::string label = Label(i, var->name);
    const Var kind = Kind(i, var->name);
    auto is = [&](int value) { return Equal(kind, Int(value)); };
    Expr value;
    if (bound_.count(var.get()) != 0) {
      // The caller passes it, and a shape determines it, too.
      Check(LogicalOr(is(LATHE_VALUE_INT), is(LATHE_VALUE_BOOL)), "call-argument-kind",
            label + " must be an integer\n  expected: an integer\n  found: {0:kind}", {kind});
      Match(var, Payload(i, kI64), "call-argument-shape", label);
      return;
    }
    if (var->dtype.is_float()) {
      Check(LogicalOr(is(LATHE_VALUE_FLOAT), is(LATHE_VALUE_INT)), "call-argument-kind",
            label + " must be a number\n  expected: a number for " + var->dtype.ToString() +
                "\n  found: {0:kind}",
            {kind});
      value = IfThenElse(is(LATHE_VALUE_FLOAT), Payload(i, DataType::Float(64)),
                         MakeCast(DataType::Float(64), Payload(i, kI64)));
      BindTo(var, MakeCast(var->dtype, value));
      return;
    }
    if (var->dtype.is_handle()) {
      Check(LogicalOr(is(LATHE_VALUE_POINTER), is(LATHE_VALUE_NONE)), "call-argument-kind",
            label + " must be a pointer\n  expected: an opaque pointer\n  found: {0:kind}", {kind});
      BindTo(var, Payload(i, DataType::Handle()));
      return;
    }
    Check(LogicalOr(is(LATHE_VALUE_INT), is(LATHE_VALUE_BOOL)), "call-argument-kind",
          label + " must be an integer\n  expected: an integer for " + var->dtype.ToString() +
              "\n  found: {0:kind}",
          {kind});
    const Var payload = Bind(var->name + ".value", Payload(i, kI64));
    if (var->dtype.is_bool()) {
      BindTo(var, NotEqual(payload, I64(0)));
      return;
    }
    if (var->dtype.bits() < 64) {
      const bool is_signed = var->dtype.is_int();
      const int64_t high = (int64_t{1} << (var->dtype.bits() - (is_signed ? 1 : 0))) - 1;
      const int64_t low = is_signed ? -high - 1 : 0;
      Check(LogicalAnd(Expr(payload) >= I64(low), Expr(payload) <= I64(high)),
            "call-argument-range",
            label + " does not fit its type\n  expected: a value of " + var->dtype.ToString() +
                "\n  found: {0}",
            {payload});
    }
    if (var->is_size)
      Check(Expr(payload) >= I64(0), "call-argument-range",
            label + " is a size and negative\n  expected: 0 or more\n  found: {0}", {payload});
    BindTo(var, MakeCast(var->dtype, payload));
  }

  Expr Field(const Var& tensor, const char* name, DataType type) {
    return MakeCall(type, intrinsic::kTensorField, {tensor, String(name)});
  }

  void BindTensor(size_t i, const Buffer& buffer) {
    const std::string label = Label(i, buffer->name);
    const Var tensor = TensorPointer(i, buffer->name, label);
    CheckType(buffer, tensor, label);
    const auto rank = static_cast<int64_t>(buffer->shape.size());
    const Var ndim = Bind(buffer->name + ".ndim", Field(tensor, tensor_field::kNdim, kI32));
    if (!Planted(PlantedBug::kRankUnchecked))
      Check(Equal(ndim, Int(rank)), "call-argument-rank",
            label + " has the wrong number of dimensions\n  expected: " + std::to_string(rank) +
                "\n  found: {0}",
            {ndim});
    const Var shape =
        Bind(buffer->name + ".shape", Field(tensor, tensor_field::kShape, DataType::Handle()));
    std::vector<Expr> extents;
    for (int64_t d = 0; d < rank; ++d) {
      const Var extent = Bind(buffer->name + ".shape" + std::to_string(d),
                              MakeCall(kI64, intrinsic::kShapeAt, {shape, Int(d)}));
      extents.emplace_back(extent);
      Match(buffer->shape[static_cast<size_t>(d)], extent, "call-argument-shape",
            "extent " + std::to_string(d) + " of " + label);
    }
    BindStrides(i, buffer, tensor, extents, label);
    // Checked before the memory: on another device, the data is not an address of this process.
    BindDevice(buffer, tensor, label);
    BindData(buffer, tensor, extents, label);
  }

  // The DLTensor of an argument: the argument itself, or a part of a tensor object (abi/value.h:
  // after the object's head).
  Var TensorPointer(size_t i, const std::string& name, const std::string& label) {
    const Var kind = Kind(i, name);
    const Var payload = Bind(name + ".payload", Payload(i, DataType::Handle()));
    const Buffer object = Declare(name + ".object", kI32, Int(kObjectWords), payload);
    const Var is_object = Bind(
        name + ".is_object",
        LogicalAnd(Equal(kind, Int(LATHE_VALUE_OBJECT)),
                   LogicalNot(MakeCall(DataType::Bool(), intrinsic::kPointerIsNull, {payload}))));
    const Expr object_kind = MakeLoad(object, {Int(kKindWord)});
    const Expr is_tensor = IfThenElse(is_object, Equal(object_kind, Int(LATHE_OBJECT_TENSOR)),
                                      Equal(kind, Int(LATHE_VALUE_DLTENSOR)));
    Check(NotEqual(kind, Int(LATHE_VALUE_NONE)), "call-argument-null",
          label + " is nothing\n  expected: a tensor\n  found: none", {});
    Check(is_tensor, "call-argument-kind",
          label + " must be a tensor\n  expected: a tensor\n  found: {0:kind}", {kind});
    CheckWritable(i, object, is_object, label);
    const Expr inside =
        MakeCall(DataType::Handle(), intrinsic::kAddressOf, {MakeLoad(object, {Int(kTensorWord)})});
    const Var tensor = Bind(name + ".tensor", IfThenElse(is_object, inside, payload));
    if (Planted(PlantedBug::kNullTensorTaken)) return tensor;
    Check(LogicalNot(MakeCall(DataType::Bool(), intrinsic::kPointerIsNull, {tensor})),
          "call-argument-null",
          label + " is a null tensor\n  expected: a tensor\n  found: a null handle", {});
    return tensor;
  }

  // A bare DLTensor cannot be marked read-only.
  void CheckWritable(size_t i, const Buffer& object, const Expr& is_object,
                     const std::string& label) {
    if (written_.count(i) == 0) return;
    const Expr flags = MakeLoad(object, {Int(kFlagsWord)});
    const Expr locked =
        MakeCall(kI32, intrinsic::kBitwiseAnd, {flags, Int(LATHE_TENSOR_READ_ONLY)});
    Check(IfThenElse(is_object, Equal(locked, Int(0)), Bool(true)), "call-argument-read-only",
          label +
              " is read-only, and the function writes it\n  expected: a tensor that may be "
              "written\n  found: a read-only tensor\n  help: pass a copy that may be written",
          {});
  }

  void CheckType(const Buffer& buffer, const Var& tensor, const std::string& label) {
    const Var dtype = Bind(buffer->name + ".dtype", Field(tensor, tensor_field::kDtype, kI32));
    const DLDataType want = buffer->dtype.dl();
    const auto word = static_cast<int32_t>(want.code | want.bits << 8 | uint32_t{want.lanes} << 16);
    const int32_t seen = Planted(PlantedBug::kBitsUnchecked) ? ~0xff00 : -1;
    const Expr compared =
        seen == -1 ? Expr(dtype) : MakeCall(kI32, intrinsic::kBitwiseAnd, {dtype, Int(seen)});
    Check(Equal(compared, Int(word & seen)), "call-argument-dtype",
          label + " has the wrong element type\n  expected: " + buffer->dtype.ToString() +
              "\n  found: {0:dtype}\n  help: convert the tensor to " + buffer->dtype.ToString(),
          {dtype});
  }

  // True if no element is reached by a step along dimension `d`: its stride may be anything (S31).
  static Expr IsIdle(size_t d, const std::vector<Expr>& extents) {
    const int64_t most = Planted(PlantedBug::kUnitStrideDemanded) ? 0 : 1;
    Expr idle = extents[d] <= I64(most);
    for (size_t other = 0; other < extents.size(); ++other)
      if (other != d) idle = LogicalOr(idle, Equal(extents[other], I64(0)));
    return idle;
  }

  void BindStrides(size_t i, const Buffer& buffer, const Var& tensor,
                   const std::vector<Expr>& extents, const std::string& label) {
    const Var strides =
        Bind(buffer->name + ".strides", Field(tensor, tensor_field::kStrides, DataType::Handle()));
    const Expr null = MakeCall(DataType::Bool(), intrinsic::kPointerIsNull, {strides});
    auto given = [&](size_t d) {
      return MakeCall(kI64, intrinsic::kShapeAt, {strides, Int(static_cast<int64_t>(d))});
    };
    std::vector<Expr> compact(extents.size()), steps;
    Expr stride = I64(1);
    for (size_t d = extents.size(); d-- > 0;) {
      compact[d] = stride;
      stride = stride * extents[d];
    }
    for (size_t d = 0; d < extents.size(); ++d) {
      const std::string what = "stride " + std::to_string(d) + " of " + label;
      const Var actual = Bind(buffer->name + ".stride" + std::to_string(d),
                              IfThenElse(null, compact[d], given(d)));
      if (buffer->strides.empty()) {
        if (Planted(PlantedBug::kStridesUnchecked)) continue;
        Check(LogicalOr(IsIdle(d, extents), Equal(actual, compact[d])), "call-argument-strides",
              what +
                  " is wrong\n  expected: {1}, that of a compact tensor\n  found: {0}\n  help: "
                  "make a compact copy, or bind the tensor to a buffer with strides when the "
                  "function is lowered (binds)",
              {actual, compact[d]});
        continue;
      }
      const Expr& declared = buffer->strides[d];
      steps.push_back(AsConstInt(declared) != nullptr ? Wide(declared) : Expr(actual));
      if (IsZero(declared)) {
        // A broadcast dimension (S32).
        if (Planted(PlantedBug::kBroadcastStrideFree)) continue;
        Check(LogicalOr(extents[d] <= I64(1), Equal(actual, I64(0))), "call-argument-strides",
              what + " is wrong\n  expected: 0\n  found: {0}", {actual});
      } else {
        const Expr idle = IsIdle(d, extents);
        // Flat memory begins with the first element.
        Check(
            LogicalOr(idle, Expr(actual) >= I64(0)), "call-argument-strides",
            what + " is negative\n  expected: 0 or more\n  found: {0}\n  help: make a compact copy",
            {actual});
        Match(declared, actual, "call-argument-strides", what, idle);
      }
    }
    if (!steps.empty() && (stored_.count(buffer.get()) != 0 || written_.count(i) != 0))
      CheckElementsApart(extents, steps, label);
  }

  // Of what is written: threads and vectors store elements in any order.
  void CheckElementsApart(const std::vector<Expr>& extents, const std::vector<Expr>& steps,
                          const std::string& label) {
    for (size_t d = 0; d < steps.size(); ++d) {
      const ElementsApart apart = ApartAlong(d, extents, steps);
      Check(apart.condition, "call-argument-strides",
            "stride " + std::to_string(d) + " of " + label +
                " lets elements share memory, and the function writes them\n  expected: a stride "
                "beyond {1}, the reach of all shorter ones\n  found: {0}\n  help: pass a result "
                "whose elements have a place of their own each",
            {steps[d], apart.reach});
    }
  }

  void BindData(const Buffer& buffer, const Var& tensor, const std::vector<Expr>& extents,
                const std::string& label) {
    const Var start =
        Bind(buffer->name + ".start", Field(tensor, tensor_field::kData, DataType::Handle()));
    const Var offset =
        Bind(buffer->name + ".byte_offset", Field(tensor, tensor_field::kByteOffset, kI64));
    Expr empty = Bool(false);
    for (const Expr& extent : extents) empty = LogicalOr(empty, Equal(extent, I64(0)));
    Check(LogicalOr(empty,
                    LogicalNot(MakeCall(DataType::Bool(), intrinsic::kPointerIsNull, {start}))),
          "call-argument-null", label + " has no memory\n  expected: a data pointer\n  found: null",
          {});
    Expr data = start;
    if (buffer->elem_offset) {
      const int64_t size = buffer->dtype.bytes();
      Check(Equal(FloorModulo(Expr(offset), I64(size)), I64(0)), "call-argument-offset",
            label + " begins between two elements\n  expected: a byte offset divisible by " +
                std::to_string(size) + "\n  found: {0}",
            {offset});
      const Var elements =
          Bind(buffer->name + ".elem_offset.value", FloorDivide(Expr(offset), I64(size)));
      if (buffer->offset_factor > 1 && !Planted(PlantedBug::kOffsetFactorUnchecked)) {
        Check(Equal(FloorModulo(Expr(elements), I64(buffer->offset_factor)), I64(0)),
              "call-argument-offset",
              label +
                  " has an element offset that its buffer does not allow\n  expected: a multiple "
                  "of " +
                  std::to_string(buffer->offset_factor) + "\n  found: {0}",
              {elements});
      }
      Match(buffer->elem_offset, elements, "call-argument-offset",
            "the element offset of " + label);
    } else if (IntAttr(func_->attrs, func_attr::kOpaquePointers) != 0) {
      Check(Equal(Expr(offset), I64(0)), "call-argument-offset",
            label +
                " does not begin where its memory does, and this device has no addresses to count "
                "from\n  expected: a byte offset of 0\n  found: {0}\n  help: copy the view to a "
                "tensor of its own, or declare the buffer with an element offset",
            {offset});
    } else {
      const Buffer bytes =
          Declare(buffer->name + ".bytes", DataType::UInt(8), Expr(offset) + 1, start);
      data = MakeCall(
          DataType::Handle(), intrinsic::kAddressOf,
          {MakeLoad(bytes, {Planted(PlantedBug::kByteOffsetIgnored) ? I64(0) : Expr(offset)})});
    }
    BindTo(buffer->data, data);
    data_.insert(buffer->data.get());
    if (buffer->alignment > 1 && !Planted(PlantedBug::kAlignmentUnchecked)) {
      const Expr address = MakeCall(kI64, intrinsic::kReinterpret, {buffer->data});
      Check(LogicalOr(empty, Equal(FloorModulo(address, I64(buffer->alignment)), I64(0))),
            "call-argument-alignment",
            label + " is not aligned as declared\n  expected: an address divisible by " +
                std::to_string(buffer->alignment) + "\n  found: {0}",
            {address});
    }
    views_.push_back(buffer);
  }

  void View(const Buffer& buffer) {
    steps_.push_back([buffer](const Stmt& body) { return ViewOf(buffer, body); });
  }

  // S38; later code reads the device's number from the Attr.
  void MakeDeviceCurrent() {
    if (!device_id_) return;
    if (device_type_ == kDLCPU && !CallsPacked(func_)) return;
    if (device_type_ != kDLCPU) {
      const Var status =
          Bind("device.status",
               MakeCall(kI32, intrinsic::kRuntimeCall,
                        {String(runtime_entry::kSetDevice), Int(device_type_), device_id_}));
      Check(Equal(status, Int(0)), "", "", {});
    }
    steps_.push_back(
        [id = device_id_](const Stmt& body) { return MakeAttr(nullptr, kDeviceIdKey, id, body); });
  }

  void BindDevice(const Buffer& buffer, const Var& tensor, const std::string& label) {
    const Expr type = Field(tensor, tensor_field::kDeviceType, kI32),
               id = Field(tensor, tensor_field::kDeviceId, kI32);
    const Expr device = Field(tensor, tensor_field::kDevice, kI64);
    if (!Planted(PlantedBug::kDeviceUnchecked))
      Check(Equal(type, Int(device_type_)), "call-argument-device",
            label + " is on the wrong kind of device\n  expected: device kind `" +
                runtime::DeviceKindName(static_cast<int32_t>(device_type_)) +
                "`\n  found: {0:device}\n  help: copy the tensor to a device of that kind",
            {device});
    if (!device_id_)
      device_id_ = Bind("device_id", id);
    else
      Check(Equal(id, device_id_), "call-argument-device",
            label +
                " is on another device than the arguments before it\n  expected: device id {1}\n  "
                "found: {0:device}\n  help: copy all tensors to one device",
            {device, device_id_});
  }

  Func func_;
  int64_t device_type_;
  std::set<size_t> written_;                // numbers of parameters
  std::unordered_set<const Node*> stored_;  // buffers with stores
  Var self_ = MakeVar("self", DataType::Handle()), args_ = MakeVar("args", DataType::Handle());
  Var num_args_ = MakeVar("num_args", kI32), ret_ = MakeVar("ret", DataType::Handle());
  Var device_id_;
  std::vector<std::function<Stmt(const Stmt&)>> steps_;
  std::vector<std::function<void()>> deferred_;
  std::vector<Buffer> views_;
  std::unordered_set<const Node*> bound_, data_;
};

// Names of functions become symbols of artefacts, whose readers limit their length; helper
// functions lengthen the name.
void CheckName(const std::string& name) {
  constexpr size_t kMostBytes = 1024;
  if (name.size() <= kMostBytes) return;
  throw Error(
      Diagnostic{.name = "function-name-too-long",
                 .message = "the name of the function `" + name.substr(0, 40) + "...` is too long",
                 .expected = "at most " + std::to_string(kMostBytes) + " bytes",
                 .found = std::to_string(name.size()) + " bytes",
                 .help = "give the function a shorter name"});
}

}  // namespace

std::set<size_t> WrittenParameters(const Func& func) {
  std::set<size_t> numbers;
  const std::string text = StringAttr(func->attrs, func_attr::kWrites);
  for (const char* at = text.data(); at < text.data() + text.size(); ++at) {
    size_t number = 0;
    const auto [end, error] = std::from_chars(at, text.data() + text.size(), number);
    if (error == std::errc() && number < func->params.size()) numbers.insert(number);
    at = std::max(at, end);
  }
  return numbers;
}

Module BindArguments(const Module& module, const PassContext& context) {
  const int64_t entries = context.Option(option::kEntries);
  if (entries < kCheckedEntry || entries > (kCheckedEntry | kUncheckedEntry)) {
    throw Error(Diagnostic{.name = "entries-invalid",
                           .message = "functions cannot be entered in this way",
                           .expected = "entries=1 (with checks), 2 (without) or 3 (both)",
                           .found = "entries=" + std::to_string(entries)});
  }
  std::vector<Func> functions;
  for (const Func& func : module->functions) {
    CheckName(func->name);
    if (!StringAttr(func->attrs, func_attr::kCallingConvention).empty()) {
      functions.push_back(func);
      continue;
    }
    if ((entries & kCheckedEntry) != 0) functions.push_back(Binder(func).Run());
    if ((entries & kUncheckedEntry) == 0) continue;
    // A node that defines variables may be in a module only once.
    const Func entry = UncheckedEntry(func);
    functions.push_back(
        WithBody(entry, (entries & kCheckedEntry) != 0 ? Refresh(entry->body) : entry->body));
  }
  return WithFunctions(module, std::move(functions));
}

}  // namespace lathe::lower
