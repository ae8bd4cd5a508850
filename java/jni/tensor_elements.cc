// Elements between tensors and Java's primitive arrays.
#include <vector>

#include "java/jni/jni.h"
#include "runtime/c_api.h"

namespace lathe::java {
namespace {

// Kinds of arrays, as dev.lathe.NDArray numbers them, and the bytes of an element.
enum Kind : jint { kByte, kChar, kShort, kInt, kLong, kFloat, kDouble };
constexpr uint64_t kBytes[] = {1, 2, 2, 4, 8, 4, 8};

// Length, then the elements. False: an exception is pending.
bool Get(JNIEnv* env, jobject array, jint kind, jsize n, void* to) {
  switch (kind) {
    case kByte:
      env->GetByteArrayRegion(static_cast<jbyteArray>(array), 0, n, static_cast<jbyte*>(to));
      break;
    case kChar:
      env->GetCharArrayRegion(static_cast<jcharArray>(array), 0, n, static_cast<jchar*>(to));
      break;
    case kShort:
      env->GetShortArrayRegion(static_cast<jshortArray>(array), 0, n, static_cast<jshort*>(to));
      break;
    case kInt:
      env->GetIntArrayRegion(static_cast<jintArray>(array), 0, n, static_cast<jint*>(to));
      break;
    case kLong:
      env->GetLongArrayRegion(static_cast<jlongArray>(array), 0, n, static_cast<jlong*>(to));
      break;
    case kFloat:
      env->GetFloatArrayRegion(static_cast<jfloatArray>(array), 0, n, static_cast<jfloat*>(to));
      break;
    default:
      env->GetDoubleArrayRegion(static_cast<jdoubleArray>(array), 0, n, static_cast<jdouble*>(to));
  }
  return !env->ExceptionCheck();
}

void Set(JNIEnv* env, jobject array, jint kind, jsize n, const void* from) {
  switch (kind) {
    case kByte:
      env->SetByteArrayRegion(static_cast<jbyteArray>(array), 0, n,
                              static_cast<const jbyte*>(from));
      break;
    case kChar:
      env->SetCharArrayRegion(static_cast<jcharArray>(array), 0, n,
                              static_cast<const jchar*>(from));
      break;
    case kShort:
      env->SetShortArrayRegion(static_cast<jshortArray>(array), 0, n,
                               static_cast<const jshort*>(from));
      break;
    case kInt:
      env->SetIntArrayRegion(static_cast<jintArray>(array), 0, n, static_cast<const jint*>(from));
      break;
    case kLong:
      env->SetLongArrayRegion(static_cast<jlongArray>(array), 0, n,
                              static_cast<const jlong*>(from));
      break;
    case kFloat:
      env->SetFloatArrayRegion(static_cast<jfloatArray>(array), 0, n,
                               static_cast<const jfloat*>(from));
      break;
    default:
      env->SetDoubleArrayRegion(static_cast<jdoubleArray>(array), 0, n,
                                static_cast<const jdouble*>(from));
  }
}

}  // namespace

void TensorCopyFrom(JNIEnv* env, jlong tensor, jobject array, jint kind) {
  const jsize n = env->GetArrayLength(static_cast<jarray>(array));
  std::vector<char> elements(static_cast<uint64_t>(n) * kBytes[kind]);
  if (!Get(env, array, kind, n, elements.data())) return;
  ThrowUnless(env, lathe_tensor_copy_from_host(reinterpret_cast<lathe_tensor*>(tensor),
                                               elements.data(), elements.size()));
}

void TensorCopyTo(JNIEnv* env, jlong tensor, jobject array, jint kind) {
  const jsize n = env->GetArrayLength(static_cast<jarray>(array));
  std::vector<char> elements(static_cast<uint64_t>(n) * kBytes[kind]);
  if (ThrowUnless(env, lathe_tensor_copy_to_host(reinterpret_cast<lathe_tensor*>(tensor),
                                                 elements.data(), elements.size())))
    Set(env, array, kind, n, elements.data());
}

}  // namespace lathe::java
