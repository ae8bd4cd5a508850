// The calling convention in C: arguments, closures, tensors, errors, the runtime's table.
#include <algorithm>
#include <cctype>
#include <iterator>

#include "backends/c/dialect.h"
#include "ir/intrinsic_names.h"
#include "ir/names.h"
#include "lathe/abi/kernel.h"

namespace lathe::c_backend {
namespace {

using sdk::COperand;

struct TableEntry {
  std::string_view name;
  size_t arguments;
  uint32_t abi = LATHE_KERNEL_ABI_FIRST;  // the first with this entry
};
constexpr TableEntry kTable[] = {
    {ir::runtime_entry::kParallel, 3},
    {ir::runtime_entry::kWorkspaceAlloc, 4},
    {ir::runtime_entry::kWorkspaceFree, 3},
    {ir::runtime_entry::kRaise, 4},
    {ir::runtime_entry::kTakeError, 1},
    {ir::runtime_entry::kCallPacked, 5},
    {ir::runtime_entry::kSetDevice, 2},
    {ir::runtime_entry::kCopy, 2},
    {ir::runtime_entry::kPoll, 0, LATHE_KERNEL_ABI_POLL},
    {ir::runtime_entry::kParallelOn, 4, LATHE_KERNEL_ABI_POLL},
    {ir::runtime_entry::kThreadIndex, 0, LATHE_KERNEL_ABI_POLL},
};

// Members of DLTensor; `cast` where the IR has another type than C.
struct TensorMember {
  std::string_view name;
  const char* text;
};
constexpr TensorMember kMembers[] = {
    {ir::tensor_field::kData, "data"},
    {ir::tensor_field::kDeviceType, "device.device_type"},
    {ir::tensor_field::kDeviceId, "device.device_id"},
    {ir::tensor_field::kNdim, "ndim"},
    {ir::tensor_field::kDtypeCode, "dtype.code"},
    {ir::tensor_field::kDtypeBits, "dtype.bits"},
    {ir::tensor_field::kDtypeLanes, "dtype.lanes"},
    {ir::tensor_field::kShape, "shape"},
    {ir::tensor_field::kStrides, "strides"},
    {ir::tensor_field::kByteOffset, "byte_offset"},
};

// The parameters of each convention (ir/names.h): their types, and what those of pointers are.
struct Convention {
  const char* name;
  const char* result;
  std::vector<const char*> types, pointees;
};
const Convention* FindConvention(std::string_view name) {
  static const auto& known = *new std::vector<Convention>{
      {ir::convention::kPacked,
       "int",
       {"void*", "const lathe_value*", "int32_t", "lathe_value*"},
       {"", "lathe_value", "", "lathe_value"}},
      {ir::convention::kParallelBody, "int32_t", {"void*", "int64_t", "int64_t"}, {"", "", ""}},
      {ir::convention::kUnchecked,
       "int32_t",
       {"void* const*", "const int64_t*", "void*", "int32_t"},
       {"void*", "int64_t", "", ""}},
  };
  const auto found =
      std::find_if(known.begin(), known.end(), [&](const Convention& c) { return name == c.name; });
  return found == known.end() ? nullptr : &*found;
}

std::string Constructor(const char* name, const char* type, const char* kind, const char* member) {
  return std::string("static inline lathe_value ") + name + "(" + type +
         " x) {\n  lathe_value value = {.kind = " + kind + "};\n  value." + member +
         " = x;\n  return value;\n}\n";
}

// Does `text` have `name` as a whole word before a parenthesis?
bool Declares(const std::string& text, const std::string& name) {
  const auto in_word = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
  };
  for (size_t at = text.find(name); at != std::string::npos; at = text.find(name, at + 1)) {
    size_t end = at + name.size();
    if (at > 0 && in_word(text[at - 1])) continue;
    while (end < text.size() && (text[end] == ' ' || text[end] == '\n')) ++end;
    if (end < text.size() && text[end] == '(') return true;
  }
  return false;
}

// The header of C's library that declares a function, or "".
std::string HeaderOf(const std::string& name) {
  static const std::map<std::string_view, const char*> known = {
      {"abort", "stdlib.h"},  {"abs", "stdlib.h"},     {"exit", "stdlib.h"},
      {"free", "stdlib.h"},   {"malloc", "stdlib.h"},  {"memcmp", "string.h"},
      {"memcpy", "string.h"}, {"memmove", "string.h"}, {"memset", "string.h"},
  };
  if (const auto found = known.find(name); found != known.end()) return found->second;
  return IsMathFunction(name) ? "math.h" : "";
}

std::string Index(const COperand& operand) { return "[" + operand.text + "]"; }

}  // namespace

