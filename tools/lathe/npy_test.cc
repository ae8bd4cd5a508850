#include "tools/lathe/npy.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "runtime/status.h"

namespace lathe::cli {
namespace {

using runtime::Tensor;

std::string File(const std::string& header, const std::string& data, int major = 1) {
  std::string out = "\x93NUMPY";
  out += static_cast<char>(major);
  out += '\0';
  const size_t size = header.size();
  for (int i = 0; i < (major == 1 ? 2 : 4); ++i) out += static_cast<char>(size >> (8 * i) & 0xff);
  return out + header + data;
}

std::string Header(const std::string& descr, const std::string& shape,
                   const std::string& fortran = "False") {
  return "{'descr': '" + descr + "', 'fortran_order': " + fortran + ", 'shape': " + shape + ", }\n";
}

std::string Bytes(const std::vector<float>& values) {
  return std::string(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float));
}

std::vector<float> Floats(const Tensor& tensor) {
  std::vector<float> out(static_cast<size_t>(tensor.num_elements()));
  EXPECT_TRUE(tensor.CopyToHost(out.data(), out.size() * sizeof(float)).ok());
  return out;
}

std::string FailureOf(const std::string& bytes) {
  auto tensor = DecodeNpy(bytes, "x.npy");
  return tensor.ok() ? "none" : std::string(runtime::StatusName(tensor.status()));
}

TEST(Npy, ReadsEachVersionAndOrder) {
  const std::vector<float> values = {1, 2, 3, 4, 5, 6};
  for (int major : {1, 2, 3}) {
    auto tensor = DecodeNpy(File(Header("<f4", "(2, 3)"), Bytes(values), major), "x.npy");
    ASSERT_TRUE(tensor.ok()) << tensor.status();
    EXPECT_EQ(tensor->ToString(), "float32[2, 3] on cpu:0");
    EXPECT_EQ(Floats(*tensor), values);
  }
  auto fortran = DecodeNpy(File(Header("<f4", "(2, 3)", "True"), Bytes(values)), "x.npy");
  ASSERT_TRUE(fortran.ok()) << fortran.status();
  EXPECT_EQ(Floats(*fortran), (std::vector<float>{1, 3, 5, 2, 4, 6}));
  std::string swapped = Bytes({2.5f});
  std::reverse(swapped.begin(), swapped.end());
  auto big = DecodeNpy(File(Header(">f4", "(1,)"), swapped), "x.npy");
  ASSERT_TRUE(big.ok()) << big.status();
  EXPECT_EQ(Floats(*big), std::vector<float>{2.5f});
  auto scalar = DecodeNpy(File(Header("<f4", "()"), Bytes({7})), "x.npy");
  ASSERT_TRUE(scalar.ok()) << scalar.status();
  EXPECT_EQ(scalar->rank(), 0);
  auto empty = DecodeNpy(File(Header("<f4", "(0, 5)"), ""), "x.npy");
  ASSERT_TRUE(empty.ok()) << empty.status();
  EXPECT_EQ(empty->shape(1), 5);
}

TEST(Npy, WritesWhatItReads) {
  for (DataType dtype :
       {DataType::Bool(), DataType::Int(8), DataType::Int(16), DataType::Int(32), DataType::Int(64),
        DataType::UInt(8), DataType::UInt(16), DataType::UInt(32), DataType::UInt(64),
        DataType::Float(16), DataType::Float(32), DataType::Float(64)}) {
    for (const std::vector<int64_t>& shape :
         std::vector<std::vector<int64_t>>{{}, {3}, {2, 3}, {0, 2}}) {
      auto tensor = Tensor::Empty(shape, dtype);
      ASSERT_TRUE(tensor.ok());
      std::string bytes(tensor->num_bytes(), '\1');
      ASSERT_TRUE(tensor->CopyFromHost(bytes.data(), bytes.size()).ok());
      auto file = EncodeNpy(*tensor);
      ASSERT_TRUE(file.ok()) << file.status();
      EXPECT_EQ((file->size() - bytes.size()) % 64, 0u);
      auto again = DecodeNpy(*file, "x.npy");
      ASSERT_TRUE(again.ok()) << again.status();
      EXPECT_EQ(again->ToString(), tensor->ToString());
      std::string read(bytes.size(), '\0');
      ASSERT_TRUE(again->CopyToHost(read.data(), read.size()).ok());
      EXPECT_EQ(read, bytes);
    }
  }
  EXPECT_EQ(runtime::StatusName(EncodeNpy(*Tensor::Empty({1}, DataType::BFloat16())).status()),
            "npy-dtype");
}

TEST(Npy, RefusesWhatIsNoGoodFile) {
  EXPECT_EQ(FailureOf(""), "npy-malformed");
  EXPECT_EQ(FailureOf("\x7f"
                      "ELF and more bytes"),
            "npy-malformed");
  EXPECT_EQ(FailureOf(File(Header("<f4", "(2,)"), "abc")), "npy-malformed");
  EXPECT_EQ(FailureOf(File(Header("<f4", "(4611686018427387904, 4611686018427387904)"), "")),
            "npy-malformed");
  EXPECT_EQ(FailureOf(File(Header("<f4", "(0, 9223372036854775807, 9223372036854775807)"), "abcd")),
            "npy-malformed");
  // Found by fuzzing: no elements, but strides that do not fit.
  EXPECT_EQ(FailureOf(File(Header("<f4", "(0, 9223372036854775807, 9223372036854775807)"), "")),
            "npy-malformed");
  EXPECT_EQ(FailureOf(File(Header("<f4", "(-1,)"), "")), "npy-malformed");
  EXPECT_EQ(FailureOf(File(Header("<f4", "(1,"), "")), "npy-malformed");
  EXPECT_EQ(FailureOf(File("{'descr': '<f4'}", "")), "npy-malformed");
  EXPECT_EQ(FailureOf(File("{'descr': '<f4', 'descr': '<f4'}", "")), "npy-malformed");
  EXPECT_EQ(FailureOf(File("{'other': '<f4'}", "")), "npy-malformed");
  EXPECT_EQ(FailureOf(File(Header("<f4", "(1,)"), Bytes({1}), 9)), "npy-version");
  EXPECT_EQ(FailureOf(File(Header("<c8", "(1,)"), "12345678")), "npy-dtype");
  EXPECT_EQ(FailureOf(File(Header("|O", "(1,)"), "12345678")), "npy-dtype");
  EXPECT_EQ(
      FailureOf(File("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,), }", "1234")),
      "npy-dtype");
  const std::string good = File(Header("<f4", "(2, 3)"), Bytes({1, 2, 3, 4, 5, 6}));
  for (size_t size = 0; size < good.size(); ++size)
    EXPECT_NE(FailureOf(good.substr(0, size)), "none") << size;
}

}  // namespace
}  // namespace lathe::cli
