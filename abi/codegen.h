/* Interface "lathe.codegen.1": compiling IR for one kind of target. Rules: plugin.h.
 *
 * IR arrives in its binary form, at the contract stage and in a version that the manifest states
 * for the target. `compile` may run on several threads at once; equal requests must give equal
 * bytes.
 */
#ifndef LATHE_ABI_CODEGEN_H_
#define LATHE_ABI_CODEGEN_H_

#include "lathe/abi/value.h"

#ifdef __cplusplus
extern "C" {
#endif

#define LATHE_CODEGEN_INTERFACE "lathe.codegen.1"

/* The kind of output that `compile` makes. */
typedef enum {
  LATHE_OUTPUT_MODULE = 0,   /* bytes that a module loader takes (see result.module_kind) */
  LATHE_OUTPUT_OBJECT = 1,   /* a relocatable object file */
  LATHE_OUTPUT_ASSEMBLY = 2, /* text */
  LATHE_OUTPUT_IR = 3,       /* the code generator's own IR, text */
  LATHE_OUTPUT_SOURCE = 4    /* source text in the language it emits */
} lathe_output_kind;

/* Borrowed for the call. Grows at its end. */
typedef struct lathe_compile_request {
  uint64_t struct_size;
  lathe_bytes ir;
  const char* target; /* canonical, from `canonical` */
  int32_t output;     /* a lathe_output_kind */
  uint32_t num_constants;
  const DLTensor* const*
      constants;       /* in host memory, compact; constant i of the IR is constants[i] */
  const char* options; /* "key=value" lines, or ""; unknown keys are ignored */
  /* NULL, or one entry per constant: a symbol by which the code may refer to constant i instead of
   * containing it; a NULL entry means that the code must contain it. Code that refers to the symbol
   * leaves it undefined and consumed[i] at 0; the host defines it: constant data, aligned to 64
   * bytes. */
  const char* const* constant_symbols;
} lathe_compile_request;

/* The time that a stage of a compilation took. */
typedef struct lathe_stage_time {
  char stage[24]; /* ends with a zero byte */
  double seconds;
} lathe_stage_time;

/* Filled by `compile`. All members are NONE / 0 on entry; the objects are owned by the caller. */
typedef struct lathe_compile_result {
  uint64_t struct_size;
  lathe_value output;      /* a bytes object */
  lathe_value module_kind; /* with LATHE_OUTPUT_MODULE and _OBJECT: a string object: "elf",
                              "example", ..., the kind of the module loader */
  lathe_value consumed; /* a bytes object, one byte per constant: 1 if the code contains it, so that
                           the host may drop it */
  uint64_t reserved;    /* 0 */
  lathe_value log;      /* a string object: warnings, which the host shows to the user */
  /* Only if struct_size includes it. With the option LATHE_OPTION_TIME: a bytes object, an array of
   * lathe_stage_time in the order of the stages. */
  lathe_value times;
} lathe_compile_result;

typedef struct lathe_codegen_api {
  uint64_t struct_size;
  uint64_t flags; /* 0 */
  void* self;     /* first argument of every call */

  /* The target with everything written out ("native" resolved, implied features listed); a string
   * object. For canonical text the result is the same text. Absent: the host's normal form is the
   * canonical one. */
  int (*canonical)(void* self, const char* target, lathe_value* result);

  /* A cheap check before compile: can this IR be compiled? `*accepted` is 1 or 0; with 0, `*reason`
   * is a string object. Absent: `compile` decides. */
  int (*check)(void* self, const lathe_bytes* ir, const char* target, int32_t* accepted,
               lathe_value* reason);

  /* [required] */
  int (*compile)(void* self, const lathe_compile_request* request, lathe_compile_result* result,
                 lathe_value* error);

  /* Links several objects from `compile` into one file; `*result` is a bytes object. Absent: the
   * host links. */
  int (*link)(void* self, const lathe_bytes* objects, uint32_t num_objects, const char* target,
              int32_t output, lathe_value* result);
} lathe_codegen_api;

#ifdef __cplusplus
}
#endif

#endif /* LATHE_ABI_CODEGEN_H_ */
