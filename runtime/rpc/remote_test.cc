// Sessions in a C++ program that has the header remote.h and liblathe_remote.so, nothing else.
#include "runtime/rpc/remote.h"

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

using namespace lathe::remote;

namespace {

int checks = 0;

void Expect(bool holds, const char* what, int line) {
  ++checks;
  if (holds) return;
  std::fprintf(stderr, "remote_test.cc:%d: %s\n", line, what);
  std::exit(1);
}
#define EXPECT(condition) Expect((condition), #condition, __LINE__)

template <class F>
void Fails(const char* name, const F& call, int line) {
  try {
    call();
  } catch (const Error& error) {
    Expect(error.name() == name, error.what(), line);
    return;
  }
  Expect(false, name, line);
}
#define FAILS(name, ...) Fails(name, [&] { __VA_ARGS__; }, __LINE__)

int Twice(void*, const lathe_value* args, int32_t n, lathe_value* ret) {
  if (n != 1 || args[0].kind != LATHE_VALUE_INT) {
    ret->kind = LATHE_VALUE_OBJECT;
    ret->v_object =
        &lathe_error_new(LATHE_INVALID_ARGUMENT, "twice-wants-int", "give me one int", nullptr)
             ->object;
    return -1;
  }
  ret->kind = LATHE_VALUE_INT;
  ret->v_int = 2 * args[0].v_int;
  return 0;
}

void Arrays() {
  const std::string text = "abc";
  lathe_value parts[2] = {Function::Argument(7), Function::Argument(text)};
  lathe_object* made = nullptr;
  Check(lathe_array_new(parts, 2, &made));
  const lathe_value* items = nullptr;
  int64_t n = 0;
  Check(lathe_array_items(made, &items, &n));
  EXPECT(n == 2 && items[0].v_int == 7);
  EXPECT(items[1].kind == LATHE_VALUE_OBJECT && items[1].v_object->kind == LATHE_OBJECT_STRING);
  lathe_object_release(made);
  Check(lathe_array_new(nullptr, 0, &made));
  Check(lathe_array_items(made, &items, &n));
  EXPECT(n == 0);
  lathe_object_release(made);
  FAILS("c-api-null-argument", Check(lathe_array_new(nullptr, 1, &made)));
  FAILS("c-api-null-argument", Check(lathe_array_items(nullptr, &items, &n)));
  const Function function = Function::Global("rpc.connect");
  FAILS("value-wrong-kind", Check(lathe_array_items(&function.get()->object, &items, &n)));
}

// The error for a missing plugin names the folders that were searched.
void PluginFolders() {
  FAILS("c-api-null-argument", Check(lathe_plugin_folder_add(nullptr)));
  Check(lathe_plugin_folder_add("/nowhere/plugins"));
  try {
    Function::Global("device_api.hexagon");
  } catch (const Error& error) {
    EXPECT(std::string(error.what()).find("/nowhere/plugins") != std::string::npos);
    return;
  }
  EXPECT(false);
}

}  // namespace

int main() {
  // The server of this process offers a function of this process.
  lathe_function* twice = nullptr;
  Check(lathe_function_new(Twice, nullptr, nullptr, &twice));
  Check(lathe_global_register_exported("twice", twice, 0));
  lathe_object_release(&twice->object);
  const int64_t server = Rpc("rpc.serve")("127.0.0.1", 0, "board", "", false).AsInt();
  const int port = static_cast<int>(Rpc("rpc.server.port")(server).AsInt());
  {
    const Session board = Session::Connect("127.0.0.1", port, "board");
    const Function far = board.GetFunction("twice");
    EXPECT(far(21).AsInt() == 42);
    FAILS("twice-wants-int", far("text"));
    FAILS("value-wrong-kind", far(1).AsString());

    const std::string bytes("a\0b", 3);
    board.Upload("a.bin", bytes);
    EXPECT(board.Download("a.bin") == bytes);
    EXPECT(board.Files() == std::vector<std::string>{"a.bin"});
    FAILS("module-file-unknown", board.Load("a.bin"));
    board.Remove("a.bin");
    FAILS("session-file-missing", board.Download("a.bin"));

    const DLDevice cpu = board.device(kDLCPU);
    const std::vector<float> data = {1, 2, 3, 4, 5, 6};
    const Tensor there = Tensor::From<float>(data, {2, 3}, cpu);
    EXPECT(there.To<float>() == data);
    FAILS("tensor-wrong-dtype", there.To<int32_t>());
    EXPECT(Tensor::From<int64_t>({7}, {}, cpu).To<int64_t>()[0] == 7);

    const std::vector<double> seconds = board.Time(far, cpu, 10, 3, 5);
    EXPECT(seconds.size() == 3 && seconds[0] > 0);
  }
  FAILS("rpc-no-device", Session::Connect("127.0.0.1", port, "another"));
  Rpc("rpc.server.stop")(server);
  FAILS("rpc-unreachable", Session::Connect("127.0.0.1", port));
  FAILS("rpc-unreachable", Session::Request("127.0.0.1", port, "board"));
  Arrays();
  PluginFolders();
  std::printf("%d checks\n", checks);
  return 0;
}
