// What the files of the native library share: how values cross between Java and the C interface.
//
// Values cross in three arrays of one length, made in Java: kinds (lathe_value_kind; for results of
// objects kObjectKind + lathe_object_kind), numbers (integers, bits of floats, packed types and
// devices, pointers to objects) and bytes (of strings, UTF-8). Strings never cross as Java's own
// ("modified") UTF-8. A pointer that goes to Java is one reference, which Java gives back with
// release().
#pragma once

#include <jni.h>

#include <string>
#include <vector>

#include "lathe/abi/value.h"
#include "runtime/value.h"

namespace lathe::java {

constexpr int32_t kObjectKind = 64;

// The classes and methods of dev.lathe.Native that native code uses; constant after JNI_OnLoad.
struct Java {
  JavaVM* vm = nullptr;
  jclass native = nullptr;            // dev.lathe.Native
  jclass byte_array = nullptr;        // byte[]
  jmethodID failure = nullptr;        // LatheException failure(int, byte[] x 4)
  jmethodID called = nullptr;         // int called(Object, int[], long[], byte[][], byte[][])
  jmethodID out_of_memory = nullptr;  // OutOfMemoryError outOfMemory()
};
extern Java g_java;

// Arguments of one call: copies of what Java gave, which live as long as this.
class Arguments {
 public:
  // False: a Java exception is pending. Takes the first n.
  bool Read(JNIEnv* env, jintArray kinds, jlongArray numbers, jobjectArray bytes, jint n);
  const lathe_value* data() const { return values_.data(); }
  int32_t size() const { return static_cast<int32_t>(values_.size()); }

 private:
  std::vector<lathe_value> values_;
  std::vector<std::string> texts_;
  std::vector<lathe_bytes> spans_;
  std::vector<runtime::Value> strings_;  // with a NUL inside
};

// Writes `value` to index i of the arrays; objects with a reference of Java's own. False: a Java
// exception is pending, and Java has got nothing.
bool WriteValue(JNIEnv* env, const lathe_value& value, jintArray kinds, jlongArray numbers,
                jobjectArray bytes, jint i);

// NULL: an exception is pending.
jbyteArray ToBytes(JNIEnv* env, const char* data, size_t size);
// False: an exception is pending.
bool FromBytes(JNIEnv* env, jbyteArray bytes, std::string* out);

// Throws the error in Java, and drops it. True if there was none.
bool ThrowUnless(JNIEnv* env, lathe_error* error);
// In a catch block: throws the current C++ exception in Java.
void ThrowCurrent(JNIEnv* env);

// Runs `body`; no C++ exception leaves it. `failed` is the result if one is thrown in Java.
template <class R, class F>
R Guarded(JNIEnv* env, R failed, F body) {
  try {
    return body();
  } catch (...) {
    ThrowCurrent(env);
    return failed;
  }
}

// The function that calls a Java object (dev.lathe.Function.Callback); 0: an exception is pending.
jlong NewCallback(JNIEnv* env, jobject callback);

// Elements between a tensor and a primitive array, which must have the tensor's bytes.
void TensorCopyFrom(JNIEnv* env, jlong tensor, jobject array, jint kind);
void TensorCopyTo(JNIEnv* env, jlong tensor, jobject array, jint kind);

}  // namespace lathe::java
