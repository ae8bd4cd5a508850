/* Compiled graphs as C functions: what runtime/c_api.h is for modules. The library is
 * liblathe_graph.so: the runtime together with the executor of plans. It has all functions of
 * c_api.h, too; a program links it instead of liblathe_runtime.so, not beside it. C11.
 *
 *   lathe_object* module;
 *   lathe_graph* graph;
 *   lathe_graph_module_load("model.so", &module);
 *   lathe_graph_open(module, "default", NULL, 0, &graph);
 *   lathe_graph_set_input(graph, "data", picture);
 *   lathe_graph_run(graph);
 *   lathe_graph_output(graph, 0, &scores);
 *
 * Errors and ownership are those of c_api.h; docs/errors.md lists the names of errors. One thread
 * at a time uses a graph; graphs of one module run at the same time, and share code and constants.
 */
#ifndef LATHE_RUNTIME_GRAPH_GRAPH_C_API_H_
#define LATHE_RUNTIME_GRAPH_GRAPH_C_API_H_

#include "runtime/c_api.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A compiled graph with memory of its own for one caller. */
typedef struct lathe_graph lathe_graph;

/* Like lathe_module_load_file, for files that may have graphs. */
LATHE_C_API lathe_error* lathe_graph_module_load(const char* path, lathe_object** out);
/* The module of an object that is linked into this program (`lathe compile -o model.o --symbol`);
 * `artifact` is what the symbol names. Call it once for each, and keep the result. */
struct lathe_artifact;
LATHE_C_API lathe_error* lathe_graph_module_linked(const struct lathe_artifact* artifact,
                                                   lathe_object** out);
/* The graph `name` of a module; relay.build calls it "default". The graph keeps the module.
 * `devices` are those that it may use, in the order of its slots; devices that are left out are the
 * first of their kinds. Fails with `graph-plan-unknown`, `graph-device`. */
LATHE_C_API lathe_error* lathe_graph_open(lathe_object* module, const char* name,
                                          const DLDevice* devices, int32_t num_devices,
                                          lathe_graph** out);
/* Ignores NULL. Tensors that were got from the graph stay valid. */
LATHE_C_API void lathe_graph_close(lathe_graph* graph);

/* Never fail for a graph that is not NULL; 0 for NULL. */
LATHE_C_API int32_t lathe_graph_num_inputs(const lathe_graph* graph);
LATHE_C_API int32_t lathe_graph_num_outputs(const lathe_graph* graph);
/* Valid as long as the graph; NULL if there is no such input. */
LATHE_C_API const char* lathe_graph_input_name(const lathe_graph* graph, int32_t index);
/* Fails with `graph-input-unknown`. */
LATHE_C_API lathe_error* lathe_graph_input_index(const lathe_graph* graph, const char* name,
                                                 int32_t* out);
/* The element type of an input and its extents; -1: callers choose the extent. Writes the rank, and
 * the first `capacity` extents. Fails with `graph-input-index`. */
LATHE_C_API lathe_error* lathe_graph_input_type(const lathe_graph* graph, int32_t index,
                                                DLDataType* dtype, int64_t* shape, int32_t capacity,
                                                int32_t* rank);
/* Where an input or output is: memory for lathe_graph_share_... must be there. */
LATHE_C_API lathe_error* lathe_graph_input_device(const lathe_graph* graph, const char* name,
                                                  DLDevice* out);
LATHE_C_API lathe_error* lathe_graph_output_device(const lathe_graph* graph, int32_t index,
                                                   DLDevice* out);

/* Copies the elements, from any device and layout. Fails with `graph-input-mismatch`. */
LATHE_C_API lathe_error* lathe_graph_set_input(lathe_graph* graph, const char* name,
                                               lathe_tensor* tensor);
/* Each run reads the tensor's memory; the graph keeps the tensor. Also fails with
 * `graph-input-layout`. */
LATHE_C_API lathe_error* lathe_graph_share_input(lathe_graph* graph, const char* name,
                                                 lathe_tensor* tensor);
/* Each run writes to the tensor's memory; the graph keeps the tensor. NULL undoes this. Fails with
 * `graph-output-mismatch`, `graph-output-layout`. */
LATHE_C_API lathe_error* lathe_graph_share_output(lathe_graph* graph, int32_t index,
                                                  lathe_tensor* tensor);
/* Constants by name, from the bytes of a parameter file (relay.save_param_dict); all or none. */
LATHE_C_API lathe_error* lathe_graph_load_params(lathe_graph* graph, const void* data, size_t size);
/* The threads of a kernel's parallel loop; 0, the default: as many as the runtime has. */
LATHE_C_API lathe_error* lathe_graph_set_threads(lathe_graph* graph, int32_t threads);

/* Runs the graph, and waits for all devices. Fails with `graph-input-missing`,
 * `graph-shape-mismatch` and others (runtime/graph/executor.h). */
LATHE_C_API lathe_error* lathe_graph_run(lathe_graph* graph);
/* An output of the last run, on its device: the next run overwrites it. Fails with
 * `graph-not-run`. */
LATHE_C_API lathe_error* lathe_graph_output(lathe_graph* graph, int32_t index, lathe_tensor** out);

#ifdef __cplusplus
}
#endif

#endif /* LATHE_RUNTIME_GRAPH_GRAPH_C_API_H_ */
