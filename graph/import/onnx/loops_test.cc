// Operators that become loops: recurrent networks beside their equations, and Scan of a batch.
#include <algorithm>
#include <cmath>
#include <functional>

#include "base/error.h"
#include "graph/import/onnx/test_nodes.h"
#include "gtest/gtest.h"

namespace lathe::graph::onnx {
namespace {

constexpr int64_t kSteps = 3, kBatch = 2, kFeatures = 2, kHidden = 2;

Given Numbers(std::vector<int64_t> shape, int seed) {
  Given given{{}, std::move(shape)};
  int64_t count = 1;
  for (const int64_t extent : given.shape) count *= extent;
  for (int64_t i = 0; i < count; ++i) {
    given.values.push_back(0.15F * static_cast<float>((i * 7 + seed * 5) % 13 - 6));
  }
  return given;
}

float At(const Given& x, int64_t i, int64_t j, int64_t k) {
  return x.values[static_cast<size_t>((i * x.shape[1] + j) * x.shape[2] + k)];
}
float At(const Given& x, int64_t i, int64_t j) {
  return x.values[static_cast<size_t>(i * x.shape[1] + j)];
}

float Sigmoid(float x) { return 1 / (1 + std::exp(-x)); }
float HardSigmoid(float x) { return std::max(0.F, std::min(1.F, 0.25F * x + 0.5F)); }

// A network of one or two directions. `op` is "LSTM", "GRU" or "RNN".
struct Network {
  std::string op;
  std::string direction = "forward";
  std::vector<int64_t> lengths = {kSteps, kSteps};
  float clip = 0;
  bool has_peepholes = false, has_state = false, couples = false, after_product = false;
  std::function<float(float)> gate = Sigmoid;
  std::function<float(float)> fresh = [](float x) { return std::tanh(x); };  // of what is new
  std::vector<std::string> more = {};                                        // attributes

  int64_t gates() const { return op == "LSTM" ? 4 : op == "GRU" ? 3 : 1; }
  int64_t directions() const { return direction == "bidirectional" ? 2 : 1; }
};

using Row = std::vector<float>;

// The equations of ONNX's specification, for one element of the batch.
class Reference {
 public:
  Reference(const Network& net, const std::vector<Given>& in) : net_(net), in_(in) {}

  // Y [steps, directions, batch, hidden], Y_h and, for LSTM, Y_c [directions, batch, hidden].
  std::vector<Row> Run() const {
    const int64_t directions = net_.directions();
    const auto one = static_cast<size_t>(directions * kBatch * kHidden);
    std::vector<Row> results{Row(one * kSteps), Row(one), Row(one)};
    for (int64_t d = 0; d < directions; ++d) {
      for (int64_t b = 0; b < kBatch; ++b) {
        Row h(kHidden), c(kHidden);
        for (int64_t j = 0; j < kHidden && net_.has_state; ++j) {
          h[j] = At(in_[5], d, b, j);
          if (net_.op == "LSTM") c[j] = At(in_[6], d, b, j);
        }
        const int64_t length = net_.lengths[static_cast<size_t>(b)];
        const bool backward = d == 1 || net_.direction == "reverse";
        for (int64_t s = 0; s < length; ++s) {
          const int64_t t = backward ? length - 1 - s : s;
          Step(d, b, t, &h, &c);
          for (int64_t j = 0; j < kHidden; ++j) {
            results[0][((t * directions + d) * kBatch + b) * kHidden + j] = h[j];
          }
        }
        for (int64_t j = 0; j < kHidden; ++j) {
          results[1][(d * kBatch + b) * kHidden + j] = h[j];
          results[2][(d * kBatch + b) * kHidden + j] = c[j];
        }
      }
    }
    if (net_.op != "LSTM") results.pop_back();
    return results;
  }

 private:
  float Clip(float x) const {
    return net_.clip == 0 ? x : std::max(-net_.clip, std::min(net_.clip, x));
  }
  float Gate(float x) const { return net_.gate(Clip(x)); }
  float Fresh(float x) const { return net_.fresh(Clip(x)); }
  float Tanh(float x) const { return std::tanh(Clip(x)); }

  float FromInput(int64_t d, int64_t b, int64_t t, int64_t row) const {
    float sum = At(in_[3], d, row);
    for (int64_t k = 0; k < kFeatures; ++k) sum += At(in_[0], t, b, k) * At(in_[1], d, row, k);
    return sum;
  }
  float FromState(int64_t d, const Row& h, int64_t row) const {
    float sum = At(in_[3], d, net_.gates() * kHidden + row);
    for (int64_t k = 0; k < kHidden; ++k) sum += h[k] * At(in_[2], d, row, k);
    return sum;
  }
  float Peep(int64_t d, int64_t gate, int64_t j, float memory) const {
    return net_.has_peepholes ? At(in_[7], d, gate * kHidden + j) * memory : 0;
  }

