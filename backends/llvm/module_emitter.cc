#include "backends/llvm/module_emitter.h"
#include "backends/llvm/codegen.h"
#include "ir/intrinsic_names.h"
#include "ir/names.h"

#include "base/error.h"
#include "ir/walk.h"
#include "lathe/abi/kernel.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

namespace lathe::llvm_backend {
namespace {

using ir::As;

// The small code model addresses 2 GB; some of that is left for the code.
constexpr uint64_t kMaxConstantBytes = uint64_t{3} << 29;

bool IsPacked(const ir::FuncNode& func) {
  return ir::StringAttr(func.attrs, ir::func_attr::kCallingConvention) == ir::convention::kPacked;
}

bool IsUnchecked(const ir::FuncNode& func) {
  return ir::StringAttr(func.attrs, ir::func_attr::kCallingConvention) ==
         ir::convention::kUnchecked;
}

// True if C code calls the function: the runtime calls it, or somebody takes its address.
bool IsCFunction(const ir::FuncNode& func) {
  const std::string convention = ir::StringAttr(func.attrs, ir::func_attr::kCallingConvention);
  return convention == ir::convention::kPacked || convention == ir::convention::kParallelBody ||
         convention == ir::convention::kUnchecked;
}

DataType ParamType(const ir::NodeRef& param) {
  const auto* var = As<ir::VarNode>(param);
  return var == nullptr ? DataType::Handle() : var->dtype;
}

// True if the function starts parallel loops and computes nothing itself. Its own run time is then
// small beside the start of a loop, but LLVM spent most of its time on the function's argument
// checks: so such functions are compiled without optimisation.
bool OnlyStartsLoops(const ir::FuncNode& func) {
  bool starts = false, loops = false;
  ir::PreOrder(func.body, [&](const ir::Node& node) {
    loops = loops || As<ir::For>(&node) != nullptr || As<ir::While>(&node) != nullptr;
    const auto* call = As<ir::Call>(&node);
    if (call == nullptr || call->op != ir::intrinsic::kRuntimeCall) return !loops;
    const std::string& entry = ir::As<ir::StringImm>(call->args[0])->value;
    starts =
        starts || entry == ir::runtime_entry::kParallel || entry == ir::runtime_entry::kParallelOn;
    return !loops;
  });
  return starts && !loops;
}

uint64_t TensorBytes(const DLTensor& tensor) {
  auto bytes = static_cast<uint64_t>(DataType(tensor.dtype).bytes());
  for (int32_t i = 0; i < tensor.ndim; ++i) bytes *= static_cast<uint64_t>(tensor.shape[i]);
  return bytes;
}

}  // namespace

void Unsupported(const std::string& name, const std::string& message, const std::string& help) {
  throw Error(Diagnostic{.name = name, .message = message, .help = help});
}

ModuleEmitter::ModuleEmitter(llvm::Module& module, const MachineTraits& traits,
                             const Constants* constants)
    : module_(module),
      context_(module.getContext()),
      traits_(traits),
      constants_(constants),
      consumed_(constants == nullptr ? 0 : constants->tensors.size(), '\0') {
  llvm::Type* pointer = llvm::PointerType::getUnqual(context_);
  llvm::Type *i8 = llvm::Type::getInt8Ty(context_), *i16 = llvm::Type::getInt16Ty(context_);
  llvm::Type *i32 = llvm::Type::getInt32Ty(context_), *i64 = llvm::Type::getInt64Ty(context_);
  value_type_ = llvm::StructType::get(context_, {i32, i32, i64});
  tensor_type_ =
      llvm::StructType::get(context_, {pointer, i32, i32, i32, i8, i8, i16, pointer, pointer, i64});
  table_slot_ =
      new llvm::GlobalVariable(module_, pointer, false, llvm::GlobalValue::InternalLinkage,
                               llvm::Constant::getNullValue(pointer), "lathe_runtime_table");
  // The loader writes to it: LLVM must not treat it as a constant.
  table_slot_->setExternallyInitialized(true);
}

void ModuleEmitter::ExtendParameter(llvm::Function* function, unsigned index,
                                    DataType dtype) const {
  const int bits = dtype.is_bool() ? 8 : dtype.bits();
  if (!dtype.is_scalar() || !(dtype.is_integral() || dtype.is_bool())) return;
  if (bits > 32 || (bits == 32 && !traits_.extend_int32)) return;
  // On riscv64 even unsigned 32-bit values are sign-extended.
  const bool is_signed = dtype.is_int() || bits == 32;
  function->addParamAttr(index, is_signed ? llvm::Attribute::SExt : llvm::Attribute::ZExt);
}

void ModuleEmitter::ExtendResult(llvm::Function* function, DataType dtype) const {
  const int bits = dtype.is_bool() ? 8 : dtype.bits();
  if (!dtype.is_scalar() || !(dtype.is_integral() || dtype.is_bool())) return;
  if (bits > 32 || (bits == 32 && !traits_.extend_int32)) return;
  function->addRetAttr(dtype.is_int() || bits == 32 ? llvm::Attribute::SExt
                                                    : llvm::Attribute::ZExt);
}

void ModuleEmitter::AddMachine(llvm::Function* function) const {
  function->addFnAttr("target-cpu", traits_.cpu);
  if (!traits_.features.empty()) function->addFnAttr("target-features", traits_.features);
  if (traits_.vector_width > 128) {
    const std::string width = std::to_string(traits_.vector_width);
    function->addFnAttr("prefer-vector-width", width);
    function->addFnAttr("min-legal-vector-width", width);
  }
}

llvm::Function* ModuleEmitter::Declare(const ir::FuncNode& func) {
  std::vector<llvm::Type*> types;
  for (const ir::NodeRef& param : func.params)
    types.push_back(ValueType(context_, ParamType(param)));
  // The prefix keeps LLVM from mistaking a function called `memset` or `expf` for the library's.
  llvm::FunctionType* type =
      llvm::FunctionType::get(ValueType(context_, func.return_type), types, false);
  llvm::Function* function = llvm::Function::Create(type, llvm::GlobalValue::InternalLinkage,
                                                    "lathe." + func.name, module_);
  function->setDoesNotThrow();
  AddMachine(function);
  for (unsigned i = 0; i < func.params.size(); ++i) {
    const DataType dtype = ParamType(func.params[i]);
    ExtendParameter(function, i, dtype);
    if (!dtype.is_handle()) continue;
    // Only this call reads or writes packed arguments, results and closures.
    const bool plain = !IsCFunction(func);
    if (!plain || ir::IntAttr(func.attrs, ir::func_attr::kNoalias, 1) != 0)
      function->addParamAttr(i, llvm::Attribute::NoAlias);
  }
  ExtendResult(function, func.return_type);
  return function;
}

llvm::Function* ModuleEmitter::FindFunction(const std::string& name, DataType* return_type) {
  auto found = functions_.find(name);
  if (found == functions_.end()) {
    std::vector<std::string> names;
    for (const auto& [known, unused] : functions_) names.push_back(known);
    Unsupported("codegen-unknown-function", "the module has no function `" + name + "`",
                "did you mean " + QuotedList(NearestNames(name, names)) + "?");
  }
  if (return_type != nullptr) *return_type = found->second.return_type;
  return found->second.function;
}

const ir::Node* ModuleEmitter::ClosureRoot(llvm::Function* body, int64_t slot) const {
  auto roots = closure_roots_.find(body);
  if (roots == closure_roots_.end()) return nullptr;
  auto root = roots->second.find(slot);
  return root == roots->second.end() ? nullptr : root->second;
}

llvm::Function* ModuleEmitter::Extern(const std::string& name, llvm::FunctionType* type) {
  llvm::Function* function = module_.getFunction(name);
  if (function == nullptr) {
    if (module_.getNamedValue(name) != nullptr) {
      Unsupported("codegen-extern-mismatch",
                  "`" + name + "` is called as a C function but is data here");
    }
    function = llvm::Function::Create(type, llvm::GlobalValue::ExternalLinkage, name, module_);
    function->setDoesNotThrow();
  }
  if (function->getFunctionType() != type) {
    Unsupported("codegen-extern-mismatch",
                "the C function `" + name + "` is called with different types in one module",
                "call it with one signature; cast the arguments");
  }
  return function;
}

llvm::GlobalVariable* ModuleEmitter::String(const std::string& text) {
  llvm::GlobalVariable*& global = strings_[text];
  if (global == nullptr) {
    llvm::Constant* data = llvm::ConstantDataArray::getString(context_, text, true);
    global = new llvm::GlobalVariable(module_, data->getType(), true,
                                      llvm::GlobalValue::PrivateLinkage, data, "text");
    global->setUnnamedAddr(llvm::GlobalValue::UnnamedAddr::Global);
    global->setAlignment(llvm::Align(1));
  }
  return global;
}

llvm::GlobalVariable* ModuleEmitter::CallSiteCache() {
  llvm::Type* pointer = llvm::PointerType::getUnqual(context_);
  call_sites_.push_back(
      new llvm::GlobalVariable(module_, pointer, false, llvm::GlobalValue::InternalLinkage,
                               llvm::Constant::getNullValue(pointer), "call_site"));
  return call_sites_.back();
}

llvm::GlobalVariable* ModuleEmitter::Constant(int64_t index, const ir::BufferNode& buffer) {
  if (constants_ == nullptr) {
    llvm::GlobalVariable*& declared = constant_globals_[index];
    if (declared == nullptr) {
      declared = new llvm::GlobalVariable(module_, llvm::Type::getInt8Ty(context_), true,
                                          llvm::GlobalValue::ExternalLinkage, nullptr, "constant");
    }
    return declared;
  }
  if (index < 0 || static_cast<uint64_t>(index) >= constants_->tensors.size()) {
    Unsupported("codegen-missing-constant", "`" + buffer.name + "` is constant number " +
                                                std::to_string(index) + ", but only " +
                                                std::to_string(constants_->tensors.size()) +
                                                " constants came with the module");
  }
  llvm::GlobalVariable*& global = constant_globals_[index];
  if (global == nullptr) {
    const DLTensor& tensor = *constants_->tensors[static_cast<size_t>(index)];
    if (DataType(tensor.dtype) != buffer.dtype) {
      Unsupported("codegen-missing-constant",
                  "`" + buffer.name + "` is a constant of " + buffer.dtype.ToString() +
                      ", but the table holds " + DataType(tensor.dtype).ToString());
    }
    const uint64_t bytes = TensorBytes(tensor);
    const char* symbol = constants_->symbols == nullptr ? nullptr : constants_->symbols[index];
    if (symbol != nullptr) {
      llvm::Type* type = llvm::ArrayType::get(llvm::Type::getInt8Ty(context_), bytes);
      global = new llvm::GlobalVariable(module_, type, true, llvm::GlobalValue::ExternalLinkage,
                                        nullptr, symbol);
      global->setAlignment(llvm::Align(64));
      return global;
    }
    if (bytes > kMaxConstantBytes) {
      Unsupported("codegen-large-constant",
                  "constant `" + buffer.name + "` has " + std::to_string(bytes) +
                      " bytes, too many for one object",
                  "pass it as an argument");
    }
    const char* data = static_cast<const char*>(tensor.data) + tensor.byte_offset;
    llvm::Constant* image = llvm::ConstantDataArray::getString(
        context_, llvm::StringRef(bytes == 0 ? "" : data, bytes), bytes == 0);
    global = new llvm::GlobalVariable(module_, image->getType(), true,
                                      llvm::GlobalValue::InternalLinkage, image,
                                      "constant." + std::to_string(index));
    global->setAlignment(llvm::Align(64));
    consumed_[static_cast<size_t>(index)] = '\1';
  }
  return global;
}

void ModuleEmitter::Emit(const ir::Module& source) {
  for (const ir::Func& func : source->functions) {
    functions_[func->name] = {Declare(*func), func->return_type};
  }
  for (const ir::Func& func : source->functions) {
    if (!func->body) Unsupported("codegen-not-flat", "function `" + func->name + "` has no body");
    llvm::Function* function = functions_[func->name].function;
    EmitFunction(*this, *func, function);
    if ((IsPacked(*func) || IsUnchecked(*func)) && OnlyStartsLoops(*func)) {
      function->addFnAttr(llvm::Attribute::OptimizeNone);
      function->addFnAttr(llvm::Attribute::NoInline);
    }
  }
  EmitArtifact(source);
}

// Makes an array of {name, function}, one for each function that `listed` accepts, with the name
// that `name_of` gives. Returns a pointer to the first entry, and the number of entries.
template <class Listed, class NameOf>
std::pair<llvm::Constant*, uint64_t> ModuleEmitter::ListFunctions(const ir::Module& source,
                                                                  const char* global, Listed listed,
                                                                  NameOf name_of) {
  llvm::Type* pointer = llvm::PointerType::getUnqual(context_);
  llvm::StructType* entry_type = llvm::StructType::get(context_, {pointer, pointer});
  std::vector<llvm::Constant*> entries;
  for (const ir::Func& func : source->functions) {
    if (!listed(*func)) continue;
    entries.push_back(llvm::ConstantStruct::get(
        entry_type, {String(name_of(*func)), functions_[func->name].function}));
  }
  if (entries.empty()) return {llvm::Constant::getNullValue(pointer), 0};
  llvm::ArrayType* type = llvm::ArrayType::get(entry_type, entries.size());
  auto* list = new llvm::GlobalVariable(module_, type, true, llvm::GlobalValue::InternalLinkage,
                                        llvm::ConstantArray::get(type, entries), global);
  return {list, entries.size()};
}

// Makes the words of all call sites elements of one array and returns it; null if there are no call
// sites.
llvm::Constant* ModuleEmitter::PlaceCallSites() {
  llvm::Type* pointer = llvm::PointerType::getUnqual(context_);
  if (call_sites_.empty()) return llvm::Constant::getNullValue(pointer);
  llvm::ArrayType* type = llvm::ArrayType::get(pointer, call_sites_.size());
  auto* all = new llvm::GlobalVariable(module_, type, false, llvm::GlobalValue::InternalLinkage,
                                       llvm::Constant::getNullValue(type), "call_sites");
  llvm::Type* i64 = llvm::Type::getInt64Ty(context_);
  for (size_t i = 0; i < call_sites_.size(); ++i) {
    llvm::Constant* place[] = {llvm::ConstantInt::get(i64, 0), llvm::ConstantInt::get(i64, i)};
    call_sites_[i]->replaceAllUsesWith(
        llvm::ConstantExpr::getInBoundsGetElementPtr(type, all, place));
    call_sites_[i]->eraseFromParent();
  }
  return all;
}

void ModuleEmitter::EmitArtifact(const ir::Module& source) {
  llvm::Type* pointer = llvm::PointerType::getUnqual(context_);
  llvm::Type *i32 = llvm::Type::getInt32Ty(context_), *i64 = llvm::Type::getInt64Ty(context_);
  llvm::Constant* null = llvm::Constant::getNullValue(pointer);
  const auto [functions, num_functions] = ListFunctions(
      source, "functions", IsPacked, [](const ir::FuncNode& func) { return func.name; });
  const auto [entries, num_entries] = ListFunctions(
      source, "entries", IsUnchecked,
      [](const ir::FuncNode& func) { return ir::StringAttr(func.attrs, ir::func_attr::kEntryOf); });
  if (num_entries != 0) NeedsAbi(LATHE_KERNEL_ABI_ENTRIES);
  const std::string metadata = ir::StringAttr(source->attrs, ir::module_attr::kMetadata);
  const std::string imports = ir::StringAttr(source->attrs, ir::module_attr::kImports);
  auto number = [](llvm::Type* t, uint64_t value) -> llvm::Constant* {
    return llvm::ConstantInt::get(t, value);
  };
  llvm::Constant* call_sites = PlaceCallSites();
  std::vector<llvm::Constant*> members = {
      number(i32, 0),
      number(i32, abi_),
      table_slot_,
      functions,
      number(i64, num_functions),
      String(metadata),
      number(i64, metadata.size()),
      imports.empty() ? null : static_cast<llvm::Constant*>(String(imports)),
      number(i64, imports.size()),
      null,
      number(i64, 0),
      entries,
      number(i64, num_entries),
      call_sites,
      number(i64, call_sites_.size())};
  std::vector<llvm::Type*> types;
  for (const llvm::Constant* member : members) types.push_back(member->getType());
  llvm::StructType* type = llvm::StructType::get(context_, types);
  members[0] = number(i32, module_.getDataLayout().getTypeAllocSize(type));
  new llvm::GlobalVariable(module_, type, true, llvm::GlobalValue::ExternalLinkage,
                           llvm::ConstantStruct::get(type, members), LATHE_ARTIFACT_SYMBOL);
}

}  // namespace lathe::llvm_backend
