// Quantised tensors, with the arithmetic of TFLite's reference kernels.
//
// Whole numbers q stand for scale (q - zero point). Sums of products are int32. A fixed-point
// factor (graph/import/fixed_point.h) takes them to the scale of the result. A function of one
// number of 8 bits is a table of 256 results, which is computed when the model is imported.
#pragma once

#include <functional>
#include <vector>

#include "graph/import/fixed_point.h"
#include "graph/import/tflite/importer.h"

namespace lathe::graph::tflite {

// Has the tensor scales, and an element type of quantised numbers?
bool IsQuantised(const TensorInfo& tensor);
// The same, of 8 bits: what the kernels below take.
bool IsQuantised8(const TensorInfo& tensor);

struct Affine {
  float scale = 1;
  int64_t zero_point = 0;
  bool operator==(const Affine&) const = default;
};
// Of a tensor that has one scale. Throws "tflite-operator" if it has several, or none.
Affine AffineOf(const OpContext& n, const TensorInfo& tensor);
// Do the tensors stand for the same numbers?
bool SameAffine(const TensorInfo& a, const TensorInfo& b);

struct Range {
  int64_t low, high;
};
Range RangeOf(DataType type);
// What a fused activation (schema: ActivationFunctionType) leaves of the result's numbers.
Range ActivationRange(const OpContext& n, int64_t activation, const TensorInfo& tensor);

// int32: q - zero point.
GraphVar Centred(const OpContext& n, size_t input);
// sum * factor, rounded. One factor, or one for each place of `axis`.
enum class Rounds : uint8_t { kTwice, kOnce };
GraphVar Rescaled(const OpContext& n, const GraphVar& sum, const std::vector<double>& factors,
                  int64_t axis = -1, Rounds rounds = Rounds::kTwice);
// sum + the zero point of output 0, within `range`, as its element type.
GraphVar Finished(const OpContext& n, const GraphVar& sum, const Range& range);
// table[q], for all q of the element type of input `input`, from the least on.
GraphVar LookedUp(const OpContext& n, size_t input, const std::vector<int64_t>& table);
// The numbers of output 0 that `function` gives for each q of input `input`; q is as it stands.
std::vector<int64_t> TableOf(const OpContext& n, size_t input,
                             const std::function<int64_t(int64_t q)>& function);
// The same for a function of real numbers, which is computed and rounded in float32.
std::vector<int64_t> TableOfReal(const OpContext& n, size_t input,
                                 const std::function<float(float x)>& function);

// The real numbers of an input, float32; as it is if it is not quantised.
GraphVar Real(const OpContext& n, size_t input);
// The numbers of output `output` for real ones; as they are if it is not quantised.
GraphVar Quantised(const OpContext& n, const GraphVar& real, size_t output = 0);

// A fused activation of floats.
GraphVar Activated(const OpContext& n, const GraphVar& x, int64_t activation);

}  // namespace lathe::graph::tflite
