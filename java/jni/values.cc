// Conversion of values and errors between Java's arrays and the C interface.
#include <cstring>
#include <memory>

#include "java/jni/jni.h"
#include "runtime/c_api.h"
#include "runtime/error_object.h"

namespace lathe::java {
namespace {

// Of an array of bytes; "" for null.
bool BytesAt(JNIEnv* env, jobjectArray bytes, jint i, std::string* out) {
  auto* item = static_cast<jbyteArray>(env->GetObjectArrayElement(bytes, i));
  if (env->ExceptionCheck()) return false;
  const bool done = FromBytes(env, item, out);
  env->DeleteLocalRef(item);
  return done;
}

void ThrowOutOfMemory(JNIEnv* env) {
  if (env->ExceptionCheck()) return;
  jobject made = env->CallStaticObjectMethod(g_java.native, g_java.out_of_memory);
  if (env->ExceptionCheck() || made == nullptr) return;
  env->Throw(static_cast<jthrowable>(made));
}

}  // namespace

bool FromBytes(JNIEnv* env, jbyteArray bytes, std::string* out) {
  out->clear();
  if (bytes == nullptr) return true;
  const jsize size = env->GetArrayLength(bytes);
  out->resize(static_cast<size_t>(size));
  env->GetByteArrayRegion(bytes, 0, size, reinterpret_cast<jbyte*>(out->data()));
  return !env->ExceptionCheck();
}

jbyteArray ToBytes(JNIEnv* env, const char* data, size_t size) {
  // As the virtual machine says it of arrays that it cannot have.
  if (size > 0x7fffffff - 16) {
    ThrowOutOfMemory(env);
    return nullptr;
  }
  jbyteArray made = env->NewByteArray(static_cast<jsize>(size));
  if (made == nullptr) return nullptr;
  env->SetByteArrayRegion(made, 0, static_cast<jsize>(size), reinterpret_cast<const jbyte*>(data));
  return env->ExceptionCheck() ? nullptr : made;
}

bool Arguments::Read(JNIEnv* env, jintArray kinds, jlongArray numbers, jobjectArray bytes, jint n) {
  const auto count = static_cast<size_t>(n);
  std::vector<jint> kind(count);
  std::vector<jlong> number(count);
  env->GetIntArrayRegion(kinds, 0, n, kind.data());
  if (env->ExceptionCheck()) return false;
  env->GetLongArrayRegion(numbers, 0, n, number.data());
  if (env->ExceptionCheck()) return false;
  values_.resize(count);
  texts_.resize(count);
  spans_.resize(count);
  for (size_t i = 0; i < count; ++i) {
    lathe_value& value = values_[i];
    value = {};
    value.kind = kind[i];
    if (kind[i] == LATHE_VALUE_BYTES || kind[i] == LATHE_VALUE_STRING) {
      std::string& text = texts_[i];
      if (!BytesAt(env, bytes, static_cast<jint>(i), &text)) return false;
      if (kind[i] == LATHE_VALUE_BYTES) {
        spans_[i] = {text.data(), text.size()};
        value.v_bytes = &spans_[i];
      } else if (std::strlen(text.c_str()) == text.size()) {
        value.v_string = text.c_str();
      } else {  // Only an object says where a text with a NUL ends.
        strings_.emplace_back(text);
        value = strings_.back().c();
      }
    } else if (kind[i] == LATHE_VALUE_FLOAT) {
      std::memcpy(&value.v_float, &number[i], sizeof(double));
    } else {
      std::memcpy(&value.v_int, &number[i], sizeof(int64_t));
    }
  }
  return true;
}

bool WriteValue(JNIEnv* env, const lathe_value& value, jintArray kinds, jlongArray numbers,
                jobjectArray bytes, jint i) {
  jint kind = value.kind;
  jlong number = 0;
  const char* data = nullptr;
  size_t size = 0;
  lathe_object* shared = nullptr;
  lathe_tensor* lent = nullptr;
  if (value.kind == LATHE_VALUE_STRING) {
    data = value.v_string;
    size = std::strlen(data);
  } else if (value.kind == LATHE_VALUE_BYTES) {
    data = value.v_bytes->data;
    size = value.v_bytes->size;
  } else if (value.kind == LATHE_VALUE_OBJECT) {
    const auto object = static_cast<int32_t>(value.v_object->kind);
    if (object == LATHE_OBJECT_STRING || object == LATHE_OBJECT_BYTES) {
      const auto* text = reinterpret_cast<const lathe_string*>(value.v_object);
      kind = object == LATHE_OBJECT_STRING ? LATHE_VALUE_STRING : LATHE_VALUE_BYTES;
      data = text->data;
      size = text->size;
    } else {
      kind = kObjectKind + object;
      shared = value.v_object;
    }
  } else if (value.kind == LATHE_VALUE_DLTENSOR) {
    // Borrowed for the call: Java, which cannot know when that ends, gets a copy.
    const DLTensor& from = *value.v_dltensor;
    lathe_tensor* view = nullptr;
    if (!ThrowUnless(
            env, lathe_tensor_wrap(from.data, from.byte_offset, from.shape, from.strides, from.ndim,
                                   from.dtype, from.device, 1, nullptr, nullptr, &view)))
      return false;
    lathe_error* error =
        lathe_tensor_empty(from.shape, from.ndim, from.dtype, from.device, nullptr, &lent);
    if (error == nullptr) error = lathe_tensor_copy(view, lent);
    lathe_object_release(&view->object);
    if (!ThrowUnless(env, error)) {
      lathe_object_release(reinterpret_cast<lathe_object*>(lent));
      return false;
    }
    kind = kObjectKind + LATHE_OBJECT_TENSOR;
    shared = &lent->object;
  } else {
    std::memcpy(&number, &value.v_int, sizeof(number));
  }
  bool done = true;
  if (data != nullptr) {
    jbyteArray made = ToBytes(env, data, size);
    done = made != nullptr;
    if (done) env->SetObjectArrayElement(bytes, i, made);
    done = done && !env->ExceptionCheck();
    if (done) env->DeleteLocalRef(made);
  }
  if (shared != nullptr) std::memcpy(&number, &shared, sizeof(shared));
  if (done) env->SetLongArrayRegion(numbers, i, 1, &number);
  done = done && !env->ExceptionCheck();
  if (done) env->SetIntArrayRegion(kinds, i, 1, &kind);
  done = done && !env->ExceptionCheck();
  if (done) lathe_object_retain(shared);
  lathe_object_release(reinterpret_cast<lathe_object*>(lent));
  return done;
}

bool ThrowUnless(JNIEnv* env, lathe_error* error) {
  if (error == nullptr) return true;
  const std::unique_ptr<lathe_error, void (*)(lathe_error*)> owner(
      error, [](lathe_error* e) { lathe_object_release(&e->object); });
  if (env->ExceptionCheck()) return false;
  if (std::strcmp(error->name, "out-of-memory") == 0) {
    ThrowOutOfMemory(env);
    return false;
  }
  lathe_string* text = nullptr;
  if (lathe_error* second = lathe_error_text(error, &text); second != nullptr) {
    lathe_object_release(&second->object);
    ThrowOutOfMemory(env);
    return false;
  }
  jbyteArray parts[4] = {};
  const std::string texts[4] = {error->name, error->message, error->notes,
                                std::string(text->data, text->size)};
  lathe_object_release(&text->object);
  for (int i = 0; i < 4; ++i) {
    parts[i] = ToBytes(env, texts[i].data(), texts[i].size());
    if (parts[i] == nullptr) return false;
  }
  jobject made = env->CallStaticObjectMethod(g_java.native, g_java.failure, error->code, parts[0],
                                             parts[1], parts[2], parts[3]);
  if (!env->ExceptionCheck()) env->Throw(static_cast<jthrowable>(made));
  return false;
}

void ThrowCurrent(JNIEnv* env) {
  if (env->ExceptionCheck()) return;
  ThrowUnless(env, runtime::ErrorFromCurrentException().release());
}

}  // namespace lathe::java
