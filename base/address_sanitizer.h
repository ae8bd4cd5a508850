// For tests only.
#pragma once

namespace lathe {

// Whether this test runs under the address sanitizer. It needs more address space than tests allow
// that let memory run out, and makes what is exhaustive take minutes.
#if defined(__SANITIZE_ADDRESS__)
constexpr bool kAddressSanitizer = true;
#elif defined(__has_feature)
constexpr bool kAddressSanitizer = __has_feature(address_sanitizer);
#else
constexpr bool kAddressSanitizer = false;
#endif

}  // namespace lathe
