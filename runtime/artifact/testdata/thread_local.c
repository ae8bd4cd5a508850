// A variable per thread.
static _Thread_local int count;
int Next(void) { return ++count; }
