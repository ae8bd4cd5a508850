#include "graph/import/tflite/test_models.h"

#include <algorithm>

namespace lathe::graph::tflite {
namespace {

void Align(std::string* out, size_t alignment) {
  out->resize((out->size() + alignment - 1) / alignment * alignment);
}
template <class T>
void Put(std::string* out, size_t at, T value) {
  std::memcpy(out->data() + at, &value, sizeof(T));
}
template <class T>
void Append(std::string* out, T value) {
  out->append(reinterpret_cast<const char*>(&value), sizeof(T));
}

}  // namespace

FlatTable& FlatTable::Vector(uint32_t field, size_t count, const std::string& bytes) {
  Field& made = fields_[field];
  made.bytes = bytes;
  made.is_vector = true;
  made.count = static_cast<uint32_t>(count);
  return *this;
}

FlatTable& FlatTable::Text(uint32_t field, const std::string& text) {
  return Vector(field, text.size(), text);
}

FlatTable& FlatTable::Sub(uint32_t field, const FlatTable& table) {
  Field& made = fields_[field];
  made.tables = {table};
  made.is_table = true;
  return *this;
}

FlatTable& FlatTable::Tables(uint32_t field, const std::vector<FlatTable>& tables) {
  Field& made = fields_[field];
  made.tables = tables;
  made.is_tables = true;
  return *this;
}

// The list of offsets, then the table with eight bytes for each field, then what it refers to.
size_t FlatTable::AppendTo(std::string* out) const {
  const size_t count = fields_.empty() ? 0 : fields_.rbegin()->first + 1;
  Align(out, 8);
  const size_t list = out->size();
  out->resize(list + 4 + 2 * count);
  Align(out, 8);
  const size_t at = out->size(), size = 8 + 8 * fields_.size();
  out->resize(at + size);
  Put<uint16_t>(out, list, static_cast<uint16_t>(4 + 2 * count));
  Put<uint16_t>(out, list + 2, static_cast<uint16_t>(size));
  Put<int32_t>(out, at, static_cast<int32_t>(at - list));
  size_t place = at + 8;
  for (const auto& [number, field] : fields_) {
    Put<uint16_t>(out, list + 4 + 2 * size_t{number}, static_cast<uint16_t>(place - at));
    if (field.is_vector) {
      Align(out, 16);
      out->resize(out->size() + 12);  // so that the elements are aligned
      Put<uint32_t>(out, place, static_cast<uint32_t>(out->size() - place));
      Append<uint32_t>(out, field.count);
      out->append(field.bytes);
      out->push_back('\0');
    } else if (field.is_table) {
      const size_t inner = field.tables[0].AppendTo(out);
      Put<uint32_t>(out, place, static_cast<uint32_t>(inner - place));
    } else if (field.is_tables) {
      Align(out, 4);
      const size_t vector = out->size();
      Put<uint32_t>(out, place, static_cast<uint32_t>(vector - place));
      out->resize(vector + 4 + 4 * field.tables.size());
      Put<uint32_t>(out, vector, static_cast<uint32_t>(field.tables.size()));
      for (size_t i = 0; i < field.tables.size(); ++i) {
        const size_t slot = vector + 4 + 4 * i, inner = field.tables[i].AppendTo(out);
        Put<uint32_t>(out, slot, static_cast<uint32_t>(inner - slot));
      }
    } else {
      std::memcpy(out->data() + place, field.bytes.data(), field.bytes.size());
    }
    place += 8;
  }
  return at;
}

std::string FlatTable::File(const std::string& identifier) const {
  std::string out(8, '\0');
  std::memcpy(out.data() + 4, identifier.data(), 4);
  Put<uint32_t>(&out, 0, static_cast<uint32_t>(AppendTo(&out)));
  return out;
}

std::string ModelBytes(const std::vector<TestGraph>& graphs, uint32_t version) {
  std::vector<FlatTable> buffers(1), codes, tables;
  for (const TestGraph& graph : graphs) {
    std::vector<FlatTable> tensors, operators;
    for (const TestTensor& tensor : graph.tensors) {
      FlatTable table;
      table.Numbers<int32_t>(0, tensor.shape).Number<int8_t>(1, tensor.type).Text(3, tensor.name);
      if (!tensor.data.empty()) {
        table.Number<uint32_t>(2, static_cast<uint32_t>(buffers.size()));
        buffers.push_back(FlatTable().Text(0, tensor.data));
      }
      if (!tensor.scale.empty()) {
        table.Sub(4, FlatTable()
                         .Numbers<float>(2, tensor.scale)
                         .Numbers<int64_t>(3, tensor.zero_point)
                         .Number<int32_t>(6, tensor.axis));
      }
      if (tensor.is_sparse) table.Sub(6, FlatTable());
      if (tensor.is_variable) table.Number<uint8_t>(5, 1);
      tensors.push_back(table);
    }
    for (const TestOperator& op : graph.operators) {
      FlatTable code;
      code.Number<int8_t>(0, static_cast<int8_t>(std::min(op.code, 127)))
          .Number<int32_t>(3, op.code);
      if (!op.custom.empty()) code.Text(1, op.custom);
      FlatTable table;
      table.Number<uint32_t>(0, static_cast<uint32_t>(codes.size()))
          .Numbers<int32_t>(1, op.inputs)
          .Numbers<int32_t>(2, op.outputs);
      if (op.options_type != 0) table.Number<uint8_t>(3, op.options_type).Sub(4, op.options);
      if (!op.intermediates.empty()) table.Numbers<int32_t>(8, op.intermediates);
      codes.push_back(code);
      operators.push_back(table);
    }
    tables.push_back(FlatTable()
                         .Tables(0, tensors)
                         .Numbers<int32_t>(1, graph.inputs)
                         .Numbers<int32_t>(2, graph.outputs)
                         .Tables(3, operators));
  }
  return FlatTable()
      .Number<uint32_t>(0, version)
      .Tables(1, codes)
      .Tables(2, tables)
      .Tables(4, buffers)
      .File("TFL3");
}

TestGraph QuantisedLstm(float memory) {
  auto numbers = [k = 0](auto type, int count, int factor) mutable {
    std::vector<decltype(type)> values;
    ++k;
    for (int i = 0; i < count; ++i) {
      values.push_back(static_cast<decltype(type)>(((i * 37 + k * 11) % 251 - 125) * factor));
    }
    return DataOf(values);
  };
  TestGraph graph{.tensors = {{"x", {2, 3, 2}, 9, "", {0.05F}, {-3}}}, .inputs = {0}};
  std::vector<int32_t> inputs{0};
  const auto add = [&](TestTensor tensor) {
    inputs.push_back(static_cast<int32_t>(graph.tensors.size()));
    graph.tensors.push_back(std::move(tensor));
  };
  for (const float scale : {0.01F, 0.02F, 0.015F, 0.02F}) {
    add({"w", {3, 2}, 9, numbers(int8_t{}, 6, 1), {scale}, {0}});
  }
  for (const float scale : {0.02F, 0.01F, 0.03F, 0.025F}) {
    add({"r", {3, 3}, 9, numbers(int8_t{}, 9, 1), {scale}, {0}});
  }
  inputs.insert(inputs.end(), 3, -1);
  for (int gate = 0; gate < 4; ++gate) add({"b", {3}, 2, numbers(int32_t{}, 3, 20)});
  inputs.insert(inputs.end(), 2, -1);
  add({"state", {2, 3}, 9, "", {0x1p-7F}, {5}, 0, false, true});
  add({"memory", {2, 3}, 7, "", {memory}, {0}, 0, false, true});
  const auto step = static_cast<int32_t>(graph.tensors.size());
  graph.tensors.push_back({"step", {}, 7, "", {0x1p-12F}, {0}});
  graph.tensors.push_back({"y", {2, 3, 3}, 9, "", {0x1p-7F}, {5}});
  graph.operators = {{44, inputs, {step + 1}, 71, FlatTable().Number<int8_t>(0, 4)}};
  graph.operators[0].intermediates = {step, step, step, step, step + 1};
  graph.outputs = {step + 1};
  return graph;
}

}  // namespace lathe::graph::tflite
