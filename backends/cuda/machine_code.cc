#include "backends/cuda/machine_code.h"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace lathe::cuda {
namespace {

constexpr const char* kDisassembler = "external/cuda_tools/site/nvidia/cu13/bin/nvdisasm";

int NumberBefore(const std::string& line, const std::string& word) {
  const size_t at = line.find(word);
  if (at == std::string::npos) return 0;
  size_t begin = at;
  while (begin > 0 && (line[begin - 1] == ' ')) --begin;
  size_t digits = begin;
  while (digits > 0 && line[digits - 1] >= '0' && line[digits - 1] <= '9') --digits;
  return digits == begin ? 0 : std::atoi(line.c_str() + digits);
}

std::string Between(const std::string& line, const std::string& before, char after) {
  const size_t at = line.find(before);
  if (at == std::string::npos) return "";
  const size_t begin = at + before.size(), end = line.find(after, begin);
  return line.substr(begin, end - begin);
}

// "        /*0080*/   @P0 LDG.E R8, [R2.64] ;  /* 0x... */" -> "@P0 LDG.E R8, [R2.64] ;"
std::string InstructionIn(const std::string& line) {
  const size_t address = line.find("/*"), after = line.find("*/");
  if (address == std::string::npos || after == std::string::npos) return "";
  const size_t end = line.find(';', after);
  if (end == std::string::npos) return "";
  const size_t begin = line.find_first_not_of(" \t{", after + 2);
  return line.substr(begin, end - begin + 1);
}

}  // namespace

std::map<std::string, Resources> ReadResources(const std::string& log) {
  std::map<std::string, Resources> out;
  Resources* current = nullptr;
  std::istringstream lines(log);
  for (std::string line; std::getline(lines, line);) {
    if (const std::string name = Between(line, "Compiling entry function '", '\''); !name.empty())
      current = &out[name];
    if (current == nullptr) continue;
    if (line.find("spill stores") != std::string::npos) {
      current->stack_bytes = NumberBefore(line, "bytes stack frame");
      current->spilled_bytes =
          NumberBefore(line, "bytes spill stores") + NumberBefore(line, "bytes spill loads");
    }
    if (line.find(" registers") != std::string::npos) {
      current->registers = NumberBefore(line, "registers");
      current->shared_bytes = NumberBefore(line, "bytes smem");
    }
  }
  return out;
}

std::map<std::string, std::string> Disassemble(const std::string& cubin) {
  const char* folder = std::getenv("TEST_TMPDIR");
  const std::string path = std::string(folder != nullptr ? folder : "/tmp") + "/kernels.cubin";
  std::ofstream(path, std::ios::binary) << cubin;
  FILE* pipe = popen((std::string(kDisassembler) + " -c " + path + " 2>&1").c_str(), "r");
  if (pipe == nullptr) throw std::runtime_error("nvdisasm cannot be started");
  std::string text;
  std::array<char, 4096> buffer;
  while (const size_t count = std::fread(buffer.data(), 1, buffer.size(), pipe))
    text.append(buffer.data(), count);
  if (pclose(pipe) != 0) throw std::runtime_error("nvdisasm failed: " + text);
  std::map<std::string, std::string> out;
  std::string* current = nullptr;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (const std::string name = Between(line, ".section\t.text.", ','); !name.empty())
      current = &out[name];
    const std::string instruction = InstructionIn(line);
    if (current != nullptr && !instruction.empty()) *current += instruction + "\n";
  }
  if (out.empty()) throw std::runtime_error("nvdisasm shows no kernel:\n" + text);
  return out;
}

int CountInstructions(const std::string& lines, std::string_view start) {
  int count = 0;
  std::istringstream in(lines);
  for (std::string line; std::getline(in, line);) {
    std::string_view rest = line;
    if (rest.starts_with("@")) rest.remove_prefix(std::min(rest.find(' '), rest.size() - 1) + 1);
    if (rest.starts_with(start)) ++count;
  }
  return count;
}

void UsePinnedToolkit() {
  setenv("LATHE_CUDA_HOME", std::filesystem::absolute("external/cuda/site/nvidia/cu13").c_str(), 1);
}

}  // namespace lathe::cuda