std::string StringLiteral(const std::string& text) {
  std::string out = "\"";
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const auto byte = static_cast<unsigned char>(c);
    if (c == '\n') {
      out += i + 1 < text.size() ? "\\n\"\n        \"" : "\\n";
    } else if (c == '"' || c == '\\') {
      out += std::string("\\") + c;
    } else if (c == '?' && out.back() == '?') {
      out += "\\?";  // no trigraph
    } else if (byte < 32 || byte > 126) {
      out += {'\\', static_cast<char>('0' + (byte >> 6)), static_cast<char>('0' + (byte >> 3) % 8),
              static_cast<char>('0' + byte % 8)};
    } else {
      out += c;
    }
  }
  return out + "\"";
}

std::string HostC::As(const std::string& type, const COperand& operand) const {
  const auto found = pointers_.find(operand.text);
  return found != pointers_.end() && found->second == type
             ? operand.text
             : "((" + type + "*)" + operand.text + ")";
}

std::string HostC::Passed(const COperand& operand) {
  return operand.string != nullptr ? StringLiteral(*operand.string) : operand.text;
}

std::string HostC::FunctionHead(const sdk::CFunction& function) {
  std::vector<std::string> types;
  std::string result = Type(function.result);
  if (const Convention* convention = FindConvention(function.convention);
      convention != nullptr && convention->types.size() == function.parameters.size()) {
    types.assign(convention->types.begin(), convention->types.end());
    result = convention->result;
  } else if (function.convention != ir::convention::kPlain) {
    Unsupported("calling convention \"" + function.convention + "\" of `" + function.name + "`");
  } else {
    for (const sdk::CParameter& parameter : function.parameters)
      types.push_back(parameter.is_pointer ? "void*" : Type(parameter.dtype));
  }
  functions_.insert(function.symbol);
  std::string out = "static " + result + " " + function.symbol + "(";
  for (size_t i = 0; i < types.size(); ++i)
    out += (i == 0 ? "" : ", ") + types[i] + " " + function.parameters[i].name;
  return out + (types.empty() ? "void)" : ")");
}

void HostC::BeginFunction(const sdk::CFunction& function) {
  pointers_.clear();
  const Convention* convention = FindConvention(function.convention);
  for (size_t i = 0; convention != nullptr && i < convention->pointees.size(); ++i)
    pointers_[function.parameters.at(i).name] = convention->pointees[i];
  if (function.convention == ir::convention::kUnchecked)
    abi_ = std::max<uint32_t>(abi_, LATHE_KERNEL_ABI_ENTRIES);
}

std::string HostC::HandleVariable(const std::string& name, std::string_view used_by) {
  const char* type = used_by == ir::intrinsic::kTensorField ? "DLTensor"
                     : used_by == ir::intrinsic::kShapeAt   ? "int64_t"
                                                            : nullptr;
  if (type == nullptr) return CDialect::HandleVariable(name, used_by);
  pointers_[name] = type;
  return std::string(type) + "* const " + name;
}

std::string HostC::StackMemory(std::string_view op, const std::string& name,
                               const std::vector<COperand>& args) {
  if (op == ir::intrinsic::kStackTensor) {
    pointers_["&" + name] = "DLTensor";
    const auto at = [&](size_t i) { return args.at(i).text; };
    return "DLTensor " + name + " = {.data = (void*)" + at(0) + ", .ndim = " + at(1) +
           ", .shape = " + As("int64_t", args.at(2)) + ", .strides = " + As("int64_t", args.at(3)) +
           ", .byte_offset = (uint64_t)" + at(4) + ", .dtype = {(uint8_t)" + at(5) + ", (uint8_t)" +
           at(6) + ", (uint16_t)" + at(7) + "}, .device = {" + at(8) + ", " + at(9) + "}};";
  }
  const std::string& count = args.at(0).text;
  if (count.empty() || !std::all_of(count.begin(), count.end(),
                                    [](unsigned char c) { return std::isdigit(c) != 0; }))
    Unsupported("count of " + std::string(op) + " that is not constant");
  const bool values = op == ir::intrinsic::kStackValues;
  const char* type = values ? "lathe_value" : "lathe_slot";
  pointers_[name] = type;
  return std::string(type) + " " + name + "[" + (count == "0" ? "1" : count) + "]" +
         (values ? " = {{.kind = 0}};" : ";");
}

