// The table of natives of dev.lathe.Native, and their registration.
#include <cstring>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "java/jni/jni.h"
#include "runtime/c_api.h"
#include "runtime/error_object.h"
#include "runtime/graph/plan_module.h"
#include "runtime/init.h"
#include "runtime/rpc/functions.h"
#include "runtime/status.h"

namespace lathe::java {

Java g_java;

namespace {

template <class T>
T* At(jlong pointer) {
  return reinterpret_cast<T*>(pointer);
}

// A string object as bytes; drops it. NULL: an exception is pending.
jbyteArray TextOf(JNIEnv* env, lathe_error* error, lathe_string* text) {
  if (!ThrowUnless(env, error)) return nullptr;
  jbyteArray made = ToBytes(env, text->data, text->size);
  lathe_object_release(&text->object);
  return made;
}

// --- Objects and calls ----------------------------------------------------------------------

void Release(JNIEnv*, jclass, jlong object) { lathe_object_release(At<lathe_object>(object)); }
void Retain(JNIEnv*, jclass, jlong object) { lathe_object_retain(At<lathe_object>(object)); }

// Arguments are the first n items of the arrays; the result becomes item n.
void Call(JNIEnv* env, jclass, jlong function, jintArray kinds, jlongArray numbers,
          jobjectArray bytes, jint n) {
  Guarded(env, 0, [&] {
    Arguments arguments;
    if (!arguments.Read(env, kinds, numbers, bytes, n)) return 0;
    lathe_value result{};
    if (!ThrowUnless(
            env, lathe_function_call(At<lathe_function>(function), arguments.data(), n, &result)))
      return 0;
    WriteValue(env, result, kinds, numbers, bytes, n);
    lathe_value_release(&result);
    return 0;
  });
}

jlong Callback(JNIEnv* env, jclass, jobject callback) {
  return Guarded(env, jlong{0}, [&] { return NewCallback(env, callback); });
}

jlong ListNew(JNIEnv* env, jclass, jintArray kinds, jlongArray numbers, jobjectArray bytes,
              jint n) {
  return Guarded(env, jlong{0}, [&]() -> jlong {
    Arguments arguments;
    if (!arguments.Read(env, kinds, numbers, bytes, n)) return 0;
    std::vector<runtime::Value> items;
    for (int32_t i = 0; i < n; ++i) items.push_back(runtime::Value::CopyOf(arguments.data()[i]));
    return reinterpret_cast<jlong>(
        runtime::ValueTraits<std::vector<runtime::Value>>::Own(std::move(items)).v_object);
  });
}

std::vector<runtime::Value> ItemsOf(jlong list) {
  lathe_value value{};
  value.kind = LATHE_VALUE_OBJECT;
  value.v_object = At<lathe_object>(list);
  return runtime::Value::CopyOf(value).As<std::vector<runtime::Value>>();
}

jint ListSize(JNIEnv* env, jclass, jlong list) {
  return Guarded(env, jint{0}, [&] { return static_cast<jint>(ItemsOf(list).size()); });
}

void ListItems(JNIEnv* env, jclass, jlong list, jintArray kinds, jlongArray numbers,
               jobjectArray bytes) {
  Guarded(env, 0, [&] {
    jint i = 0;
    for (const runtime::Value& item : ItemsOf(list))
      if (!WriteValue(env, item.c(), kinds, numbers, bytes, i++)) return 0;
    return 0;
  });
}

// --- The registry ---------------------------------------------------------------------------

jlong GlobalFind(JNIEnv* env, jclass, jbyteArray name) {
  return Guarded(env, jlong{0}, [&]() -> jlong {
    std::string text;
    lathe_function* found = nullptr;
    if (!FromBytes(env, name, &text) || !ThrowUnless(env, lathe_global_find(text.c_str(), &found)))
      return 0;
    return reinterpret_cast<jlong>(found);
  });
}

void GlobalRegister(JNIEnv* env, jclass, jbyteArray name, jlong function, jboolean replace,
                    jboolean exported) {
  Guarded(env, 0, [&] {
    std::string text;
    if (!FromBytes(env, name, &text)) return 0;
    const auto add = exported != 0 ? lathe_global_register_exported : lathe_global_register;
    ThrowUnless(env, add(text.c_str(), At<lathe_function>(function), replace));
    return 0;
  });
}

jboolean GlobalRemove(JNIEnv* env, jclass, jbyteArray name) {
  return Guarded(env, jboolean{0}, [&]() -> jboolean {
    std::string text;
    if (!FromBytes(env, name, &text)) return 0;
    return static_cast<jboolean>(lathe_global_remove(text.c_str()));
  });
}

// --- Types and devices, packed into a number --------------------------------------------------

jlong TypeParse(JNIEnv* env, jclass, jbyteArray name) {
  return Guarded(env, jlong{0}, [&]() -> jlong {
    std::string text;
    lathe_value value{};
    if (!FromBytes(env, name, &text) ||
        !ThrowUnless(env, lathe_dtype_parse(text.c_str(), &value.v_dtype)))
      return 0;
    return value.v_int;
  });
}

jbyteArray TypeText(JNIEnv* env, jclass, jlong packed) {
  lathe_value value{};
  value.v_int = packed;
  lathe_string* text = nullptr;
  lathe_error* error = lathe_dtype_text(value.v_dtype, &text);
  return TextOf(env, error, text);
}

jlong DeviceParse(JNIEnv* env, jclass, jbyteArray name) {
  return Guarded(env, jlong{0}, [&]() -> jlong {
    std::string text;
    lathe_value value{};
    if (!FromBytes(env, name, &text) ||
        !ThrowUnless(env, lathe_device_parse(text.c_str(), &value.v_device)))
      return 0;
    return value.v_int;
  });
}

jbyteArray DeviceText(JNIEnv* env, jclass, jlong packed) {
  lathe_value value{};
  value.v_int = packed;
  lathe_string* text = nullptr;
  lathe_error* error = lathe_device_text(value.v_device, &text);
  return TextOf(env, error, text);
}

jint DeviceCount(JNIEnv* env, jclass, jint kind) {
  int32_t count = 0;
  ThrowUnless(env, lathe_device_count(kind, &count));
  return count;
}

void DeviceSynchronize(JNIEnv* env, jclass, jlong packed) {
  lathe_value value{};
  value.v_int = packed;
  ThrowUnless(env, lathe_device_synchronize(value.v_device));
}

// --- Tensors --------------------------------------------------------------------------------

jlong TensorEmpty(JNIEnv* env, jclass, jlongArray shape, jlong dtype, jlong device) {
  return Guarded(env, jlong{0}, [&]() -> jlong {
    std::vector<int64_t> extents(static_cast<size_t>(env->GetArrayLength(shape)));
    static_assert(sizeof(jlong) == sizeof(int64_t));
    const auto rank = static_cast<jsize>(extents.size());
    env->GetLongArrayRegion(shape, 0, rank, reinterpret_cast<jlong*>(extents.data()));
    if (env->ExceptionCheck()) return 0;
    lathe_value type{};
    lathe_value place{};
    type.v_int = dtype;
    place.v_int = device;
    lathe_tensor* made = nullptr;
    if (!ThrowUnless(env, lathe_tensor_empty(extents.data(), rank, type.v_dtype, place.v_device,
                                             nullptr, &made)))
      return 0;
    return reinterpret_cast<jlong>(made);
  });
}

jlongArray TensorShape(JNIEnv* env, jclass, jlong tensor) {
  const DLTensor& dl = At<lathe_tensor>(tensor)->dl;
  jlongArray made = env->NewLongArray(dl.ndim);
  if (made != nullptr)
    env->SetLongArrayRegion(made, 0, dl.ndim, reinterpret_cast<const jlong*>(dl.shape));
  return made;
}

jlong TensorType(JNIEnv*, jclass, jlong tensor) {
  lathe_value value{};
  value.v_dtype = At<lathe_tensor>(tensor)->dl.dtype;
  return value.v_int;
}

jlong TensorDevice(JNIEnv*, jclass, jlong tensor) {
  lathe_value value{};
  value.v_device = At<lathe_tensor>(tensor)->dl.device;
  return value.v_int;
}

jlong TensorBytes(JNIEnv*, jclass, jlong tensor) {
  return static_cast<jlong>(lathe_tensor_bytes(At<lathe_tensor>(tensor)));
}

void TensorCopy(JNIEnv* env, jclass, jlong from, jlong to) {
  ThrowUnless(env, lathe_tensor_copy(At<lathe_tensor>(from), At<lathe_tensor>(to)));
}

jlong TensorReshape(JNIEnv* env, jclass, jlong tensor, jlongArray shape) {
  return Guarded(env, jlong{0}, [&]() -> jlong {
    std::vector<int64_t> extents(static_cast<size_t>(env->GetArrayLength(shape)));
    const auto rank = static_cast<jsize>(extents.size());
    env->GetLongArrayRegion(shape, 0, rank, reinterpret_cast<jlong*>(extents.data()));
    if (env->ExceptionCheck()) return 0;
    lathe_tensor* made = nullptr;
    if (!ThrowUnless(env,
                     lathe_tensor_reshape(At<lathe_tensor>(tensor), extents.data(), rank, &made)))
      return 0;
    return reinterpret_cast<jlong>(made);
  });
}

void CopyFrom(JNIEnv* env, jclass, jlong tensor, jobject array, jint kind) {
  Guarded(env, 0, [&] { return TensorCopyFrom(env, tensor, array, kind), 0; });
}
void CopyTo(JNIEnv* env, jclass, jlong tensor, jobject array, jint kind) {
  Guarded(env, 0, [&] { return TensorCopyTo(env, tensor, array, kind), 0; });
}

// --- Modules --------------------------------------------------------------------------------

jlong ModuleLoad(JNIEnv* env, jclass, jbyteArray path) {
  return Guarded(env, jlong{0}, [&]() -> jlong {
    std::string text;
    lathe_object* made = nullptr;
    if (!FromBytes(env, path, &text) ||
        !ThrowUnless(env, lathe_module_load_file(text.c_str(), &made)))
      return 0;
    return reinterpret_cast<jlong>(made);
  });
}

// `name` null: the entry function.
jlong ModuleFunction(JNIEnv* env, jclass, jlong module, jbyteArray name) {
  return Guarded(env, jlong{0}, [&]() -> jlong {
    std::string text;
    lathe_function* found = nullptr;
    if (!FromBytes(env, name, &text) ||
        !ThrowUnless(env, lathe_module_function(At<lathe_object>(module),
                                                name == nullptr ? nullptr : text.c_str(), &found)))
      return 0;
    return reinterpret_cast<jlong>(found);
  });
}

jbyteArray ModuleKind(JNIEnv* env, jclass, jlong module) {
  lathe_string* text = nullptr;
  lathe_error* error = lathe_module_kind(At<lathe_object>(module), &text);
  return TextOf(env, error, text);
}

void ModuleImport(JNIEnv* env, jclass, jlong module, jlong imported) {
  ThrowUnless(env, lathe_module_import(At<lathe_object>(module), At<lathe_object>(imported)));
}

// --------------------------------------------------------------------------------------------

#define NATIVE(name, signature, function) \
  {const_cast<char*>(name), const_cast<char*>(signature), reinterpret_cast<void*>(function)}

const JNINativeMethod kNatives[] = {
    NATIVE("release", "(J)V", Release),
    NATIVE("retain", "(J)V", Retain),
    NATIVE("call", "(J[I[J[[BI)V", Call),
    NATIVE("callback", "(Ljava/lang/Object;)J", Callback),
    NATIVE("listNew", "([I[J[[BI)J", ListNew),
    NATIVE("listSize", "(J)I", ListSize),
    NATIVE("listItems", "(J[I[J[[B)V", ListItems),
    NATIVE("globalFind", "([B)J", GlobalFind),
    NATIVE("globalRegister", "([BJZZ)V", GlobalRegister),
    NATIVE("globalRemove", "([B)Z", GlobalRemove),
    NATIVE("typeParse", "([B)J", TypeParse),
    NATIVE("typeText", "(J)[B", TypeText),
    NATIVE("deviceParse", "([B)J", DeviceParse),
    NATIVE("deviceText", "(J)[B", DeviceText),
    NATIVE("deviceCount", "(I)I", DeviceCount),
    NATIVE("deviceSynchronize", "(J)V", DeviceSynchronize),
    NATIVE("tensorEmpty", "([JJJ)J", TensorEmpty),
    NATIVE("tensorShape", "(J)[J", TensorShape),
    NATIVE("tensorType", "(J)J", TensorType),
    NATIVE("tensorDevice", "(J)J", TensorDevice),
    NATIVE("tensorBytes", "(J)J", TensorBytes),
    NATIVE("tensorCopy", "(JJ)V", TensorCopy),
    NATIVE("tensorReshape", "(J[J)J", TensorReshape),
    NATIVE("copyFrom", "(JLjava/lang/Object;I)V", CopyFrom),
    NATIVE("copyTo", "(JLjava/lang/Object;I)V", CopyTo),
    NATIVE("moduleLoad", "([B)J", ModuleLoad),
    NATIVE("moduleFunction", "(J[B)J", ModuleFunction),
    NATIVE("moduleKind", "(J)[B", ModuleKind),
    NATIVE("moduleImport", "(JJ)V", ModuleImport),
};

// False: an exception is pending.
bool FindJava(JNIEnv* env) {
  jclass native = env->FindClass("dev/lathe/Native");
  if (native == nullptr) return false;
  jclass bytes = env->FindClass("[B");
  if (bytes == nullptr) return false;
  g_java.native = static_cast<jclass>(env->NewGlobalRef(native));
  g_java.byte_array = static_cast<jclass>(env->NewGlobalRef(bytes));
  g_java.failure =
      env->GetStaticMethodID(native, "failure", "(I[B[B[B[B)Ldev/lathe/LatheException;");
  if (g_java.failure == nullptr) return false;
  g_java.called = env->GetStaticMethodID(native, "called", "(Ljava/lang/Object;[I[J[[B[[B)I");
  if (g_java.called == nullptr) return false;
  g_java.out_of_memory =
      env->GetStaticMethodID(native, "outOfMemory", "()Ljava/lang/OutOfMemoryError;");
  if (g_java.out_of_memory == nullptr) return false;
  return env->RegisterNatives(native, kNatives, std::size(kNatives)) == JNI_OK;
}

}  // namespace
}  // namespace lathe::java

extern "C" __attribute__((visibility("default"))) jint JNI_OnLoad(JavaVM* vm, void* /*reserved*/) {
  using namespace lathe;
  void* env = nullptr;
  if (vm->GetEnv(&env, JNI_VERSION_1_8) != JNI_OK) return JNI_ERR;
  java::g_java.vm = vm;
  if (!java::FindJava(static_cast<JNIEnv*>(env))) return JNI_ERR;
  java::Guarded(static_cast<JNIEnv*>(env), 0, [] {
    runtime::Initialize();
    runtime::ThrowIfError(runtime::graph::RegisterGraph());
    runtime::rpc::RegisterRpcFunctions();
    return 0;
  });
  return JNI_VERSION_1_8;
}
