/* Remote sessions as C functions. The library is liblathe_remote.so: the runtime, the executor of
 * plans (graph_c_api.h), and sessions. A program links it instead of liblathe_runtime.so and
 * liblathe_graph.so, not beside them. C11.
 *
 *   lathe_function* connect;
 *   lathe_value session;
 *   lathe_remote_init();
 *   lathe_global_find("rpc.connect", &connect);
 *   lathe_function_call(connect, args, 5, &session);   // "127.0.0.1", 9090, "", 0.0, ""
 *
 * The functions are those of runtime/rpc/functions.h. Errors and ownership are those of c_api.h.
 * runtime/rpc/remote.h is the same for C++.
 */
#ifndef LATHE_RUNTIME_RPC_REMOTE_C_API_H_
#define LATHE_RUNTIME_RPC_REMOTE_C_API_H_

#include "runtime/c_api.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Registers the functions `rpc.*`. A second call does nothing. Any thread. */
LATHE_C_API lathe_error* lathe_remote_init(void);

/* A list of values: it takes its own references, and copies of borrowed strings and bytes. */
LATHE_C_API lathe_error* lathe_array_new(const lathe_value* items, int64_t n, lathe_object** out);
/* Its values, borrowed: valid as long as the array. */
LATHE_C_API lathe_error* lathe_array_items(const lathe_object* array, const lathe_value** items,
                                           int64_t* n);
/* One more folder in which plugins are searched, before the installation's. Plugins that are loaded
 * stay. */
LATHE_C_API lathe_error* lathe_plugin_folder_add(const char* folder);

#ifdef __cplusplus
}
#endif

#endif /* LATHE_RUNTIME_RPC_REMOTE_C_API_H_ */
