#include "runtime/artifact/kernel_entry.h"
