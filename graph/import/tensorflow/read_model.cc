// The messages of graph.proto, node_def.proto, attr_value.proto, tensor.proto and function.proto,
// field by field.
#include <array>

#include "base/error.h"
#include "graph/import/map_file.h"
#include "graph/import/tensorflow/model.h"
#include "graph/import/wire.h"
#include "runtime/status.h"

namespace lathe::graph::tensorflow {
namespace {

const WireFormat kFormat{
    .name = "tensorflow-malformed",
    .what = "graph of TensorFlow",
    .help =
        "the file may be cut off or damaged, or it is a SavedModel or a text: docs/tensorflow.md "
        "says how a model is frozen"};

constexpr std::array kNames = {
    "DT_INVALID",    "DT_FLOAT",  "DT_DOUBLE",    "DT_INT32",   "DT_UINT8",   "DT_INT16",
    "DT_INT8",       "DT_STRING", "DT_COMPLEX64", "DT_INT64",   "DT_BOOL",    "DT_QINT8",
    "DT_QUINT8",     "DT_QINT32", "DT_BFLOAT16",  "DT_QINT16",  "DT_QUINT16", "DT_UINT16",
    "DT_COMPLEX128", "DT_HALF",   "DT_RESOURCE",  "DT_VARIANT", "DT_UINT32",  "DT_UINT64"};

Shape ReadShape(WireReader in) {
  Shape shape;
  shape.has_rank = true;
  while (in.Next()) {
    if (in.field() == 2) {
      WireReader dim = in.Message("a dimension");
      int64_t size = 0;
      while (dim.Next()) {
        if (dim.field() == 1) {
          size = dim.Int("the size of a dimension");
        } else {
          dim.Skip();
        }
      }
      shape.dims.push_back(size);
    } else if (in.field() == 3) {
      shape.has_rank = in.Int("unknown_rank") == 0;
    } else {
      in.Skip();
    }
  }
  return shape;
}

TensorData ReadTensor(WireReader in) {
  TensorData tensor;
  const auto add_int = [&](int64_t value) { tensor.ints.push_back(value); };
  while (in.Next()) {
    switch (in.field()) {
      case 1:
        tensor.type = static_cast<int32_t>(in.Int("the type of a tensor"));
        break;
      case 2:
        tensor.shape = ReadShape(in.Message("the shape of a tensor"));
        break;
      case 4:
        tensor.content = in.Bytes("tensor_content");
        tensor.has_content = true;
        break;
      case 5:
        in.Fixed<float>("float_val", [&](float value) { tensor.floats.push_back(value); });
        break;
      case 6:
        in.Fixed<double>("double_val", [&](double value) { tensor.doubles.push_back(value); });
        break;
      case 7:
      case 10:
      case 11:
      case 13:
      case 16:
      case 17:
        in.Ints("the numbers of a tensor", add_int);
        break;
      default:
        in.Skip();
    }
  }
  return tensor;
}

Text NameOfFunction(WireReader in) {
  Text name;
  while (in.Next()) {
    if (in.field() == 1) {
      name = in.Bytes("the name of a function");
    } else {
      in.Skip();
    }
  }
  return name;
}

void ReadList(WireReader in, Attribute* attribute) {
  const auto add_int = [&](int64_t value) { attribute->ints.push_back(value); };
  while (in.Next()) {
    switch (in.field()) {
      case 2:
        attribute->texts.push_back(in.Bytes("a text of a list"));
        break;
      case 3:
      case 5:
      case 6:
        in.Ints("the numbers of a list", add_int);
        break;
      case 4:
        in.Fixed<float>("the numbers of a list",
                        [&](float value) { attribute->floats.push_back(value); });
        break;
      case 9:
        attribute->functions.push_back(NameOfFunction(in.Message("a function of a list")));
        break;
      default:
        in.Skip();
    }
  }
}

Attribute ReadAttribute(WireReader in) {
  using Kind = Attribute::Kind;
  Attribute attribute;
  while (in.Next()) {
    const uint32_t field = in.field();
    if (field >= 1 && field <= 8) {
      constexpr std::array kKinds = {Kind::kNone, Kind::kList,  Kind::kText,
                                     Kind::kInt,  Kind::kFloat, Kind::kBool,
                                     Kind::kType, Kind::kShape, Kind::kTensor};
      attribute.kind = kKinds[field];
    }
    switch (field) {
      case 1:
        ReadList(in.Message("a list"), &attribute);
        break;
      case 2:
        attribute.text = in.Bytes("a text");
        break;
      case 3:
      case 5:
      case 6:
        attribute.i = in.Int("a number");
        break;
      case 4:
        attribute.f = in.Float("a number");
        break;
      case 7:
        attribute.shape = ReadShape(in.Message("a shape"));
        break;
      case 8:
        attribute.tensor = ReadTensor(in.Message("a tensor"));
        break;
      case 10:
        attribute.kind = Kind::kFunction;
        attribute.text = NameOfFunction(in.Message("a function"));
        break;
      default:
        in.Skip();
    }
  }
  return attribute;
}

Node ReadNode(WireReader in) {
  Node node;
  while (in.Next()) {
    switch (in.field()) {
      case 1:
        node.name = in.Bytes("the name of a node");
        break;
      case 2:
        node.op = in.Bytes("the operator of a node");
        break;
      case 3:
        node.inputs.push_back(in.Bytes("an input of a node"));
        break;
      case 5: {
        WireReader entry = in.Message("an attribute");
        Text name;
        Attribute value;
        while (entry.Next()) {
          if (entry.field() == 1) {
            name = entry.Bytes("the name of an attribute");
          } else if (entry.field() == 2) {
            value = ReadAttribute(entry.Message("the value of an attribute"));
          } else {
            entry.Skip();
          }
        }
        node.attributes[name] = std::move(value);
        break;
      }
      default:
        in.Skip();
    }
  }
  return node;
}

// The names of the arguments and results.
void ReadSignature(WireReader in, Function* function) {
  while (in.Next()) {
    const uint32_t field = in.field();
    if (field == 1) {
      function->name = in.Bytes("the name of a function");
    } else if (field == 2 || field == 3) {
      const Text name = NameOfFunction(in.Message("an argument"));
      (field == 2 ? function->inputs : function->outputs).push_back(name);
    } else {
      in.Skip();
    }
  }
}

Function ReadFunction(WireReader in) {
  Function function;
  while (in.Next()) {
    switch (in.field()) {
      case 1:
        ReadSignature(in.Message("the signature of a function"), &function);
        break;
      case 3:
        function.nodes.push_back(ReadNode(in.Message("a node")));
        break;
      case 4: {
        WireReader entry = in.Message("a result");
        Text name, value;
        while (entry.Next()) {
          if (entry.field() == 1) {
            name = entry.Bytes("the name of a result");
          } else if (entry.field() == 2) {
            value = entry.Bytes("the value of a result");
          } else {
            entry.Skip();
          }
        }
        function.returns[name] = value;
        break;
      }
      default:
        in.Skip();
    }
  }
  return function;
}

}  // namespace

std::optional<DataType> DTypeOf(int32_t type) {
  switch (type) {
    case kFloat:
      return DataType::Float(32);
    case kDouble:
      return DataType::Float(64);
    case kHalf:
      return DataType::Float(16);
    case kBFloat16:
      return DataType::BFloat16();
    case kBool:
      return DataType::Bool();
    case kInt8:
      return DataType::Int(8);
    case kInt16:
      return DataType::Int(16);
    case kInt32:
      return DataType::Int(32);
    case kInt64:
      return DataType::Int(64);
    case kUInt8:
      return DataType::UInt(8);
    case kUInt16:
      return DataType::UInt(16);
    case kUInt32:
      return DataType::UInt(32);
    case kUInt64:
      return DataType::UInt(64);
    default:
      return std::nullopt;
  }
}

std::string ElementTypeName(int32_t type) {
  if (type >= 0 && static_cast<size_t>(type) < kNames.size()) {
    return kNames[static_cast<size_t>(type)];
  }
  return "element type " + std::to_string(type);
}

Model ReadModel(Text bytes) {
  WireReader in(bytes, bytes, kFormat);
  Model model;
  while (in.Next()) {
    if (in.field() == 1) {
      model.nodes.push_back(ReadNode(in.Message("a node")));
    } else if (in.field() == 2) {
      WireReader library = in.Message("the library of functions");
      while (library.Next()) {
        if (library.field() == 1) {
          model.functions.push_back(ReadFunction(library.Message("a function")));
        } else {
          library.Skip();
        }
      }
    } else {
      in.Skip();
    }
  }
  return model;
}

absl::StatusOr<LoadedModel> LoadModel(const std::string& path) {
  LATHE_ASSIGN_OR_RETURN(const MappedFile file,
                         MapFileOrFail(path, Links::kFollow, "tensorflow-file"));
  return LoadedModel{ReadModel(file.bytes), file.owner};
}

LoadedModel ParseModel(Text bytes) {
  const auto copy = std::make_shared<const std::string>(bytes);
  return {ReadModel(*copy), copy};
}

}  // namespace lathe::graph::tensorflow
