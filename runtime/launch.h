// Streams of host functions: the kernels that a host function launches go to its caller's stream.
//
// A host function of an artefact has no stream parameter. Its launches, copies and workspace use
// the calling thread's current stream for the device (stream.h), or the stream that the caller
// passes as an extra last argument.
#pragma once

#include "runtime/device.h"
#include "runtime/function.h"

namespace lathe::runtime {

// The device for the calling thread's launches: the one that compiled code last made current.
void SetLaunchDevice(const Device& device);
Device LaunchDevice();

// Wraps `kernel`, a function of a device's module, for calls from host code: if the thread has a
// current stream for its launch device, that stream is passed as the last argument.
Function WithCurrentStream(Function kernel);

// Wraps `host`, a function that launches kernels: a stream passed as the last argument becomes the
// thread's current stream for its device during the call.
Function TakingStream(Function host);

}  // namespace lathe::runtime
