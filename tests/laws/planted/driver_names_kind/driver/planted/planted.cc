// "llvm" in a comment is no name.
const char* HostKind() { return "llvm"; }
