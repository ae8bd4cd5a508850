#include "backends/opencl/build.h"

#include <cctype>
#include <cstdlib>
#include <memory>
#include <set>
#include <sstream>
#include <type_traits>
#include <vector>

#include "backends/opencl/program_cache.h"

namespace lathe::opencl_backend {
namespace {

constexpr size_t kMostLines = 5;

std::string LogOf(ClDevice& device, cl_program program) {
  size_t size = 0;
  if (Cl().clGetProgramBuildInfo(program, device.device, CL_PROGRAM_BUILD_LOG, 0, nullptr, &size) !=
          CL_SUCCESS ||
      size == 0)
    return "";
  std::string log(size, '\0');
  Cl().clGetProgramBuildInfo(program, device.device, CL_PROGRAM_BUILD_LOG, size, log.data(),
                             nullptr);
  while (!log.empty() && (log.back() == '\0' || log.back() == '\n')) log.pop_back();
  return log;
}

std::string BinaryOf(cl_program program) {
  size_t size = 0;
  if (Cl().clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof(size), &size, nullptr) !=
          CL_SUCCESS ||
      size == 0)
    return "";
  std::string binary(size, '\0');
  unsigned char* data = reinterpret_cast<unsigned char*>(binary.data());
  if (Cl().clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof(data), &data, nullptr) !=
      CL_SUCCESS)
    return "";
  return binary;
}

cl_program FromBinary(ClDevice& device, const std::string& key, const std::string& options) {
  const std::string binary = FindBinary(key);
  if (binary.empty()) return nullptr;
  const size_t size = binary.size();
  const auto* data = reinterpret_cast<const unsigned char*>(binary.data());
  cl_int status = CL_SUCCESS, code = CL_SUCCESS;
  cl_program program = Cl().clCreateProgramWithBinary(device.context(), 1, &device.device, &size,
                                                      &data, &status, &code);
  if (code != CL_SUCCESS || status != CL_SUCCESS) {
    if (code == CL_SUCCESS) Cl().clReleaseProgram(program);
    return nullptr;
  }
  if (Cl().clBuildProgram(program, 1, &device.device, options.c_str(), nullptr, nullptr) !=
      CL_SUCCESS) {
    Cl().clReleaseProgram(program);  // the driver changed but not its name: compile again
    return nullptr;
  }
  return program;
}

void CheckFeatures(const ClDevice& device, const Program& program) {
  const auto refuse = [&](const char* name, const char* what, const char* help) {
    throw sdk::Error(LATHE_FAILED_PRECONDITION, name,
                     std::string("a kernel uses ") + what + ", which opencl(" +
                         std::to_string(device.id) + "), " + device.info.name + ", does not have",
                     std::string("help: ") + help);
  };
  if (program.fp16 && !device.info.fp16)
    refuse("opencl-no-fp16", "float16 (cl_khr_fp16)", "cast to float32 in the program");
  if (program.fp64 && !device.info.fp64)
    refuse("opencl-no-fp64", "float64 (cl_khr_fp64)", "cast to float32 in the program");
  if (program.long_atomics &&
      device.info.extensions.find(" cl_khr_int64_base_atomics ") == std::string::npos)
    refuse("opencl-no-int64-atomics", "atomics on 64-bit integers (cl_khr_int64_base_atomics)",
           "use 32-bit integers");
}

}  // namespace

std::string LinesOfLog(const std::string& log, const std::string& source) {
  std::vector<std::string> lines;
  std::istringstream text(source);
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  std::string out;
  std::set<size_t> shown;
  for (size_t at = log.find(':'); at != std::string::npos && shown.size() < kMostLines;
       at = log.find(':', at + 1)) {
    char* end = nullptr;
    if (std::isdigit(static_cast<unsigned char>(log[at + 1])) == 0) continue;
    const size_t line = std::strtoul(log.c_str() + at + 1, &end, 10);
    if (*end != ':' || line == 0 || line > lines.size()) continue;
    const size_t column = std::isdigit(static_cast<unsigned char>(end[1])) != 0
                              ? std::strtoul(end + 1, nullptr, 10)
                              : 0;
    if (column == 0 || !shown.insert(line).second) continue;
    const std::string number = std::to_string(line);
    out += number + " | " + lines[line - 1] + "\n" + std::string(number.size(), ' ') + " | " +
           std::string(column - 1, ' ') + "^\n";
  }
  return out;
}

namespace {

// Compilers of OpenCL C say in these words that nobody declares or defines a function.
bool NamesUnknownFunction(const std::string& log) {
  for (const char* words : {"implicit declaration", "undeclared", "undefined", "unresolved"}) {
    if (log.find(words) != std::string::npos) return true;
  }
  return false;
}

}  // namespace

cl_program BuildProgram(ClDevice& device, const Program& program) {
  CheckFeatures(device, program);
  std::string options = "-cl-std=CL1.2";
  if (device.info.exact_division) options += " -cl-fp32-correctly-rounded-divide-sqrt";
  if (!program.options.empty()) options += " " + program.options;
  const std::string key = device.info.platform + "\n" + device.info.name + "\n" +
                          device.info.version + "\n" + device.info.driver + "\n" + options + "\n" +
                          program.source;
  if (cl_program cached = FromBinary(device, key, options)) return cached;
  const char* text = program.source.c_str();
  const size_t size = program.source.size();
  cl_int code = CL_SUCCESS;
  struct Release {
    void operator()(cl_program program) const { Cl().clReleaseProgram(program); }
  };
  const cl_context context = device.context();
  std::unique_ptr<std::remove_pointer_t<cl_program>, Release> made(
      Cl().clCreateProgramWithSource(context, 1, &text, &size, &code));
  device.Check(code, "making a program");
  code = Cl().clBuildProgram(made.get(), 1, &device.device, options.c_str(), nullptr, nullptr);
  if (code != CL_SUCCESS) {
    const std::string log = LogOf(device, made.get());
    if (code != CL_BUILD_PROGRAM_FAILURE && code != CL_COMPILE_PROGRAM_FAILURE &&
        code != CL_INVALID_BUILD_OPTIONS)
      device.Check(code, "building a program");
    const std::string lines = LinesOfLog(log, program.source);
    std::string notes = lines.empty() ? "" : "source:\n" + lines;
    if (NamesUnknownFunction(log)) {
      notes +=
          "help: what call_extern names must be a function of OpenCL C; the pragma import_c adds "
          "the source of others";
    }
    throw sdk::Error(LATHE_INVALID_ARGUMENT, "opencl-build-failed",
                     "the compiler of " + device.info.name + " refuses the kernels (" +
                         ClErrorName(code) + ", options `" + options + "`)\n" + log,
                     notes);
  }
  KeepBinary(key, BinaryOf(made.get()));
  return made.release();
}

}  // namespace lathe::opencl_backend
