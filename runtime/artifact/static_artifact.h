/* For programs that link compiled modules statically: firmware, phones, anything without a dynamic
 * linker. */
#ifndef LATHE_RUNTIME_ARTIFACT_STATIC_ARTIFACT_H_
#define LATHE_RUNTIME_ARTIFACT_STATIC_ARTIFACT_H_

#include "lathe/abi/kernel.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Makes the module of `artifact`, an object linked into this program, known under `name`: the
 * registry's function "module.static.<name>" (no arguments) then returns it. Where several modules
 * are linked, each has a symbol of its own in place of LATHE_ARTIFACT_SYMBOL (`lathe compile
 * --symbol`, driver::ExportOptions::symbol).
 *
 * Call it once per artefact, before its functions are used and after main has begun. Returns 0;
 * otherwise non-zero, and `*ret` owns an error object that says why. `*ret` is NONE on entry.
 * Thread-safe. */
int lathe_register_artifact(const char* name, const lathe_artifact* artifact, lathe_value* ret);

#ifdef __cplusplus
}
#endif

#endif /* LATHE_RUNTIME_ARTIFACT_STATIC_ARTIFACT_H_ */
