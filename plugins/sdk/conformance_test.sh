#!/bin/sh
# conformance_test.sh PROGRAM PLUGIN [EXPECTED [OPTION...]]: runs the conformance kit, leaves its report beside the test's outputs.
set -eu
program=$1
plugin=$2
expected=${3:-}
shift $(($# < 3 ? $# : 3))
exec "$program" ${expected:+--expected "$expected"} --json "${TEST_UNDECLARED_OUTPUTS_DIR:-.}/conformance.json" "$@" "$plugin"
