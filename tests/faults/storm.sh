#!/bin/bash
# Runs a program in a storm of interruptions (storm.cc): bazel test --run_under=//tests/faults:storm
library=$(cd "$(dirname "$0")" && pwd)/libstorm.so
[ -e "$library" ] || { echo "storm: no $library" >&2; exit 2; }
LD_PRELOAD=$library exec "$@"
