// Java objects as functions of Lathe.
#include <string>

#include "java/jni/jni.h"
#include "runtime/c_api.h"

namespace lathe::java {
namespace {

// Detaches, at the end of a thread, what Environment() attached.
struct Attachment {
  bool attached = false;
  ~Attachment() {
    if (attached) g_java.vm->DetachCurrentThread();
  }
};

// Of the calling thread, which may be one of the runtime's own: it is attached then, as a daemon,
// so that it does not keep the virtual machine alive. NULL if that fails.
JNIEnv* Environment() {
  thread_local Attachment attachment;
  void* env = nullptr;
  if (g_java.vm->GetEnv(&env, JNI_VERSION_1_8) == JNI_OK) return static_cast<JNIEnv*>(env);
  if (g_java.vm->AttachCurrentThreadAsDaemon(&env, nullptr) != JNI_OK) return nullptr;
  attachment.attached = true;
  return static_cast<JNIEnv*>(env);
}

int Fail(lathe_value* ret, lathe_error* error) {
  ret->kind = LATHE_VALUE_OBJECT;
  ret->v_object = &error->object;
  return 1;
}

int FailWithoutMemory(JNIEnv* env, lathe_value* ret) {
  env->ExceptionClear();
  return Fail(ret, lathe_error_new(LATHE_RESOURCE_EXHAUSTED, "out-of-memory",
                                   "the Java virtual machine has no memory for a call", nullptr));
}

// What dev.lathe.Native.called says of an exception: its name, message and notes.
int FailAs(JNIEnv* env, jint code, jobjectArray texts, lathe_value* ret) {
  std::string text[3];
  for (jint i = 0; i < 3; ++i) {
    auto* item = static_cast<jbyteArray>(env->GetObjectArrayElement(texts, i));
    if (env->ExceptionCheck() || !FromBytes(env, item, &text[i]))
      return FailWithoutMemory(env, ret);
  }
  return Fail(ret, lathe_error_new(code, text[0].c_str(), text[1].c_str(), text[2].c_str()));
}

// The references of the first n values, which Java does not get after all.
void ReleaseWritten(JNIEnv* env, jintArray kinds, jlongArray numbers, int32_t n) {
  for (int32_t i = 0; i < n; ++i) {
    jint kind = 0;
    jlong number = 0;
    env->GetIntArrayRegion(kinds, i, 1, &kind);
    env->GetLongArrayRegion(numbers, i, 1, &number);
    if (kind > kObjectKind) lathe_object_release(reinterpret_cast<lathe_object*>(number));
  }
}

// Within a frame of local references.
int CallInFrame(JNIEnv* env, jobject callback, const lathe_value* args, int32_t n,
                lathe_value* ret) {
  jintArray kinds = env->NewIntArray(n + 1);
  jlongArray numbers = kinds == nullptr ? nullptr : env->NewLongArray(n + 1);
  jobjectArray bytes =
      numbers == nullptr ? nullptr : env->NewObjectArray(n + 1, g_java.byte_array, nullptr);
  jobjectArray texts =
      bytes == nullptr ? nullptr : env->NewObjectArray(3, g_java.byte_array, nullptr);
  if (texts == nullptr) return FailWithoutMemory(env, ret);
  for (int32_t i = 0; i < n; ++i) {
    if (WriteValue(env, args[i], kinds, numbers, bytes, i)) continue;
    env->ExceptionClear();
    ReleaseWritten(env, kinds, numbers, i);
    return FailWithoutMemory(env, ret);
  }
  const jint code = env->CallStaticIntMethod(g_java.native, g_java.called, callback, kinds, numbers,
                                             bytes, texts);
  if (env->ExceptionCheck()) return FailWithoutMemory(env, ret);
  if (code != LATHE_OK) return FailAs(env, code, texts, ret);

  jint kind = 0;
  jlong number = 0;
  env->GetIntArrayRegion(kinds, n, 1, &kind);
  if (env->ExceptionCheck()) return FailWithoutMemory(env, ret);
  env->GetLongArrayRegion(numbers, n, 1, &number);
  if (env->ExceptionCheck()) return FailWithoutMemory(env, ret);
  if (kind == LATHE_VALUE_STRING || kind == LATHE_VALUE_BYTES) {
    auto* item = static_cast<jbyteArray>(env->GetObjectArrayElement(bytes, n));
    std::string text;
    if (env->ExceptionCheck() || !FromBytes(env, item, &text)) return FailWithoutMemory(env, ret);
    lathe_string* made = nullptr;
    lathe_error* error = kind == LATHE_VALUE_STRING
                             ? lathe_string_new(text.data(), text.size(), &made)
                             : lathe_bytes_new(text.data(), text.size(), &made);
    if (error != nullptr) return Fail(ret, error);
    ret->kind = LATHE_VALUE_OBJECT;
    ret->v_object = &made->object;
  } else {
    ret->kind = kind;  // Java has given its reference, if it is an object.
    ret->v_int = number;
  }
  return 0;
}

int Call(void* self, const lathe_value* args, int32_t n, lathe_value* ret) {
  JNIEnv* env = Environment();
  if (env == nullptr)
    return Fail(ret, lathe_error_new(LATHE_UNAVAILABLE, "java-exception",
                                     "the Java virtual machine attaches no further thread",
                                     "help: it has ended, or the system has no more threads"));
  try {
    if (env->PushLocalFrame(2 * n + 16) != JNI_OK) return FailWithoutMemory(env, ret);
    const int result = CallInFrame(env, static_cast<jobject>(self), args, n, ret);
    env->PopLocalFrame(nullptr);
    return result;
  } catch (...) {
    env->PopLocalFrame(nullptr);
    return FailWithoutMemory(env, ret);
  }
}

void Drop(void* self) {
  if (JNIEnv* env = Environment(); env != nullptr) env->DeleteGlobalRef(static_cast<jobject>(self));
}

}  // namespace

jlong NewCallback(JNIEnv* env, jobject callback) {
  jobject kept = env->NewGlobalRef(callback);
  if (kept == nullptr) return 0;
  lathe_function* made = nullptr;
  if (!ThrowUnless(env, lathe_function_new(Call, kept, Drop, &made))) {
    env->DeleteGlobalRef(kept);
    return 0;
  }
  return reinterpret_cast<jlong>(made);
}

}  // namespace lathe::java
