#include "tools/lathe/numbers.h"

#include "gtest/gtest.h"
#include "runtime/status.h"

namespace lathe::cli {
namespace {

using runtime::Tensor;

std::string SummaryOf(std::string_view how, DataType dtype, std::vector<int64_t> shape = {3}) {
  auto tensor = MakeFilled(how, shape, dtype, 1);
  EXPECT_TRUE(tensor.ok()) << tensor.status();
  auto summary = Summary(*tensor);
  EXPECT_TRUE(summary.ok()) << summary.status();
  return *summary;
}

TEST(Numbers, AreShownForEveryType) {
  EXPECT_EQ(SummaryOf("zeros", DataType::Float(32)),
            "float32[3] on cpu:0: 0 0 0; min 0, max 0, mean 0");
  EXPECT_EQ(SummaryOf("zeros", DataType::Int(64), {0}), "int64[0] on cpu:0");
  EXPECT_NE(SummaryOf("random", DataType::Float(32), {100}).find(" ...; min -0."),
            std::string::npos);
  for (DataType dtype :
       {DataType::Bool(), DataType::Int(4), DataType::Int(8), DataType::Int(64), DataType::UInt(1),
        DataType::UInt(64), DataType::Float(16), DataType::Float(64), DataType::BFloat16(),
        DataType(kDLFloat8_e4m3fn, 8)}) {
    EXPECT_NE(SummaryOf("random", dtype, {100}).find("min "), std::string::npos)
        << dtype.ToString();
  }
  // The same numbers in every run: they depend on the seed alone.
  EXPECT_EQ(SummaryOf("random", DataType::Int(32)), SummaryOf("random", DataType::Int(32)));
}

TEST(Numbers, NegativeIntegersKeepTheirSign) {
  auto tensor = Tensor::Empty({2}, DataType::Int(16));
  ASSERT_TRUE(tensor.ok());
  const int16_t values[] = {-5, 3};
  ASSERT_TRUE(tensor->CopyFromHost(values, sizeof values).ok());
  EXPECT_EQ(*Summary(*tensor), "int16[2] on cpu:0: -5 3; min -5, max 3, mean -1");
}

TEST(Numbers, TypesWithoutNumbersAreRefused) {
  EXPECT_EQ(runtime::StatusName(MakeFilled("random", {2}, DataType::Handle(), 1).status()),
            "run-no-fill");
  EXPECT_EQ(runtime::StatusName(MakeFilled("zeros", {2}, DataType::Float(32, 4), 1).status()),
            "run-no-fill");
}

TEST(Numbers, OfAllElements) {
  const int16_t data[] = {-3, 0, 7};
  const Tensor tensor =
      *Tensor::FromHost(data, sizeof data, std::vector<int64_t>{3}, DataType::Int(16));
  EXPECT_EQ(*NumbersOf(tensor), (std::vector<double>{-3, 0, 7}));
  const Tensor handles = *Tensor::Empty({1}, DataType::Handle());
  EXPECT_EQ(runtime::StatusName(NumbersOf(handles).status()), "run-no-numbers");
}

}  // namespace
}  // namespace lathe::cli
