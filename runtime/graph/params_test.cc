#include "runtime/graph/params.h"

#include "gtest/gtest.h"
#include "runtime/init.h"
#include "runtime/status.h"

namespace lathe::runtime::graph {
namespace {

Tensor Bytes(std::vector<int8_t> data, std::vector<int64_t> shape) {
  return Tensor::FromHost(data.data(), data.size(), shape, DataType::Int(8)).value();
}

std::vector<NamedTensor> Example() {
  Initialize();
  return {{"layer0/w", Bytes({1, 2, 3, 4, 5, 6}, {2, 3})},
          {"", Bytes({7}, {})},
          {"nothing", Bytes({}, {0, 5})}};
}

std::string NameOf(const absl::Status& status) { return std::string(StatusName(status)); }

TEST(Params, RoundTrip) {
  const std::vector<NamedTensor> tensors = Example();
  const std::string bytes = EncodeParams(tensors).value();
  const auto read = DecodeParams(bytes);
  ASSERT_TRUE(read.ok()) << read.status();
  ASSERT_EQ(read->size(), 3u);
  EXPECT_EQ((*read)[0].name, "layer0/w");
  EXPECT_EQ((*read)[0].tensor.shape(1), 3);
  EXPECT_EQ((*read)[0].tensor.HostData<const int8_t>()[5], 6);
  EXPECT_EQ((*read)[1].tensor.rank(), 0);
  EXPECT_EQ(EncodeParams(*read).value(), bytes);
  EXPECT_TRUE(DecodeParams(EncodeParams({}).value())->empty());
  // Any layout is stored row by row.
  const int axes[] = {1, 0};
  const NamedTensor turned[] = {{"w", tensors[0].tensor.Transpose(axes)}};
  EXPECT_EQ(DecodeParams(EncodeParams(turned).value())->at(0).tensor.HostData<const int8_t>()[1],
            4);
}

TEST(Params, EveryDamagedByteIsFound) {
  const std::string bytes = EncodeParams(Example()).value();
  for (size_t i = 0; i < bytes.size(); ++i) {
    std::string damaged = bytes;
    damaged[i] = static_cast<char>(damaged[i] ^ 4);
    EXPECT_EQ(NameOf(DecodeParams(damaged).status()),
              i >= 8 && i < 12 ? "params-version" : "params-corrupt")
        << i;
    EXPECT_EQ(NameOf(DecodeParams(bytes.substr(0, i)).status()), "params-corrupt") << i;
  }
  EXPECT_EQ(NameOf(DecodeParams(bytes + "x").status()), "params-corrupt");
}

TEST(Params, NamesAreUnique) {
  Initialize();
  const NamedTensor twice[] = {{"w", Bytes({1}, {1})}, {"w", Bytes({1}, {1})}};
  EXPECT_EQ(NameOf(EncodeParams(twice).status()), "params-duplicate");
}

}  // namespace
}  // namespace lathe::runtime::graph
