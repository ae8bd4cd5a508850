/* The plugin interface: what a plugin exports, what the host offers to it, and the rules for both.
 *
 * A plugin is one shared library with ONE exported symbol, LATHE_PLUGIN_QUERY_SYMBOL. The major
 * version of the ABI is in that name; within a major version tables only grow at their end.
 *
 * Rules for every table of the interface (plugin.h, device.h, module.h, codegen.h):
 *
 * Sizes      Each table starts with `struct_size`, its size when its maker was compiled. A reader
 *            reads the smaller of that size and its own, and treats missing members as NULL / 0.
 *            Members marked [required] are checked before use, and an error names the missing one;
 *            all others may be NULL, which means "not supported".
 * Calls      A call returns 0 on success. On failure it returns non-zero, and `*error` owns an
 *            error object (LATHE_OBJECT_ERROR), which the caller drops. `*error` is NONE on entry.
 *            No exception leaves a call.
 * Ownership  Arguments are borrowed for the call; the caller owns the results. An object is dropped
 *            through its own `drop`; a raw pointer is freed only by the side that allocated it. No
 *            container types are passed, only bytes and flat arrays.
 * Strings    `const char*` is NUL-terminated UTF-8, and never NULL unless the header says so.
 * Threads    Every table is re-entrant: the host calls it from any thread, and from several at
 *            once. The host serialises `init` and `shutdown`, and never runs them during another
 *            call of the same plugin.
 * Lifetime   Tables are valid as long as the process: a plugin is never unloaded. After `shutdown`
 *            only these may be called: `drop` of objects that are still alive, `free` of device
 *            memory that is still allocated, and `shutdown` again.
 * Static     Static constructors and destructors must not use threads, devices or the host.
 * fork       Using a plugin in a child process after fork(), without exec, is not supported.
 */
#ifndef LATHE_ABI_PLUGIN_H_
#define LATHE_ABI_PLUGIN_H_

#include "lathe/abi/value.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The release of this header. lathe_host.version has the host's release, lathe_plugin.sdk_version
 * the SDK's. */
#define LATHE_VERSION "0.1.0"

#define LATHE_ABI_MAJOR 1
#define LATHE_ABI_MINOR 0

#define LATHE_PLUGIN_QUERY_SYMBOL "lathe_plugin_query_v1"

/* The ELF section with the manifest: one JSON document, read without loading the plugin. */
#define LATHE_MANIFEST_SECTION ".lathe.manifest"

/* Marks a definition that must be visible outside a library with hidden visibility. */
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

/* The host's functions for plugins. Valid for the life of the process; every function is
 * thread-safe. A plugin must not assume that a member beyond the host's `struct_size` exists. */
typedef struct lathe_host {
  uint64_t struct_size;
  uint32_t abi_major; /* LATHE_ABI_MAJOR of the host */
  uint32_t abi_minor;
  const char* version; /* Lathe's version, such as "0.1.0" */

  /* Host memory. `alignment` is a power of two. `alloc` returns NULL if there is no more memory,
   * or if `bytes` is 0. `free` needs the same bytes and alignment again, and accepts NULL. All
   * memory must be freed when `shutdown` returns. */
  void* (*alloc)(uint64_t bytes, uint64_t alignment);
  void (*free)(void* data, uint64_t bytes, uint64_t alignment);

  /* Puts a new error object into `*error` and returns -1, so that a call may end with `return
   * host->raise(...)`. `code` is a lathe_code. `name` is the diagnostic's name; `notes` may be
   * NULL; `origin` names the plugin: "plugin acme 1.2". */
  int (*raise)(int32_t code, const char* name, const char* message, const char* notes,
               const char* origin, lathe_value* error);

  /* Put a new object into `*result`: a string (UTF-8), or bytes; the data is copied. */
  int (*make_string)(const char* data, uint64_t size, lathe_value* result);
  int (*make_bytes)(const void* data, uint64_t size, lathe_value* result);

  /* Puts a new function object into `*result`. The last reference calls drop_self(self), unless
   * that is NULL. */
  int (*make_function)(lathe_call call, void* self, void (*drop_self)(void* self),
                       lathe_value* result);

  /* Looks up a function in the global registry. `*result` is a function object, or NONE if the name
   * does not exist. On failure it is an error object. */
  int (*get_function)(const char* name, lathe_value* result);

  /* Runs body(closure, begin, end) over [0, extent) on the host's thread pool and waits. Calls from
   * within a part run serially. A part that fails returns non-zero; running parts finish, parts
   * that have not begun are skipped, and the call returns that value. No error object is made: the
   * parts share `closure`, and can store the reason there. */
  int32_t (*parallel)(int32_t (*body)(void* closure, int64_t begin, int64_t end), void* closure,
                      int64_t extent);

  /* Logs a line. `site` names the place in the plugin ("acme.dma-retry"). Each site is limited to a
   * few lines a second, and the host reports how many lines it dropped. */
  void (*log)(int32_t severity, const char* site, const char* message);
} lathe_host;

/* The argument of `init`. Borrowed for the call; the strings are valid as long as the process. */
typedef struct lathe_plugin_context {
  uint64_t struct_size;
  const char* name;    /* as in the manifest */
  const char* version; /* as in the manifest */
  /* The absolute folder of the plugin's file; the plugin's data files are there, too. */
  const char* folder;
} lathe_plugin_context;

/* The description of a plugin. Static and read-only. */
typedef struct lathe_plugin {
  uint64_t struct_size;
  uint32_t abi_major; /* LATHE_ABI_MAJOR of the header it was compiled with */
  uint32_t abi_minor;
  const char* sdk_version; /* [required] the version of its SDK; "none" for a plugin written without
                              an SDK */

  /* [required] The manifest, the same bytes as in the section; for builds that link plugins
   * statically. */
  const char* manifest;
  uint64_t manifest_size;

  /* [required] Called once before get_interface, and again only after `shutdown`. It may take the
   * time that finding devices takes, but no longer: a probe gives up after some seconds. */
  int (*init)(const lathe_plugin_context* context, lathe_value* error);

  /* [required] The host calls it once, in reverse order of loading. It must work if it is called
   * twice, or never. */
  int (*shutdown)(lathe_value* error);

  /* [required] The table of interface `id` ("lathe.device.1", see device.h, module.h, codegen.h)
   * for one of the kinds in the manifest; NULL if the plugin does not support it. Pure: the same
   * pointer every time. Reserved for later: "lathe.graph.1" (accept, rewrite),
   * "lathe.profile.1", "lathe.capture.1". */
  const void* (*get_interface)(const char* id, const char* kind);
} lathe_plugin;

/* The one exported symbol. Pure, cheap and repeatable. `host` stays valid. A NULL result means
 * that this plugin does not support this host. */
typedef const lathe_plugin* (*lathe_plugin_query)(const lathe_host* host);

#ifdef __cplusplus
}
#endif

#endif /* LATHE_ABI_PLUGIN_H_ */
