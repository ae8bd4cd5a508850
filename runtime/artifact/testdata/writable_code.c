// Code that could change itself.
__asm__(
    ".section .both,\"awx\",@progbits\n"
    ".globl Changing\n"
    "Changing: ret\n");
int Answer(void) { return 42; }
