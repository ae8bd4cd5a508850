// Streams across a host function: what it launches goes where its caller's work goes.
//
// A host function of an artefact knows no streams. Its launches, copies and workspace go to the
// current stream that the calling thread has for the device (stream.h), or to the stream that the
// caller passed as one argument more, the last.
#pragma once

#include "runtime/device.h"
#include "runtime/function.h"

namespace lathe::runtime {

// The device that the calling thread's launches go to: what compiled code last made current there.
void SetLaunchDevice(const Device& device);

// `kernel`, a function of a device's module, as host code calls it: the thread's current stream of
// its launch device, where it has one, is passed as the last argument.
Function WithCurrentStream(Function kernel);

// `host`, a function that launches kernels, as others call it: a stream passed as the last argument
// is the thread's current one of its device while the call lasts.
Function TakingStream(Function host);

}  // namespace lathe::runtime