std::string HostC::FromWord(DataType type, const std::string& word, bool value) {
  if (type.is_handle()) return word + (value ? ".v_pointer" : ".p");
  if (type.is_float()) {
    const std::string x = word + (value ? ".v_float" : ".f");
    return Convert(type, DataType::Float(64), x);
  }
  return Convert(type, DataType::Int(64), word + (value ? ".v_int" : ".i"));
}

std::string HostC::ToWord(const COperand& operand, const std::string& word, bool value) {
  if (operand.dtype.is_handle())
    return word + (value ? ".v_pointer" : ".p") + " = (void*)" + Passed(operand);
  if (operand.dtype.is_float()) return word + (value ? ".v_float" : ".f") + " = " + operand.text;
  return word + (value ? ".v_int" : ".i") + " = (int64_t)" + operand.text;
}

std::string HostC::Raise(const std::vector<COperand>& args) {
  const size_t n = args.size() - 2;
  std::string values;
  for (size_t i = 2; i < args.size(); ++i) {
    const COperand& shown = args[i];
    values += i == 2 ? "" : ", ";
    if (shown.string != nullptr) {
      values += Helper("lathe_string", Constructor("lathe_string", "const char*",
                                                   "LATHE_VALUE_STRING", "v_string"));
    } else if (shown.dtype.is_handle()) {
      values += Helper("lathe_pointer",
                       Constructor("lathe_pointer", "void*", "LATHE_VALUE_POINTER", "v_pointer"));
    } else if (shown.dtype.is_float()) {
      values += Helper("lathe_float",
                       Constructor("lathe_float", "double", "LATHE_VALUE_FLOAT", "v_float"));
    } else if (shown.dtype.is_bool()) {
      values +=
          Helper("lathe_bool", Constructor("lathe_bool", "bool", "LATHE_VALUE_BOOL", "v_int"));
    } else {
      values +=
          Helper("lathe_int", Constructor("lathe_int", "int64_t", "LATHE_VALUE_INT", "v_int"));
    }
    values += "(" + Passed(shown) + ")";
  }
  return "lathe_table->raise(" + StringLiteral(*args[0].string) + ",\n        " +
         StringLiteral(*args[1].string) + ",\n        " +
         (n == 0 ? "NULL" : "(const lathe_value[]){" + values + "}") + ", " + std::to_string(n) +
         ")";
}

std::string HostC::RuntimeCall(DataType type, const std::vector<COperand>& args) {
  const std::string name = args.empty() || args[0].string == nullptr ? "" : *args[0].string;
  const auto* entry = std::find_if(std::begin(kTable), std::end(kTable),
                                   [&](const TableEntry& e) { return e.name == name; });
  if (entry == std::end(kTable) || entry->arguments != args.size() - 1)
    Unsupported("entry `" + name + "` of " + std::to_string(args.size() - 1) +
                " arguments in the runtime's table");
  abi_ = std::max(abi_, entry->abi);
  const bool starts =
      name == ir::runtime_entry::kParallel || name == ir::runtime_entry::kParallelOn;
  std::string out = "lathe_table->" + name + "(";
  for (size_t i = 1; i < args.size(); ++i) {
    if (i > 1) out += ", ";
    if (i == 1 && starts && functions_.count(args[i].text) == 0) out += "(lathe_parallel_body)";
    out += Passed(args[i]);
  }
  out += ")";
  const DataType given =
      name == ir::runtime_entry::kWorkspaceAlloc ? DataType::Handle() : DataType::Int(32);
  return type.is_void() || type == given ? out : Convert(type, given, out);
}

