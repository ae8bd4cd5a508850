#!/bin/bash
# usage: run.sh BOARD LATHE WORKER EMULATOR PROGRAM [ARGUMENT...]
# `lathe board run` on an emulated board; in the folder in which `bazel run` was called.
set -euo pipefail
board=$1 lathe=$PWD/$2 worker=$PWD/$3 emulator=$PWD/$4
shift 4
# Where the emulator's script finds the emulator.
export RUNFILES_DIR=${RUNFILES_DIR:-$(dirname "$PWD")}
cd "${BUILD_WORKING_DIRECTORY:-.}"
# The program is the first argument; a call without one shows the help.
if [ $# -eq 0 ]; then exec "$lathe" board run --help; fi
exec "$lathe" board run "$board" "$@" --worker "$worker" --launcher "$emulator"
