/* Runs a compiled graph from C: loads a file, sets the inputs to zeros, prints the outputs.
 *
 *   lib.export_library("model.so")      in Python, where lib is what relay.build returns
 *   cc run_graph.c -llathe_graph -o run_graph && ./run_graph model.so 3
 *
 * The last argument is the extent of dimensions that callers choose.
 */
#include <stdio.h>
#include <stdlib.h>

#include "runtime/graph/graph_c_api.h"

/* Ends the program if a call failed. */
static void Ok(lathe_error* error) {
  if (error == NULL) return;
  lathe_string* text = NULL;
  if (lathe_error_text(error, &text) == NULL) fprintf(stderr, "%s\n", text->data);
  exit(1);
}

int main(int argc, char** argv) {
  if (argc < 2) {
    fprintf(stderr, "usage: run_graph FILE [EXTENT]\n");
    return 2;
  }
  const int64_t extent = argc > 2 ? atoll(argv[2]) : 1;
  lathe_object* module = NULL;
  Ok(lathe_graph_module_load(argv[1], &module));
  lathe_graph* graph = NULL;
  Ok(lathe_graph_open(module, "default", NULL, 0, &graph));
  lathe_object_release(module); /* the graph keeps it */

  for (int32_t i = 0; i < lathe_graph_num_inputs(graph); ++i) {
    DLDataType dtype;
    int64_t shape[32];
    int32_t rank = 0;
    Ok(lathe_graph_input_type(graph, i, &dtype, shape, 32, &rank));
    int64_t bytes = (dtype.bits + 7) / 8;
    for (int32_t k = 0; k < rank; ++k) {
      if (shape[k] < 0) shape[k] = extent;
      bytes *= shape[k];
    }
    const DLDevice host = {kDLCPU, 0};
    void* zeros = calloc(1, bytes > 0 ? (size_t)bytes : 1);
    lathe_tensor* tensor = NULL;
    Ok(lathe_tensor_wrap(zeros, 0, shape, NULL, rank, dtype, host, 0, free, zeros, &tensor));
    Ok(lathe_graph_set_input(graph, lathe_graph_input_name(graph, i), tensor)); /* a copy */
    lathe_object_release(&tensor->object);
  }
  Ok(lathe_graph_run(graph));
  for (int32_t i = 0; i < lathe_graph_num_outputs(graph); ++i) {
    lathe_tensor* output = NULL;
    Ok(lathe_graph_output(graph, i, &output));
    printf("output %d:", (int)i);
    if (output->dl.dtype.code == kDLFloat && output->dl.dtype.bits == 32) {
      const uint64_t bytes = lathe_tensor_bytes(output);
      float* data = malloc(bytes > 0 ? bytes : 1);
      Ok(lathe_tensor_copy_to_host(output, data, bytes)); /* from whatever device it is on */
      for (uint64_t k = 0; k < bytes / sizeof(float); ++k) printf(" %g", data[k]);
      free(data);
    }
    printf("\n");
    lathe_object_release(&output->object);
  }
  lathe_graph_close(graph);
  return 0;
}
