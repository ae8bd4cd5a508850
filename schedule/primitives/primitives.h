// All scheduling primitives of the loop language; each is explained in its own header.
#pragma once

#include "schedule/primitives/annotate.h"
#include "schedule/primitives/auto_inline.h"
#include "schedule/primitives/bind.h"
#include "schedule/primitives/cache_read.h"
#include "schedule/primitives/cache_write.h"
#include "schedule/primitives/compute_at.h"
#include "schedule/primitives/compute_inline.h"
#include "schedule/primitives/compute_root.h"
#include "schedule/primitives/create_group.h"
#include "schedule/primitives/env_threads.h"
#include "schedule/primitives/fuse.h"
#include "schedule/primitives/reorder.h"
#include "schedule/primitives/rfactor.h"
#include "schedule/primitives/set_scope.h"
#include "schedule/primitives/split.h"
#include "schedule/primitives/tile.h"
