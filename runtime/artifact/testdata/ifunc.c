// A function whose body is chosen when the object is loaded.
static int Body(void) { return 1; }
static int (*Choose(void))(void) { return Body; }
int Chosen(void) __attribute__((ifunc("Choose")));
int Call(void) { return Chosen(); }