  void Step(int64_t d, int64_t b, int64_t t, Row* h, Row* c) const {
    const Row before = *h;
    const auto sum = [&](int64_t gate, int64_t j) {
      const int64_t row = gate * kHidden + j;
      return FromInput(d, b, t, row) + FromState(d, before, row);
    };
    Row reset(kHidden);
    for (int64_t j = 0; j < kHidden && net_.op == "GRU"; ++j) {
      reset[j] = Gate(sum(1, j)) * before[j];
    }
    for (int64_t j = 0; j < kHidden; ++j) {
      if (net_.op == "RNN") {
        (*h)[j] = Fresh(sum(0, j));
      } else if (net_.op == "GRU") {
        const int64_t row = 2 * kHidden + j;
        const float state = net_.after_product ? Gate(sum(1, j)) * FromState(d, before, row)
                                               : FromState(d, reset, row);
        const float z = Gate(sum(0, j));
        (*h)[j] = (1 - z) * Fresh(FromInput(d, b, t, row) + state) + z * before[j];
      } else {
        const float memory = (*c)[j];
        const float i = Gate(sum(0, j) + Peep(d, 0, j, memory));
        const float f = net_.couples ? 1 - i : Gate(sum(2, j) + Peep(d, 2, j, memory));
        (*c)[j] = f * memory + i * Fresh(sum(3, j));
        (*h)[j] = Gate(sum(1, j) + Peep(d, 1, j, (*c)[j])) * Tanh((*c)[j]);
      }
    }
  }

