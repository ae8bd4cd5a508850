// Everything a plugin needs, in one include.
#pragma once

#include "plugins/sdk/plugin.h"  // IWYU pragma: export
