#include "plugins/host/boundary.h"

#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "base/dtype.h"
#include "base/error.h"
#include "plugins/sdk/value.h"
#include "runtime/json.h"
#include "runtime/status.h"

namespace lathe::plugins {
namespace {

using runtime::Json;
using runtime::MakeStatus;

constexpr size_t kMaxFileBytes = size_t{4} << 30;
constexpr size_t kMaxConstants = 100000;

absl::Status WriteFile(const std::string& path, std::string_view bytes) {
  std::FILE* file = std::fopen(path.c_str(), "wbe");
  const bool written =
      file != nullptr && std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size();
  const int error = errno;
  if (file != nullptr && std::fclose(file) == 0 && written) return absl::OkStatus();
  return MakeStatus(absl::StatusCode::kUnavailable, "boundary-dump",
                    "cannot write " + path + ": " + std::strerror(error));
}

absl::Status Unreadable(const std::string& folder, const std::string& what) {
  return MakeStatus(absl::StatusCode::kInvalidArgument, "boundary-read",
                    folder + " is no recorded request: " + what);
}

absl::StatusOr<std::string> ReadFile(const std::string& path) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rbe"),
                                                             &std::fclose);
  std::string bytes;
  std::vector<char> buffer(64 << 10);
  size_t got = 0;
  while (file != nullptr && (got = std::fread(buffer.data(), 1, buffer.size(), file.get())) > 0) {
    bytes.append(buffer.data(), got);
    if (bytes.size() > kMaxFileBytes) break;
  }
  if (file == nullptr || std::ferror(file.get()) != 0 || bytes.size() > kMaxFileBytes) {
    return MakeStatus(absl::StatusCode::kNotFound, "boundary-read", "cannot read " + path);
  }
  return bytes;
}

std::string ConstantFile(const std::string& folder, size_t i) {
  return folder + "/constant-" + std::to_string(i) + ".bin";
}

// Reads the dtype, shape and symbol of a constant, and computes its number of bytes. False if they
// are invalid.
bool ReadConstantHead(const Json& json, RecordedRequest::Constant* constant) {
  const Json* dtype = json.Find("dtype");
  const Json* shape = json.Find("shape");
  DataType type;
  if (dtype == nullptr || shape == nullptr || !DataType::Parse(dtype->string(), &type))
    return false;
  if (type.is_void() || type.is_scalable()) return false;
  constant->dtype = type.dl();
  uint64_t& bytes = constant->bytes = static_cast<uint64_t>(type.bytes());
  if (const Json* symbol = json.Find("symbol")) constant->symbol = symbol->string();
  for (const Json& extent : shape->items()) {
    if (!extent.is_int() || extent.int_value() < 0) return false;
    const auto size = static_cast<uint64_t>(extent.int_value());
    if (size != 0 && bytes > kMaxFileBytes / size) return false;
    bytes *= size;
    constant->shape.push_back(extent.int_value());
  }
  return true;
}

// Makes a folder for one request. A process of another container, or an earlier one, may have had
// this process's number: folders that exist are theirs, and the next number is taken.
absl::StatusOr<std::string> NewFolder(const std::string& parent, const std::string& kind) {
  static std::atomic<int> counter{0};
  mkdir(parent.c_str(), 0755);  // may exist
  while (true) {
    char name[64];
    std::snprintf(name, sizeof(name), "%d-%04d-", static_cast<int>(getpid()), counter.fetch_add(1));
    std::string folder = parent + "/" + name + kind;
    if (mkdir(folder.c_str(), 0755) == 0) return folder;
    if (errno == EEXIST) continue;
    return MakeStatus(absl::StatusCode::kUnavailable, "boundary-dump",
                      "cannot make folder " + folder + ": " + std::strerror(errno));
  }
}

