/* Loads the runtime library in fresh processes and prints the time until its first call has
 * returned: at most 5 ms. */
#define _POSIX_C_SOURCE 200809L

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double Now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

/* Returns milliseconds, or a negative number if the library does not load. */
static double Start(const char* path) {
  const double begin = Now();
  void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) {
    fprintf(stderr, "%s\n", dlerror());
    return -1;
  }
  void* (*device_count)(int32_t, int32_t*) =
      (void* (*)(int32_t, int32_t*))dlsym(library, "lathe_device_count");
  int32_t count = 0;
  if (device_count == NULL || device_count(1, &count) != NULL || count != 1) return -1;
  return Now() - begin;
}

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  double best = 1e9;
  for (int i = 0; i < 15; ++i) {
    int ends[2];
    if (pipe(ends) != 0) return 2;
    const pid_t child = fork();
    if (child == 0) {
      const double ms = Start(argv[1]);
      _exit(write(ends[1], &ms, sizeof(ms)) == (ssize_t)sizeof(ms) ? 0 : 1);
    }
    double ms = -1;
    close(ends[1]);
    if (read(ends[0], &ms, sizeof(ms)) != (ssize_t)sizeof(ms)) return 1;
    close(ends[0]);
    waitpid(child, NULL, 0);
    if (ms < 0) return 1;
    if (ms < best) best = ms;
  }
  printf("start: %.2f ms, best of 15 processes (at most 5)\n", best);
  return best <= 5 ? 0 : 1;
}
