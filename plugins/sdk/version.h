// The SDK's own version, which every plugin built with it carries.
#pragma once

namespace lathe::sdk {

inline constexpr char kSdkVersion[] = "0.1.0";

}  // namespace lathe::sdk
