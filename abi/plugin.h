/* The plugin door: what a plugin exports, what the host lends it, and the rules for both.
 *
 * A plugin is one shared library with ONE exported symbol, LATHE_PLUGIN_QUERY_SYMBOL. The major
 * version of the ABI is in that name; within a major version tables only grow at their end.
 *
 * Rules that hold for every table of the door (plugin.h, device.h, module.h, codegen.h):
 *
 * Sizes      Each table starts with `struct_size`, the size its maker compiled. A reader reads
 *            min(sizes) bytes and treats what is missing as NULL / 0. Members marked [required] are
 *            checked by name before use; all others may be NULL, which means "I don't do that".
 * Calls      Return 0 on success. On failure they return non-zero and `*error` owns an error object
 *            (LATHE_OBJECT_ERROR), which the caller drops. `*error` is NONE on entry. No exception
 *            leaves a call.
 * Ownership  Arguments are borrowed for the call, results are owned by the caller. An object is
 *            dropped through its own `drop`; no raw pointer is ever freed by the side that did not
 *            make it. No container crosses: bytes and flat arrays do.
 * Strings    `const char*` is NUL-terminated UTF-8 and never NULL unless the page says so.
 * Threads    Every table is re-entrant: the host calls it from any thread, several at once. `init`
 *            and `shutdown` are serialised by the host and never run beside another call of the
 *            same plugin.
 * Lifetime   Tables live as long as the process: a plugin is never unloaded. After `shutdown`
 *            nothing may be called but `drop` of objects still alive, `free` of device memory still
 *            held, and another `shutdown`.
 * Static     Nothing may run from static constructors or destructors that touches threads, devices
 *            or the host.
 * fork       Use of a plugin in a child after fork(), without exec, is unsupported.
 */
#ifndef LATHE_ABI_PLUGIN_H_
#define LATHE_ABI_PLUGIN_H_

#include "lathe/abi/value.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The release that this header belongs to; of the host in lathe_host.version, of the SDK in
 * lathe_plugin.sdk_version. */
#define LATHE_VERSION "0.1.0"

#define LATHE_ABI_MAJOR 1
#define LATHE_ABI_MINOR 0

#define LATHE_PLUGIN_QUERY_SYMBOL "lathe_plugin_query_v1"

/* The ELF section that holds the manifest: one JSON document, read without loading the plugin. */
#define LATHE_MANIFEST_SECTION ".lathe.manifest"

/* Set on a definition that must be seen from outside a library built with hidden visibility. */
#if defined(_WIN32)
#define LATHE_EXPORT __declspec(dllexport)
#else
#define LATHE_EXPORT __attribute__((visibility("default")))
#endif

typedef enum {
  LATHE_LOG_DEBUG = 0,
  LATHE_LOG_INFO = 1,
  LATHE_LOG_WARNING = 2,
  LATHE_LOG_ERROR = 3
} lathe_log_severity;

/* What the host lends. Valid for the life of the process; every function is thread-safe. A plugin
 * must not assume that a member beyond the host's `struct_size` exists. */
typedef struct lathe_host {
  uint64_t struct_size;
  uint32_t abi_major; /* LATHE_ABI_MAJOR of the host */
  uint32_t abi_minor;
  const char* version; /* of Lathe, such as "0.1.0" */

  /* Host memory. `alignment` is a power of two. NULL when there is no more, or when `bytes` is 0.
   * `free` wants the same bytes and alignment again and takes NULL. All of it must be given back
   * when `shutdown` returns. */
  void* (*alloc)(uint64_t bytes, uint64_t alignment);
  void (*free)(void* data, uint64_t bytes, uint64_t alignment);

  /* Puts a new error object into `*error` and returns -1, so that a call may end with `return
   * host->raise(...)`. `code` is a lathe_code. `name` is the diagnostic's name; `notes` may be
   * NULL; `origin` says who speaks: "plugin acme 1.2". */
  int (*raise)(int32_t code, const char* name, const char* message, const char* notes,
               const char* origin, lathe_value* error);

  /* Put a new object into `*result`: a string (UTF-8), or bytes; the data is copied. */
  int (*make_string)(const char* data, uint64_t size, lathe_value* result);
  int (*make_bytes)(const void* data, uint64_t size, lathe_value* result);

  /* Puts a new function object into `*result`. The last reference calls drop_self(self), unless
   * that is NULL. */
  int (*make_function)(lathe_call call, void* self, void (*drop_self)(void* self),
                       lathe_value* result);

  /* Looks a function up in the global registry. `*result` is a function object, or NONE where there
   * is no such name. On failure it is an error object. */
  int (*get_function)(const char* name, lathe_value* result);

  /* Runs body(closure, begin, end) over [0, extent) on the host's thread pool and waits. Calls from
   * within a part run serially. A part that fails returns non-zero; the others still running
   * finish, those not begun are skipped, and the call returns that value. No error object is made:
   * the parts share `closure` and keep what they must say there. */
  int32_t (*parallel)(int32_t (*body)(void* closure, int64_t begin, int64_t end), void* closure,
                      int64_t extent);

  /* Logs a line. `site` names the place that speaks ("acme.dma-retry"); each site is limited to a
   * few lines a second, and the host says how many it withheld. */
  void (*log)(int32_t severity, const char* site, const char* message);
} lathe_host;

/* What `init` is told. Borrowed for the call; the strings live as long as the process. */
typedef struct lathe_plugin_context {
  uint64_t struct_size;
  const char* name;    /* as the manifest has it */
  const char* version; /* as the manifest has it */
  /* Where the plugin's file lies, absolute; data files of a plugin lie beside it. */
  const char* folder;
} lathe_plugin_context;

/* What a plugin is. Static and read-only. */
typedef struct lathe_plugin {
  uint64_t struct_size;
  uint32_t abi_major; /* LATHE_ABI_MAJOR of the header it was compiled with */
  uint32_t abi_minor;
  const char* sdk_version; /* [required] of the SDK it was built with; "none" for a plugin written
                              without one */

  /* [required] The manifest, the same bytes as in the section; for builds that link plugins
   * statically. */
  const char* manifest;
  uint64_t manifest_size;

  /* [required] Called once before any interface is asked for, and again only after `shutdown`. May
   * take as long as it takes to find devices, but no longer: a probe gives up after some seconds.
   */
  int (*init)(const lathe_plugin_context* context, lathe_value* error);

  /* [required] The host calls it once, in reverse order of loading. Must take being called twice,
   * or never. */
  int (*shutdown)(lathe_value* error);

  /* [required] The table of interface `id` ("lathe.device.1", see device.h, module.h, codegen.h)
   * for one of the kinds that the manifest lists; NULL where the plugin does not do that. Pure: the
   * same pointer every time. Reserved for later: "lathe.graph.1" (accept, rewrite),
   * "lathe.profile.1", "lathe.capture.1". */
  const void* (*get_interface)(const char* id, const char* kind);
} lathe_plugin;

/* The one exported symbol. Pure, cheap and repeatable. `host` stays valid. NULL: this plugin cannot
 * serve this host. */
typedef const lathe_plugin* (*lathe_plugin_query)(const lathe_host* host);

#ifdef __cplusplus
}
#endif

#endif /* LATHE_ABI_PLUGIN_H_ */