  const Network& net_;
  const std::vector<Given>& in_;
};

// Inputs X, W, R, B, sequence_lens, initial_h, initial_c, P; what the network lacks is not read.
std::vector<Given> InputsOf(const Network& net) {
  const int64_t directions = net.directions(), rows = net.gates() * kHidden;
  Given lengths{{}, {kBatch}, kInts};
  for (const int64_t length : net.lengths) lengths.values.push_back(static_cast<float>(length));
  return {Numbers({kSteps, kBatch, kFeatures}, 1),
          Numbers({directions, rows, kFeatures}, 2),
          Numbers({directions, rows, kHidden}, 3),
          Numbers({directions, 2 * rows}, 4),
          lengths,
          Numbers({directions, kBatch, kHidden}, 5),
          Numbers({directions, kBatch, kHidden}, 6),
          Numbers({directions, 3 * kHidden}, 7)};
}

// The network imported, with lengths known at import and bound while running, beside its equations.
void ExpectEquations(const Network& net) {
  const std::vector<Given> inputs = InputsOf(net);
  TestNode node{net.op, {"a", "b", "c", "d", "e"}, {"y", "last"}, net.more};
  node.attributes.push_back(StringAttribute("direction", net.direction));
  node.attributes.push_back(IntAttribute("hidden_size", kHidden));
  if (net.clip != 0) node.attributes.push_back(FloatAttribute("clip", net.clip));
  if (net.after_product) node.attributes.push_back(IntAttribute("linear_before_reset", 1));
  if (net.couples) node.attributes.push_back(IntAttribute("input_forget", 1));
  node.inputs.push_back(net.has_state ? "f" : "");
  if (net.op == "LSTM") {
    node.outputs.emplace_back("memory");
    node.inputs.push_back(net.has_state ? "g" : "");
    node.inputs.push_back(net.has_peepholes ? "h" : "");
  }
  const std::vector<Row> expected = Reference(net, inputs).Run();
  for (const std::string known : {"", "e"}) {
    const std::vector<Row> found = ResultsOf(node, inputs, {}, known);
    ASSERT_EQ(found.size(), expected.size());
    for (size_t k = 0; k < expected.size(); ++k) {
      ASSERT_EQ(found[k].size(), expected[k].size());
      for (size_t i = 0; i < expected[k].size(); ++i) {
        EXPECT_NEAR(found[k][i], expected[k][i], 1e-5)
            << net.op << " " << net.direction << " result " << k << ", element " << i;
      }
    }
  }
}

TEST(Recurrent, SequencesOfSeveralLengths) {
  for (const char* op : {"LSTM", "GRU", "RNN"}) {
    for (const char* direction : {"forward", "reverse", "bidirectional"}) {
      ExpectEquations({.op = op, .direction = direction});
      ExpectEquations({.op = op, .direction = direction, .lengths = {3, 1}});
      ExpectEquations({.op = op, .direction = direction, .lengths = {2, 0}, .has_state = true});
    }
  }
}

TEST(Recurrent, LimitsOfWhatGoesIntoFunctions) {
  for (const char* op : {"LSTM", "GRU", "RNN"}) {
    ExpectEquations({.op = op, .clip = 0.25F, .has_state = true});
    ExpectEquations({.op = op, .direction = "bidirectional", .lengths = {1, 2}, .clip = 0.1F});
  }
  ExpectEquations({.op = "GRU", .lengths = {1, 3}, .clip = 0.5F, .after_product = true});
}

TEST(Recurrent, Peepholes) {
  ExpectEquations({.op = "LSTM", .has_peepholes = true});
  ExpectEquations({.op = "LSTM",
                   .direction = "bidirectional",
                   .lengths = {3, 2},
                   .clip = 0.5F,
                   .has_peepholes = true,
                   .has_state = true});
}

TEST(Recurrent, CoupledGatesAndOtherFunctions) {
  ExpectEquations({.op = "LSTM", .has_state = true, .couples = true});
  const std::vector<std::string> hard{
      StringsAttribute("activations", {"HardSigmoid", "Tanh", "Tanh"}),
      FloatsAttribute("activation_alpha", {0.25F}), FloatsAttribute("activation_beta", {0.5F})};
  ExpectEquations({.op = "LSTM", .gate = HardSigmoid, .more = hard});
}

// All functions of ONNX's list, with the numbers that they take and those that are usual.
TEST(Recurrent, EachFunction) {
  const auto expect = [](const std::string& name, std::vector<float> alpha, std::vector<float> beta,
                         const std::function<float(float)>& fresh) {
    for (const std::string op : {"RNN", "GRU", "LSTM"}) {
      std::vector<std::string> names{name};
      if (op != "RNN") names.insert(names.begin(), "Sigmoid");
      if (op == "LSTM") names.emplace_back("Tanh");
      Network net{.op = op, .lengths = {3, 2}, .fresh = fresh};
      net.more = {StringsAttribute("activations", names)};
      if (!alpha.empty()) net.more.push_back(FloatsAttribute("activation_alpha", alpha));
      if (!beta.empty()) net.more.push_back(FloatsAttribute("activation_beta", beta));
      ExpectEquations(net);
    }
  };
  expect("Relu", {}, {}, [](float x) { return std::max(x, 0.F); });
  expect("Sigmoid", {}, {}, Sigmoid);
  expect("Softsign", {}, {}, [](float x) { return x / (1 + std::fabs(x)); });
  expect("Softplus", {}, {}, [](float x) { return std::log1p(std::exp(x)); });
  expect("Elu", {}, {}, [](float x) { return x < 0 ? std::expm1(x) : x; });
  expect("LeakyRelu", {}, {}, [](float x) { return x < 0 ? 0.01F * x : x; });
  expect("LeakyRelu", {0.25F}, {}, [](float x) { return x < 0 ? 0.25F * x : x; });
  expect("ThresholdedRelu", {0.125F}, {}, [](float x) { return x > 0.125F ? x : 0; });
  expect("HardSigmoid", {}, {},
         [](float x) { return std::max(0.F, std::min(1.F, 0.2F * x + 0.5F)); });
  expect("Affine", {0.5F}, {}, [](float x) { return 0.5F * x; });
  expect("Affine", {0.5F}, {-0.25F}, [](float x) { return 0.5F * x - 0.25F; });
  expect("ScaledTanh", {0.75F}, {1.5F}, [](float x) { return 0.75F * std::tanh(1.5F * x); });
}

TEST(Recurrent, WhatIsNotSupported) {
  const std::vector<Given> inputs = InputsOf({.op = "RNN"});
  const auto error_with = [&](const std::string& attribute, const std::vector<float>& lengths) {
    std::vector<Given> given(inputs.begin(), inputs.begin() + 5);
    given[4].values = lengths;
    try {
      ImportNode({"RNN", {"a", "b", "c", "d", "e"}, {"y"}, {attribute}}, given, {}, "e");
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  const std::string size = IntAttribute("hidden_size", kHidden);
  EXPECT_EQ(error_with(size, {3, 2}), "");
  EXPECT_NE(error_with(size, {4, 2}).find("longer than its input"), std::string::npos);
  EXPECT_NE(error_with(StringsAttribute("activations", {"Sine"}), {3, 3}).find("ScaledTanh"),
            std::string::npos);
  EXPECT_NE(error_with(StringsAttribute("activations", {"Affine"}), {3, 3})
                .find("lacks a number of Affine"),
            std::string::npos);
  EXPECT_NE(error_with(StringsAttribute("activations", {"Tanh", "Tanh"}), {3, 3})
                .find("wrong number of entries"),
            std::string::npos);
  EXPECT_NE(error_with(StringAttribute("direction", "up"), {3, 3}).find("direction"),
            std::string::npos);
}

// Opset 8: sums of the rows so far, for each entry of a batch.
TEST(Scan, Batches) {
  const TestGraph body{
      .nodes = {{"Add", {"sum", "row"}, {"next"}}, {"Identity", {"next"}, {"out"}}},
      .inputs = {{"sum", {2}}, {"row", {2}}},
      .outputs = {"next", "out"}};
  TestNode node{"Scan",
                {"", "a", "b"},
                {"last", "all"},
                {IntAttribute("num_scan_inputs", 1), GraphAttribute("body", GraphBytes(body))}};
  const Given start{{0, 0, 100, 200}, {2, 2}};
  const Given rows{{1, 2, 3, 4, 5, 6, 10, 20, 30, 40, 50, 60}, {2, 3, 2}};
  const auto forward = ResultsOf(node, {start, rows}, {}, "", 8);
  EXPECT_EQ(forward[0], (Row{9, 12, 190, 320}));
  EXPECT_EQ(forward[1], (Row{1, 2, 4, 6, 9, 12, 110, 220, 140, 260, 190, 320}));
  node.attributes.push_back(IntsAttribute("directions", {1}));
  const auto backward = ResultsOf(node, {start, rows}, {}, "", 8);
  EXPECT_EQ(backward[0], forward[0]);
  EXPECT_EQ(backward[1], (Row{5, 6, 8, 10, 9, 12, 150, 260, 180, 300, 190, 320}));
  // Lengths of whole sequences, and of a shorter one.
  node.inputs[0] = "c";
  const auto whole = ResultsOf(node, {start, rows, {{3, 3}, {2}, kLongs}}, {}, "c", 8);
  EXPECT_EQ(whole, backward);
  EXPECT_THROW(ResultsOf(node, {start, rows, {{3, 4}, {2}, kLongs}}, {}, "c", 8), Error);
}

// Behind its end, a sequence keeps its state, and its rows are 0; backward it begins at its end.
TEST(Scan, SequencesOfSeveralLengths) {
  const TestGraph body{
      .nodes = {{"Add", {"sum", "row"}, {"next"}}, {"Identity", {"next"}, {"out"}}},
      .inputs = {{"sum", {2}}, {"row", {2}}},
      .outputs = {"next", "out"}};
  TestNode node{"Scan",
                {"c", "a", "b"},
                {"last", "all"},
                {IntAttribute("num_scan_inputs", 1), GraphAttribute("body", GraphBytes(body))}};
  const Given start{{0, 0, 100, 200}, {2, 2}};
  const Given rows{{1, 2, 3, 4, 5, 6, 10, 20, 30, 40, 50, 60}, {2, 3, 2}};
  const Given lengths{{3, 2}, {2}, kLongs}, none{{0, 1}, {2}, kLongs};
  for (const std::string known : {"", "c"}) {  // bound while running, and known at import
    const auto forward = ResultsOf(node, {start, rows, lengths}, {}, known, 8);
    EXPECT_EQ(forward[0], (Row{9, 12, 140, 260}));
    EXPECT_EQ(forward[1], (Row{1, 2, 4, 6, 9, 12, 110, 220, 140, 260, 0, 0}));
    const auto empty = ResultsOf(node, {start, rows, none}, {}, known, 8);
    EXPECT_EQ(empty[0], (Row{0, 0, 110, 220}));
    EXPECT_EQ(empty[1], (Row{0, 0, 0, 0, 0, 0, 110, 220, 0, 0, 0, 0}));
  }
  node.attributes.push_back(IntsAttribute("directions", {1}));
  for (const std::string known : {"", "c"}) {
    const auto backward = ResultsOf(node, {start, rows, lengths}, {}, known, 8);
    EXPECT_EQ(backward[0], (Row{9, 12, 140, 260}));
    EXPECT_EQ(backward[1], (Row{5, 6, 8, 10, 9, 12, 130, 240, 140, 260, 0, 0}));
  }
}

}  // namespace
}  // namespace lathe::graph::onnx
