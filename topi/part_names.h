// Names of the parts of operators, defined once for both sides: topi/ops sets them (PartAttrs),
// templates look parts up by them (PartOf).
#pragma once

namespace lathe::topi::part {

// The operator's result, if that is not its anchor.
inline constexpr char kResult[] = "result";

// Products of matrices.
inline constexpr char kPacked[] = "packed";  // the second operand in panels
inline constexpr char kWhole[] = "whole";    // the second operand, padded with zeros
inline constexpr char kRows[] = "rows";      // the first operand as the dot product reads it
inline constexpr char kLanes[] = "lanes";    // sums of the first operand's rows, by lanes
inline constexpr char kShift[] = "shift";    // what is subtracted from each row of the result

// Winograd convolutions, beside kPadded, kRows (of the result's transform) and kResult.
inline constexpr char kDataRows[] = "data_rows";       // the data's transform along columns
inline constexpr char kTransformed[] = "transformed";  // the same along both

// Parts of other operators.
inline constexpr char kFactor[] = "factor";  // one for each row of a layer norm
inline constexpr char kLuma[] = "luma";      // one for each pixel of an image
inline constexpr char kPadded[] = "padded";  // a convolution's input with its frame of zeros
inline constexpr char kPlanes[] = "planes";  // of what becomes pixels of a few channels
inline constexpr char kPowers[] = "powers";  // exp of a softmax's elements
inline constexpr char kScale[] = "scale";    // one for each row of a softmax

}  // namespace lathe::topi::part
