// Kernels as a compiler makes them, each with something that a loader must get right. Compiled for every machine;
// nothing but what callee.c and the C library have is wanted.
#include <stdint.h>

float expf(float);
float sinf(float);
void* memcpy(void*, const void*, unsigned long);

// Elsewhere: an object's data and functions.
extern int32_t callee_table[4];
extern int32_t CalleeScale(int32_t value);
extern int32_t CalleeCount(void);
// Weak, and defined nowhere.
extern int32_t AbsentFunction(void) __attribute__((weak));
// Given by the test.
extern int32_t TestCallback(int32_t value);

int32_t global_counter = 5;                  // data
static int32_t local_data[3] = {7, 8, 9};    // data, local
int32_t zeros[1000];                         // bss
static int64_t local_zeros[100];             // bss, local
const float constants[4] = {0.5f, 1.25f, -2.0f, 4.0f};
const char* const names[3] = {"zero", "one", "two"};  // pointers in constant data
int32_t* const pointer_to_other = &callee_table[2];   // a pointer to another object's data
int32_t shared_name __attribute__((weak)) = 11;       // callee.c has a strong one

__attribute__((noinline)) static int32_t LocalFunction(int32_t value) { return value * 3 + 1; }

int32_t Add(int32_t a, int32_t b) { return a + b; }

float SumOfExp(const float* values, int32_t n) {
  float sum = 0.0f;
  for (int32_t i = 0; i < n; ++i) sum += expf(values[i]) * 1.5f + constants[i & 3];
  return sum;
}

double Polynomial(double x) { return ((x * 3.25 + 1.125) * x - 7.0625) * x + sinf(0.0f); }

// A dense switch, for a jump table or a table of values.
int32_t Switch(int32_t which, int32_t value) {
  switch (which) {
    case 0: return value + 1;
    case 1: return CalleeScale(value);
    case 2: return value * value;
    case 3: return LocalFunction(value);
    case 4: return value - global_counter;
    case 5: return -value;
    case 6: return CalleeCount();
    case 7: return value / 3;
    default: return -1;
  }
}

int32_t Count(void) {
  zeros[7] += 1;
  local_zeros[3] += 2;
  local_data[1] += 1;
  return ++global_counter + zeros[7] + (int32_t)local_zeros[3] + local_data[1];
}

const char* Name(int32_t i) { return names[i]; }

int32_t Other(void) { return *pointer_to_other + callee_table[0]; }

int32_t SharedName(void) { return shared_name; }

int32_t HasAbsent(void) { return AbsentFunction ? AbsentFunction() : -7; }

int32_t Callback(int32_t value) { return TestCallback(value) + 1; }

static int32_t (*const functions[2])(int32_t) = {LocalFunction, CalleeScale};
int32_t Indirect(int32_t which, int32_t value) { return functions[which & 1](value); }

void Copy(void* to, const void* from, int32_t n) { memcpy(to, from, (unsigned long)n); }
