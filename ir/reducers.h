// The reducers that everybody knows by name.
//
//   sum, prod, min, max     of numbers
//   all, any                of bool
//   argmin, argmax          of (index, value) pairs: the value's index; of equal values the smaller
//   index
//
// Identities: 0, 1; for min and max the infinities of floating types with one, else the type's
// largest and smallest value; true, false; for argmin and argmax the largest index beside min's and
// max's identity.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ir/buffer.h"

namespace lathe::ir {

namespace reducer_name {
inline constexpr char kSum[] = "sum";
inline constexpr char kProd[] = "prod";
inline constexpr char kMin[] = "min";
inline constexpr char kMax[] = "max";
inline constexpr char kAny[] = "any";
inline constexpr char kAll[] = "all";
inline constexpr char kArgmin[] = "argmin";
inline constexpr char kArgmax[] = "argmax";
}  // namespace reducer_name

// Null where `name` is no such reducer, or combines values of other types. A new one each time.
Reducer NamedReducer(std::string_view name, const std::vector<DataType>& types);
bool IsReducerName(std::string_view name);
std::vector<std::string> ReducerNames();
// Is it what NamedReducer makes under its name, variables' names aside?
bool IsNamedReducer(const ReducerNode& reducer);

}  // namespace lathe::ir
