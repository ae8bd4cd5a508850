// The messages of onnx.proto, field by field.
#include "base/error.h"
#include "graph/import/onnx/model.h"
#include "graph/import/wire.h"

namespace lathe::graph::onnx {
namespace {

const WireFormat kFormat{
    .name = "onnx-malformed",
    .what = "ONNX model",
    .help =
        "the file may be cut off or damaged: compare its size with the original's, or copy it "
        "again; `onnx.checker.check_model` of the package onnx tells more"};

TensorData ReadTensorMessage(WireReader in);
Graph ReadGraph(WireReader in, int depth, Graph graph = {});

std::pair<Text, Text> ReadEntry(WireReader in) {
  std::pair<Text, Text> entry;
  while (in.Next()) {
    switch (in.field()) {
      case 1:
        entry.first = in.Bytes("the key of an entry");
        break;
      case 2:
        entry.second = in.Bytes("the value of an entry");
        break;
      default:
        in.Skip();
    }
  }
  return entry;
}

TensorData ReadTensorMessage(WireReader in) {
  TensorData tensor;
  const auto add_int = [&](int64_t value) { tensor.ints.push_back(value); };
  while (in.Next()) {
    switch (in.field()) {
      case 1:
        in.Ints("the dims of a tensor", [&](int64_t value) { tensor.dims.push_back(value); });
        break;
      case 2:
        tensor.type = static_cast<int32_t>(in.Int("the type of a tensor"));
        break;
      case 4:
        in.Fixed<float>("float_data", [&](float value) { tensor.floats.push_back(value); });
        break;
      case 5:
        in.Ints("int32_data", add_int);
        break;
      case 6:
        tensor.strings.push_back(in.Bytes("string_data"));
        break;
      case 7:
        in.Ints("int64_data", add_int);
        break;
      case 8:
        tensor.name = in.Bytes("the name of a tensor");
        break;
      case 9:
        tensor.raw = in.Bytes("the raw_data of a tensor");
        tensor.has_raw = true;
        break;
      case 10:
        in.Fixed<double>("double_data", [&](double value) { tensor.doubles.push_back(value); });
        break;
      case 11:
        in.Ints("uint64_data", add_int);
        break;
      case 13:
        tensor.external.push_back(ReadEntry(in.Message("an entry of external_data")));
        break;
      case 14:
        tensor.is_external = in.Int("data_location") == 1;
        break;
      default:
        in.Skip();
    }
  }
  return tensor;
}

SparseData ReadSparse(WireReader in) {
  SparseData sparse;
  while (in.Next()) {
    switch (in.field()) {
      case 1:
        sparse.values = ReadTensorMessage(in.Message("the values of a sparse tensor"));
        break;
      case 2:
        sparse.indices = ReadTensorMessage(in.Message("the indices of a sparse tensor"));
        break;
      case 3:
        in.Ints("the dims of a sparse tensor", [&](int64_t dim) { sparse.dims.push_back(dim); });
        break;
      default:
        in.Skip();
    }
  }
  return sparse;
}

Type::Dim ReadDim(WireReader in) {
  Type::Dim dim;
  while (in.Next()) {
    switch (in.field()) {
      case 1:
        dim.kind = Type::Dim::Kind::kNumber;
        dim.number = in.Int("a dim_value");
        break;
      case 2:
        dim.name = in.Bytes("a dim_param");
        if (!dim.name.empty()) dim.kind = Type::Dim::Kind::kName;
        break;
      default:
        in.Skip();
    }
  }
  return dim;
}

void ReadTensorType(WireReader in, Type* type) {
  while (in.Next()) {
    switch (in.field()) {
      case 1:
        type->element = static_cast<int32_t>(in.Int("the element type of a type"));
        break;
      case 2: {
        type->has_shape = true;
        WireReader shape = in.Message("a shape");
        while (shape.Next()) {
          if (shape.field() == 1) {
            type->dims.push_back(ReadDim(shape.Message("a dimension")));
          } else {
            shape.Skip();
          }
        }
        break;
      }
      default:
        in.Skip();
    }
  }
}

Type ReadType(WireReader in, int depth) {
  if (depth > kMaxGraphDepth) {
    throw Error(Diagnostic{.name = "onnx-too-deep",
                           .message = "types of the model nest too deep",
                           .expected = "at most " + std::to_string(kMaxGraphDepth) + " levels",
                           .found = "more"});
  }
  Type type;
  const auto read_inner = [&](Type::Kind kind, const char* what) {
    type.kind = kind;
    WireReader inner = in.Message(what);
    while (inner.Next()) {
      if (inner.field() == 1) {
        type.inner.push_back(ReadType(inner.Message("the type of elements"), depth + 1));
      } else {
        inner.Skip();
      }
    }
  };
  while (in.Next()) {
    switch (in.field()) {
      case 1:
        type.kind = Type::Kind::kTensor;
        ReadTensorType(in.Message("a tensor type"), &type);
        break;
      case 4:
        read_inner(Type::Kind::kSequence, "a sequence type");
        break;
      case 5:
        type.kind = Type::Kind::kMap;
        in.Skip();
        break;
      case 7:
        type.kind = Type::Kind::kOpaque;
        in.Skip();
        break;
      case 8:
        type.kind = Type::Kind::kSparse;
        in.Skip();
        break;
      case 9:
        read_inner(Type::Kind::kOptional, "an optional type");
        break;
      default:
        in.Skip();
    }
  }
  return type;
}

ValueInfo ReadValueInfo(WireReader in) {
  ValueInfo info;
  while (in.Next()) {
    switch (in.field()) {
      case 1:
        info.name = in.Bytes("the name of an input or output");
        break;
      case 2:
        info.type = ReadType(in.Message("the type of an input or output"), 0);
        break;
      default:
        in.Skip();
    }
  }
  return info;
}

Attribute ReadAttribute(WireReader in, int depth) {
  Attribute attribute;
  while (in.Next()) {
    switch (in.field()) {
      case 1:
        attribute.name = in.Bytes("the name of an attribute");
        break;
      case 2:
        attribute.f = in.Float("a float attribute");
        break;
      case 3:
        attribute.i = in.Int("an int attribute");
        break;
      case 4:
        attribute.s = in.Bytes("a string attribute");
        break;
      case 5:
      case 10:
        attribute.tensors.push_back(ReadTensorMessage(in.Message("a tensor attribute")));
        break;
      case 6:
      case 11:
        attribute.graphs.push_back(
            std::make_shared<Graph>(ReadGraph(in.Message("a graph attribute"), depth + 1)));
        break;
      case 7:
        in.Fixed<float>("floats", [&](float value) { attribute.floats.push_back(value); });
        break;
      case 8:
        in.Ints("ints", [&](int64_t value) { attribute.ints.push_back(value); });
        break;
      case 9:
        attribute.strings.push_back(in.Bytes("strings"));
        break;
      case 20:
        attribute.type = static_cast<int32_t>(in.Int("the type of an attribute"));
        break;
      case 21:
        attribute.refers_to = in.Bytes("ref_attr_name");
        break;
      case 22:
      case 23:
        attribute.sparse.push_back(ReadSparse(in.Message("a sparse tensor attribute")));
        break;
      default:
        in.Skip();
    }
  }
  return attribute;
}

Node ReadNode(WireReader in, int depth) {
  Node node;
  while (in.Next()) {
    switch (in.field()) {
      case 1:
        node.inputs.push_back(in.Bytes("an input of a node"));
        break;
      case 2:
        node.outputs.push_back(in.Bytes("an output of a node"));
        break;
      case 3:
        node.name = in.Bytes("the name of a node");
        break;
      case 4:
        node.op = in.Bytes("the op_type of a node");
        break;
      case 5:
        node.attributes.push_back(ReadAttribute(in.Message("an attribute"), depth));
        break;
      case 7:
        node.domain = in.Bytes("the domain of a node");
        break;
      case 8:
        node.overload = in.Bytes("the overload of a node");
        break;
      default:
        in.Skip();
    }
  }
  return node;
}

// Adds to `graph`.
Graph ReadGraph(WireReader in, int depth, Graph graph) {
  if (depth > kMaxGraphDepth) {
    throw Error(Diagnostic{.name = "onnx-too-deep",
                           .message = "graphs of the model nest too deep",
                           .expected = "at most " + std::to_string(kMaxGraphDepth) + " levels",
                           .found = "more",
                           .help = "make functions of the inner graphs"});
  }
  while (in.Next()) {
    switch (in.field()) {
      case 1:
        graph.nodes.push_back(ReadNode(in.Message("a node"), depth));
        break;
      case 2:
        graph.name = in.Bytes("the name of a graph");
        break;
      case 5:
        graph.initializers.push_back(ReadTensorMessage(in.Message("an initializer")));
        break;
      case 11:
        graph.inputs.push_back(ReadValueInfo(in.Message("an input")));
        break;
      case 12:
        graph.outputs.push_back(ReadValueInfo(in.Message("an output")));
        break;
      case 15:
        graph.sparse_initializers.push_back(ReadSparse(in.Message("a sparse initializer")));
        break;
      default:
        in.Skip();
    }
  }
  return graph;
}

OpsetId ReadOpset(WireReader in) {
  OpsetId opset;
  while (in.Next()) {
    switch (in.field()) {
      case 1:
        opset.domain = in.Bytes("the domain of an opset");
        break;
      case 2:
        opset.version = in.Int("the version of an opset");
        break;
      default:
        in.Skip();
    }
  }
  return opset;
}

Function ReadFunction(WireReader in) {
  Function function;
  while (in.Next()) {
    switch (in.field()) {
      case 1:
        function.name = in.Bytes("the name of a function");
        break;
      case 4:
        function.inputs.push_back(in.Bytes("an input of a function"));
        break;
      case 5:
        function.outputs.push_back(in.Bytes("an output of a function"));
        break;
      case 7:
        function.nodes.push_back(ReadNode(in.Message("a node of a function"), 0));
        break;
      case 9:
        function.opsets.push_back(ReadOpset(in.Message("an opset of a function")));
        break;
      case 10:
        function.domain = in.Bytes("the domain of a function");
        break;
      case 11:
        function.defaults.push_back(ReadAttribute(in.Message("an attribute of a function"), 0));
        break;
      case 13:
        function.overload = in.Bytes("the overload of a function");
        break;
      default:
        in.Skip();
    }
  }
  return function;
}

}  // namespace

TensorData ReadTensor(std::string_view bytes) {
  return ReadTensorMessage(WireReader(bytes, bytes, kFormat));
}

namespace {

std::vector<TensorData> ReadSequenceMessage(WireReader in) {
  std::vector<TensorData> tensors;
  while (in.Next()) {
    if (in.field() == 3) {
      tensors.push_back(ReadTensorMessage(in.Message("a tensor of a sequence")));
    } else {
      in.Skip();
    }
  }
  return tensors;
}

}  // namespace

std::vector<TensorData> ReadSequence(std::string_view bytes) {
  return ReadSequenceMessage(WireReader(bytes, bytes, kFormat));
}

std::vector<TensorData> ReadOptional(std::string_view bytes) {
  WireReader in(bytes, bytes, kFormat);
  std::vector<TensorData> tensors;
  while (in.Next()) {
    if (in.field() == 3) {
      tensors.push_back(ReadTensorMessage(in.Message("the tensor of an optional")));
    } else if (in.field() == 5) {
      tensors = ReadSequenceMessage(in.Message("the sequence of an optional"));
    } else {
      in.Skip();
    }
  }
  return tensors;
}

Model ReadModel(std::string_view bytes) {
  Model model;
  bool has_graph = false;
  WireReader in(bytes, bytes, kFormat);
  while (in.Next()) {
    switch (in.field()) {
      case 1:
        model.ir_version = in.Int("ir_version");
        break;
      case 2:
        model.producer = in.Bytes("producer_name");
        break;
      case 7:
        // A message that comes in parts is one message (protobuf's encoding, "Last One Wins").
        model.graph = ReadGraph(in.Message("the graph"), 0, std::move(model.graph));
        has_graph = true;
        break;
      case 8:
        model.opsets.push_back(ReadOpset(in.Message("an opset")));
        break;
      case 25:
        model.functions.push_back(ReadFunction(in.Message("a function")));
        break;
      default:
        in.Skip();
    }
  }
  if (!has_graph) {
    throw Error(Diagnostic{.name = "onnx-malformed",
                           .message = "the bytes are no ONNX model: there is no graph in them",
                           .found = std::to_string(bytes.size()) + " bytes",
                           .help = "is this an ONNX file? A tensor or another protobuf message is "
                                   "none"});
  }
  return model;
}

}  // namespace lathe::graph::onnx
