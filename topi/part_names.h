// Names of the parts of operators, each once: topi/ops gives them (PartAttrs), templates find them
// by them (PartOf).
#pragma once

namespace lathe::topi::part {

// What the operator gives, where that is not its anchor.
inline constexpr char kResult[] = "result";

// Products of matrices.
inline constexpr char kPacked[] = "packed";  // the second operand in panels
inline constexpr char kWhole[] = "whole";    // the second operand with its tail filled up
inline constexpr char kRows[] = "rows";      // the first operand as the dot product reads it
inline constexpr char kLanes[] = "lanes";    // sums of rows, by lanes
inline constexpr char kShift[] = "shift";    // what is taken off each row's sums

// Others.
inline constexpr char kFactor[] = "factor";  // of a layer norm's rows
inline constexpr char kLuma[] = "luma";      // of an image's pixels
inline constexpr char kPadded[] = "padded";  // a convolution's input with its frame
inline constexpr char kPowers[] = "powers";  // of a softmax
inline constexpr char kScale[] = "scale";    // of a softmax's rows

}  // namespace lathe::topi::part
