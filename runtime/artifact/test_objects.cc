#include "runtime/artifact/test_objects.h"

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>

#include "gtest/gtest.h"
#include "runtime/artifact/machine.h"
#include "runtime/artifact/tar.h"

// This is also a symbol of the process if the test program exports its own symbols.
extern "C" __attribute__((visibility("default"))) int32_t TestCallback(int32_t value) {
  return value * 2;
}

namespace lathe::runtime {

std::string ReadTestObject(const std::string& name, const std::string& machine) {
  std::ifstream file("runtime/artifact/testdata/" + name + "." + machine + ".o", std::ios::binary);
  EXPECT_TRUE(file.good()) << name << " for " << machine;
  return std::string(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
}

std::string ReadTestObject(const std::string& name) {
  return ReadTestObject(name, HostMachine()->name);
}

void TestKernels::Check(int count) const {
  EXPECT_EQ((Call<int32_t, int32_t, int32_t>("Add", 2, 3)), 5);
  const float values[] = {0.0f, 1.0f, -2.0f, 0.5f, 3.0f};
  const float constants[] = {0.5f, 1.25f, -2.0f, 4.0f};
  float sum = 0;
  for (int i = 0; i < 5; ++i) sum += std::exp(values[i]) * 1.5f + constants[i & 3];
  EXPECT_NEAR((Call<float, const float*, int32_t>("SumOfExp", values, 5)), sum, 1e-4);
  EXPECT_EQ((Call<double, double>("Polynomial", 2.0)), ((2.0 * 3.25 + 1.125) * 2.0 - 7.0625) * 2.0);
  const int32_t switched[] = {13, 121, 144, 37, 7 - count, -12, 1 + count, 4, -1};
  for (int32_t i = 0; i < 9; ++i)
    EXPECT_EQ((Call<int32_t, int32_t, int32_t>("Switch", i, 12)), switched[i]) << i;
  // 6 + 1 + 2 + 9 at first. Every call adds 1 + 1 + 2 + 1.
  EXPECT_EQ(Call<int32_t>("Count"), 18 + 5 * count);
  EXPECT_STREQ((Call<const char*, int32_t>("Name", 2)), "two");
  EXPECT_EQ(Call<int32_t>("Other"), 400);
  EXPECT_EQ(Call<int32_t>("SharedName"), 22);
  EXPECT_EQ(Call<int32_t>("HasAbsent"), -7);
  EXPECT_EQ((Call<int32_t, int32_t>("Callback", 4)), 9);
  EXPECT_EQ((Call<int32_t, int32_t, int32_t>("Indirect", 0, 4)), 13);
  EXPECT_EQ((Call<int32_t, int32_t, int32_t>("Indirect", 1, 4)), 41);
  char copy[4] = {};
  Call<void, void*, const void*, int32_t>("Copy", copy, "abc", 4);
  EXPECT_STREQ(copy, "abc");
}

std::string TestTarEntry(const std::string& name, const std::string& contents, char type) {
  std::string header(kTarBlock, '\0');
  auto put = [&](size_t at, const std::string& text) { header.replace(at, text.size(), text); };
  put(0, name);
  put(100, "0000644");
  char octal[13];
  std::snprintf(octal, sizeof octal, "%011zo", contents.size());
  put(124, octal);
  put(148, "        ");
  header[156] = type;
  put(257, "ustar");
  put(263, "00");
  unsigned sum = 0;
  for (const char c : header) sum += static_cast<unsigned char>(c);
  std::snprintf(octal, sizeof octal, "%06o", sum);
  put(148, octal);
  header[154] = '\0';
  return header + contents +
         std::string((kTarBlock - contents.size() % kTarBlock) % kTarBlock, '\0');
}

SymbolSource TestSymbols() {
  return SymbolTable("the test", {{"TestCallback", reinterpret_cast<void*>(&TestCallback)}});
}

}  // namespace lathe::runtime
