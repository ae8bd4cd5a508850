/* An artefact with the kernels of test_kernels.c, linked into the test. */
#ifndef LATHE_RUNTIME_GRAPH_TEST_KERNELS_H_
#define LATHE_RUNTIME_GRAPH_TEST_KERNELS_H_

#include "lathe/abi/kernel.h"

#ifdef __cplusplus
extern "C" {
#endif

extern const lathe_artifact lathe_graph_test_kernels;

#ifdef __cplusplus
}
#endif

#endif /* LATHE_RUNTIME_GRAPH_TEST_KERNELS_H_ */
