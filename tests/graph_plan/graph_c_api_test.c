/* A compiled graph as a C program sees it: the header in C11 and liblathe_graph.so, nothing else.
 *
 * usage: graph_c_api_test FILE, which write_model wrote
 */
#include "runtime/graph/graph_c_api.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(condition)                                              \
  do {                                                                \
    if (!(condition)) {                                               \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
      exit(1);                                                        \
    }                                                                 \
  } while (0)

static void Ok(lathe_error* error, int line) {
  if (error == NULL) return;
  fprintf(stderr, "line %d: %s: %s\n%s\n", line, error->name, error->message, error->notes);
  exit(1);
}
#define OK(call) Ok((call), __LINE__)

static void FailsWith(lathe_error* error, const char* name, int line) {
  if (error == NULL || strcmp(error->name, name) != 0) {
    fprintf(stderr, "line %d: expected %s, got %s\n", line, name,
            error == NULL ? "success" : error->name);
    exit(1);
  }
  lathe_object_release(&error->object);
}
#define FAILS(call, name) FailsWith((call), (name), __LINE__)

static lathe_tensor* Tensor(float* data, int64_t rows, int64_t columns) {
  const int64_t shape[] = {rows, columns};
  const DLDataType float32 = {kDLFloat, 32, 1};
  const DLDevice host = {kDLCPU, 0};
  lathe_tensor* tensor = NULL;
  OK(lathe_tensor_wrap(data, 0, shape, NULL, 2, float32, host, 0, NULL, NULL, &tensor));
  return tensor;
}

int main(int argc, char** argv) {
  CHECK(argc == 2);
  lathe_object* module = NULL;
  FAILS(lathe_graph_module_load("missing.so", &module), "module-file-unreadable");
  FAILS(lathe_graph_module_load(NULL, &module), "c-api-null-argument");
  OK(lathe_graph_module_load(argv[1], &module));
  lathe_graph* graph = NULL;
  FAILS(lathe_graph_open(module, "defalt", NULL, 0, &graph), "graph-plan-unknown");
  const DLDevice wrong = {kDLCUDA, 0}, host = {kDLCPU, 0};
  FAILS(lathe_graph_open(module, "default", &wrong, 1, &graph), "graph-device");
  OK(lathe_graph_open(module, "default", &host, 1, &graph));
  lathe_graph* second = NULL;
  OK(lathe_graph_open(module, "default", NULL, 0, &second));
  lathe_object_release(module);

  CHECK(lathe_graph_num_inputs(graph) == 1 && lathe_graph_num_outputs(graph) == 1);
  CHECK(strcmp(lathe_graph_input_name(graph, 0), "x") == 0);
  CHECK(lathe_graph_input_name(graph, 1) == NULL && lathe_graph_num_inputs(NULL) == 0);
  int32_t index = -1;
  OK(lathe_graph_input_index(graph, "x", &index));
  CHECK(index == 0);
  FAILS(lathe_graph_input_index(graph, "y", &index), "graph-input-unknown");
  DLDevice device = {kDLCUDA, 7};
  OK(lathe_graph_input_device(graph, "x", &device));
  CHECK(device.device_type == kDLCPU && device.device_id == 0);
  OK(lathe_graph_output_device(graph, 0, &device));
  FAILS(lathe_graph_output_device(graph, 1, &device), "graph-output-index");

  float x[] = {1, 2, 3, -4}, y[4] = {0};
  lathe_tensor *input = Tensor(x, 2, 2), *narrow = Tensor(x, 4, 1), *output = NULL;
  FAILS(lathe_graph_open(&input->object, "default", NULL, 0, &second), "value-wrong-kind");
  FAILS(lathe_graph_run(graph), "graph-input-missing");
  FAILS(lathe_graph_output(graph, 0, &output), "graph-not-run");
  FAILS(lathe_graph_set_input(graph, "x", narrow), "graph-input-mismatch");
  OK(lathe_graph_set_input(graph, "x", input));
  OK(lathe_graph_set_threads(graph, 1));
  OK(lathe_graph_run(graph));
  OK(lathe_graph_output(graph, 0, &output));
  CHECK(output->dl.ndim == 2 && output->dl.shape[0] == 2 && output->dl.shape[1] == 2);
  OK(lathe_tensor_copy_to_host(output, y, sizeof(y)));
  CHECK(y[0] == 12 && y[1] == 20 && y[2] == 16 && y[3] == 24);

  /* The caller's memory, in the other graph. */
  float z[4] = {0};
  lathe_tensor* result = Tensor(z, 2, 2);
  OK(lathe_graph_share_input(second, "x", input));
  OK(lathe_graph_share_output(second, 0, result));
  x[0] = 5;
  OK(lathe_graph_run(second));
  CHECK(z[0] == 20 && z[3] == 24);
  OK(lathe_graph_share_output(second, 0, NULL));
  FAILS(lathe_graph_share_output(second, 0, narrow), "graph-output-mismatch");
  FAILS(lathe_graph_load_params(second, "nothing", 7), "params-corrupt");

  /* An output outlives its graph. */
  lathe_graph_close(graph);
  lathe_graph_close(second);
  lathe_graph_close(NULL);
  OK(lathe_tensor_copy_to_host(output, y, sizeof(y)));
  CHECK(y[0] == 12);
  lathe_object_release(&output->object);
  lathe_object_release(&input->object);
  lathe_object_release(&narrow->object);
  lathe_object_release(&result->object);
  return 0;
}
