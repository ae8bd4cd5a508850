// Operations on lanes: arithmetic, casts, rounding, memory. Private to the interpreter.
#pragma once

#include <cstdint>
#include <string>

#include "base/message.h"
#include "ir/intrinsic.h"

namespace lathe::ir::interp {

// `type` is the operands' element type.
using BinaryKernel = void (*)(Lane* out, const Lane* a, const Lane* b, int lanes, DataType type);
// The kernel of a binary node over operands of element type `type`. Integer division by zero gives
// 0 (the machine reports it before, if it is an error). Null if there is no such operation.
BinaryKernel KernelFor(NodeKind kind, DataType type);
bool IsIntegerDivision(NodeKind kind, DataType type);

// Rounds a lane that was computed exactly or in a wider format to the element type.
Lane RoundLane(Lane lane, DataType type);
void RoundLanes(Lane* lanes, int count, DataType type);
Lane CastLane(Lane lane, DataType from, DataType to);

// Lane `index` of the packed vector at `at`; `type` is the element type. Handles are 8 bytes.
Lane ReadLane(const uint8_t* at, int index, DataType type);
void WriteLane(uint8_t* at, int index, DataType type, Lane lane);

// For messages: "-3", "0.5", "true".
std::string FormatLane(Lane lane, DataType type);
// A number, formatted for a message as `as` says.
std::string FormatShown(Lane lane, DataType type, ShownAs as);

}  // namespace lathe::ir::interp