std::string HostC::TensorField(DataType type, const std::vector<COperand>& args) {
  const std::string name = args.at(1).string == nullptr ? "" : *args[1].string;
  const std::string tensor = As("DLTensor", args[0]);
  if (name == ir::tensor_field::kDevice) {
    return Helper("lathe_device_of",
                  "static inline int64_t lathe_device_of(const DLTensor* tensor) {\n"
                  "  const uint64_t id = (uint32_t)tensor->device.device_id;\n"
                  "  return (int64_t)(id << 32 | (uint32_t)tensor->device.device_type);\n}\n") +
           "(" + tensor + ")";
  }
  if (name == ir::tensor_field::kDtype) {
    const std::string word =
        Helper("lathe_dtype_of",
               "static inline int32_t lathe_dtype_of(const DLTensor* tensor) {\n"
               "  const uint32_t bits = tensor->dtype.bits, lanes = tensor->dtype.lanes;\n"
               "  return (int32_t)(lanes << 16 | bits << 8 | tensor->dtype.code);\n}\n") +
        "(" + tensor + ")";
    return type == DataType::Int(32) ? word : Convert(type, DataType::Int(32), word);
  }
  for (const TensorMember& member : kMembers) {
    if (name != member.name) continue;
    const std::string text = tensor + "->" + member.text;
    return type.is_handle() || type == DataType::Int(32) ? text
                                                         : "((" + Type(type) + ")" + text + ")";
  }
  Unsupported("field `" + name + "` of a tensor");
}

std::string HostC::HostCall(std::string_view op, DataType type, const std::vector<COperand>& args) {
  const auto value = [&] { return As("lathe_value", args.at(0)) + Index(args.at(1)); };
  const auto slot = [&] { return As("lathe_slot", args.at(0)) + Index(args.at(1)); };
  if (op == ir::intrinsic::kReturn) return "return " + args.at(0).text;
  if (op == ir::intrinsic::kRaise) return Raise(args);
  if (op == ir::intrinsic::kRuntimeCall) return RuntimeCall(type, args);
  if (op == ir::intrinsic::kTensorField) return TensorField(type, args);
  if (op == ir::intrinsic::kArgKind || op == ir::intrinsic::kValueKind) return value() + ".kind";
  if (op == ir::intrinsic::kArgValue || op == ir::intrinsic::kValueGet)
    return FromWord(type, value(), true);
  if (op == ir::intrinsic::kValueSet)
    return value() + ".kind = " + args.at(2).text + "; " + ToWord(args.at(3), value(), true);
  if (op == ir::intrinsic::kShapeAt) return As("int64_t", args.at(0)) + Index(args.at(1));
  if (op == ir::intrinsic::kSlotLoad) {
    const auto known = pointers_.find(args.at(0).text);
    if (known != pointers_.end() && known->second == "int64_t" && type.is_integral())
      return Convert(type, DataType::Int(64), args[0].text + Index(args.at(1)));
    return FromWord(type, slot(), false);
  }
  if (op == ir::intrinsic::kSlotStore) return ToWord(args.at(2), slot(), false);
  if (op == ir::intrinsic::kPointerAt) return As("void*", args.at(0)) + Index(args.at(1));
  if (op == ir::intrinsic::kWorkspaceAt)
    return "((void*)((char*)" + args.at(0).text + " + " + args.at(1).text + "))";
  if (op == ir::intrinsic::kPointerIsNull) return "(" + args.at(0).text + " == NULL)";
  if (op == ir::intrinsic::kCallSiteCache)
    return "(&lathe_call_sites[" + std::to_string(call_sites_++) + "])";
  return "";
}

std::string HostC::ExternCall(const std::string& name, DataType type,
                              const std::vector<COperand>& args) {
  std::string call = name + "(", types;
  for (size_t i = 0; i < args.size(); ++i) {
    call += (i == 0 ? "" : ", ") + Passed(args[i]);
    types +=
        (i == 0 ? "" : ", ") + (args[i].string != nullptr ? "const char*" : Type(args[i].dtype));
  }
  call += ")";
  if (CDialect::IsReserved(name)) Unsupported("function called `" + name + "`");
  if (const std::string header = HeaderOf(name); !header.empty()) {
    headers_.insert(header);
  } else if (!Declares(imports_, name)) {
    const std::string text =
        "extern " + Type(type) + " " + name + "(" + (types.empty() ? "void" : types) + ");";
    if (externs_.try_emplace(name, text).first->second != text)
      Unsupported("function `" + name + "` with two signatures",
                  "call it with one signature; cast the arguments");
  }
  return call;
}

}  // namespace lathe::c_backend
