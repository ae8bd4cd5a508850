/* Names that are passed between the host and a plugin as text; each is defined once. Code that
 * compares or passes a name uses its macro, so that a misspelt name does not compile. The sets are
 * open: a plugin may have more names. For their meaning, see device.h and module.h, and
 * docs/contract.md for scopes and thread axes.
 */
#ifndef LATHE_ABI_NAMES_H_
#define LATHE_ABI_NAMES_H_

/* Memory scopes. */
#define LATHE_SCOPE_GLOBAL "global"
#define LATHE_SCOPE_SHARED "shared"
#define LATHE_SCOPE_SHARED_DYNAMIC "shared.dyn"
#define LATHE_SCOPE_WARP "warp"
#define LATHE_SCOPE_LOCAL "local"
#define LATHE_SCOPE_CONSTANT "constant"
#define LATHE_SCOPE_TEXTURE "texture"

/* Properties of a device, for lathe_device_api.attribute. Those that limit what a kernel may do have
 * the same names as the limits in the machine description of a target. */
#define LATHE_PROPERTY_NAME "name"
#define LATHE_PROPERTY_VENDOR "vendor"
#define LATHE_PROPERTY_ARCH "arch"
#define LATHE_PROPERTY_DRIVER_VERSION "driver_version"
#define LATHE_PROPERTY_TOTAL_MEMORY "total_memory"
#define LATHE_PROPERTY_WARP_SIZE "warp_size"
#define LATHE_PROPERTY_MAX_THREADS_PER_BLOCK "max_threads_per_block"
#define LATHE_PROPERTY_MAX_THREAD_DIMENSIONS "max_thread_dimensions"
#define LATHE_PROPERTY_MAX_SHARED_MEMORY_PER_BLOCK "max_shared_memory_per_block"
#define LATHE_PROPERTY_MAX_REGISTERS_PER_BLOCK "max_registers_per_block"
#define LATHE_PROPERTY_MAX_VECTOR_BYTES "max_vector_bytes"
#define LATHE_PROPERTY_MULTI_PROCESSOR_COUNT "multi_processor_count"
#define LATHE_PROPERTY_MAX_CLOCK_KHZ "max_clock_khz"

/* Kinds of streams, for lathe_device_api.stream_new. */
#define LATHE_STREAM_COMPUTE "compute"
#define LATHE_STREAM_COPY "copy"
#define LATHE_STREAM_HIGH_PRIORITY "high-priority"

/* The values of `what` for lathe_module_api.describe. */
#define LATHE_DESCRIBE_METADATA "metadata"
#define LATHE_DESCRIBE_FORMATS "formats"
#define LATHE_DESCRIBE_SOURCE "source"

/* Options of a compilation that the compiler sets (lathe_compile_request.options). */
#define LATHE_OPTION_TIME "time" /* 1: the log states the time of each stage */

#endif /* LATHE_ABI_NAMES_H_ */
