// A function that wants to run when the object is loaded.
volatile int ready;
__attribute__((constructor)) static void Prepare(void) { ready = 1; }
int Ready(void) { return ready; }
