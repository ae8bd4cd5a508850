#!/bin/bash
# Runs the conformance kit over the fake driver and the pinned compiler. Kernels do nothing there, so what checks
# their results is expected to fail.
set -eu
export LATHE_FAKE_CUDA_IDLE=1 LATHE_CUDA_DRIVER=$PWD/backends/cuda/fake/libcuda.so.1 LATHE_CUDA_HOME=$PWD/external/cuda/site/nvidia/cu13
exec tools/plugin_test/lathe-plugin-test --quiet --expected backends/cuda/expected_over_fake_driver.txt \
  --json "${TEST_UNDECLARED_OUTPUTS_DIR:-.}/conformance.json" backends/cuda/liblathe_cuda.so