absl::Status CheckSizes(const RecordedRequest& request, const std::string& where) {
  for (size_t i = 0; i < request.constants.size(); ++i) {
    const RecordedRequest::Constant& constant = request.constants[i];
    if (constant.data.size() == constant.bytes) continue;
    return Unreadable(where, "constant " + std::to_string(i) + " has " +
                                 std::to_string(constant.data.size()) + " bytes, not " +
                                 std::to_string(constant.bytes));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status DumpRequest(const target::Target& target, const std::string& target_text,
                         const CompileInput& input) {
  const char* variable = secure_getenv("LATHE_DUMP_BOUNDARY");
  if (variable == nullptr || *variable == '\0') return absl::OkStatus();
  LATHE_ASSIGN_OR_RETURN(const std::string folder, NewFolder(variable, target.kind));
  for (size_t i = 0; i < input.constants.size(); ++i) {
    const DLTensor& constant = *input.constants[i];
    LATHE_RETURN_IF_ERROR(
        WriteFile(ConstantFile(folder, i),
                  {sdk::DataOf(constant), static_cast<size_t>(sdk::NumBytes(constant))}));
  }
  LATHE_RETURN_IF_ERROR(WriteFile(folder + "/ir.bin", input.ir));
  return WriteFile(folder + "/request.json", RequestJson(target, target_text, input) + "\n");
}

std::string RequestJson(const target::Target& target, const std::string& target_text,
                        const CompileInput& input) {
  Json request = Json::Object();
  request.Set("target", target_text)
      .Set("plugin", target.plugin)
      .Set("output", OutputKindName(input.output));
  request.Set("options", input.options);
  Json constants = Json::Array();
  for (size_t i = 0; i < input.constants.size(); ++i) {
    const DLTensor& constant = *input.constants[i];
    Json shape = Json::Array();
    for (int32_t d = 0; d < constant.ndim; ++d) shape.Append(constant.shape[d]);
    Json one = Json::Object();
    one.Set("dtype", DataType(constant.dtype).ToString()).Set("shape", std::move(shape));
    if (i < input.constant_symbols.size() && input.constant_symbols[i] != nullptr)
      one.Set("symbol", input.constant_symbols[i]);
    constants.Append(std::move(one));
  }
  request.Set("constants", std::move(constants));
  return request.Dump(2);
}

absl::Status ParseRequest(const std::string& text, const std::string& where,
                          RecordedRequest* request) {
  const absl::StatusOr<Json> json = Json::Parse(text, 16 << 20);
  if (!json.ok()) return Unreadable(where, std::string(runtime::StatusText(json.status())));
  const auto string = [&](std::string_view key) {
    const Json* member = json->Find(key);
    return member == nullptr ? std::string() : member->string();
  };
  request->target = string("target");
  request->plugin = string("plugin");
  request->options = string("options");
  if (request->target.empty()) return Unreadable(where, "request.json has no target");
  if (!OutputKindFromName(string("output"), &request->output))
    return Unreadable(where, "unknown kind of output");
  const Json* constants = json->Find("constants");
  if (constants == nullptr) return absl::OkStatus();
  if (constants->items().size() > kMaxConstants) return Unreadable(where, "too many constants");
  for (size_t i = 0; i < constants->items().size(); ++i) {
    RecordedRequest::Constant constant;
    if (!ReadConstantHead(constants->items()[i], &constant))
      return Unreadable(where, "constant " + std::to_string(i) + " has no sound dtype and shape");
    request->constants.push_back(std::move(constant));
  }
  return absl::OkStatus();
}

absl::StatusOr<RecordedRequest> ReadRequest(const std::string& folder) {
  LATHE_ASSIGN_OR_RETURN(const std::string text, ReadFile(folder + "/request.json"));
  RecordedRequest request;
  LATHE_RETURN_IF_ERROR(ParseRequest(text, folder, &request));
  for (size_t i = 0; i < request.constants.size(); ++i) {
    LATHE_ASSIGN_OR_RETURN(request.constants[i].data, ReadFile(ConstantFile(folder, i)));
  }
  LATHE_RETURN_IF_ERROR(CheckSizes(request, folder));
  LATHE_ASSIGN_OR_RETURN(request.ir, ReadFile(folder + "/ir.bin"));
  return request;
}

absl::StatusOr<CompileOutput> Replay(const std::string& folder) {
  LATHE_ASSIGN_OR_RETURN(RecordedRequest request, ReadRequest(folder));
  try {
    const target::Target target = target::ParseTarget(request.target);
    return MakeRequest(request, target.schema->ir_lowest, target.schema->ir_highest);
  } catch (const Error& error) {
    return MakeStatus(absl::StatusCode::kFailedPrecondition, error.name(),
                      error.diagnostic().message);
  }
}

absl::StatusOr<CompileOutput> MakeRequest(RecordedRequest& request, int oldest, int newest) {
  LATHE_RETURN_IF_ERROR(CheckSizes(request, "the request"));
  std::vector<DLTensor> tensors;
  for (RecordedRequest::Constant& constant : request.constants) {
    tensors.push_back({constant.data.data(),
                       {kDLCPU, 0},
                       static_cast<int32_t>(constant.shape.size()),
                       constant.dtype,
                       constant.shape.data(),
                       nullptr,
                       0});
  }
  std::vector<const DLTensor*> constants;
  for (const DLTensor& tensor : tensors) constants.push_back(&tensor);
  std::vector<const char*> symbols;
  bool any = false;
  for (const RecordedRequest::Constant& constant : request.constants) {
    symbols.push_back(constant.symbol.empty() ? nullptr : constant.symbol.c_str());
    any = any || symbols.back() != nullptr;
  }
  if (!any) symbols.clear();
  LATHE_ASSIGN_OR_RETURN(const CodeGen codegen,
                         CodeGen::For(target::ParseTarget(request.target), oldest, newest));
  return codegen.Compile({request.ir, request.output, constants, request.options, symbols});
}

}  // namespace lathe::plugins
