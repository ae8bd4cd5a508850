// Models of TFLite as bytes, for tests and as seeds of fuzzers.
//
//   const std::string bytes = ModelBytes({{.tensors = {{"x", {2, 3}}, {"y", {2, 3}}},
//                                          .operators = {{19, {0}, {1}}},
//                                          .inputs = {0}, .outputs = {1}}});
#pragma once

#include <cstdint>
#include <cstring>
#include <map>
#include <string>
#include <vector>

namespace lathe::graph::tflite {

// A table of FlatBuffers. Fields have the numbers of the schema, counted from 0.
class FlatTable {
 public:
  template <class T>
  FlatTable& Number(uint32_t field, T value) {
    Field& made = fields_[field];
    made.bytes.assign(reinterpret_cast<const char*>(&value), sizeof(T));
    return *this;
  }
  FlatTable& Text(uint32_t field, const std::string& text);
  template <class T>
  FlatTable& Numbers(uint32_t field, const std::vector<T>& values) {
    std::string bytes(values.size() * sizeof(T), '\0');
    if (!values.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
    return Vector(field, values.size(), bytes);
  }
  FlatTable& Sub(uint32_t field, const FlatTable& table);
  FlatTable& Tables(uint32_t field, const std::vector<FlatTable>& tables);
  // A whole file with this table as its root.
  std::string File(const std::string& identifier) const;

 private:
  struct Field {
    std::string bytes;  // of a number, or of the elements of a vector
    bool is_vector = false, is_table = false, is_tables = false;
    uint32_t count = 0;
    std::vector<FlatTable> tables;
  };
  FlatTable& Vector(uint32_t field, size_t count, const std::string& bytes);
  // Appends the table and what it refers to; returns where it is.
  size_t AppendTo(std::string* out) const;

  std::map<uint32_t, Field> fields_;
};

struct TestTensor {
  std::string name;
  std::vector<int32_t> shape;
  int8_t type = 0;        // float32
  std::string data = {};  // of a constant
  std::vector<float> scale = {};
  std::vector<int64_t> zero_point = {};
  int32_t axis = 0;
  bool is_sparse = false, is_variable = false;
};
struct TestOperator {
  int32_t code;
  std::vector<int32_t> inputs, outputs;
  uint8_t options_type = 0;
  FlatTable options = {};
  std::string custom = {};
  std::vector<int32_t> intermediates = {};
};
struct TestGraph {
  std::vector<TestTensor> tensors;
  std::vector<TestOperator> operators;
  std::vector<int32_t> inputs, outputs;
};

template <class T>
std::string DataOf(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}
std::string ModelBytes(const std::vector<TestGraph>& graphs, uint32_t version = 3);

// An LSTM in whole numbers: 2 sequences of 3 steps, 2 features, 3 hidden. `memory` is the scale of
// its memory, tensor 14.
TestGraph QuantisedLstm(float memory = 0x1p-11F);

}  // namespace lathe::graph::tflite
