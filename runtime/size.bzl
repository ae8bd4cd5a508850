"""Options for code that runs seldom, so that the runtime library stays small."""

# By measurement: two thirds of the bytes of -O2 for code that mostly reads formats and writes messages. Hot code (values,
# functions, tensors, tables, threads) does not take it.
COLD = select({
    "//runtime:dbg": [],
    "//conditions:default": [
        "-Oz",
        # Of the limits tried (5, which is -Oz's own; 12, 25, 40) 25 gave the smallest library, 3 % under -Oz's: many
        # functions are smaller than a call of them and their unwind entry.
        "-mllvm",
        "-inline-threshold=25",
        # Tables that unwind from calls, which is where exceptions come from; not from any instruction.
        "-fno-asynchronous-unwind-tables",
        # Abseil's headers include <iostream>, which puts a static constructor (100 bytes with its tables) into every file.
        # This is the guard of libstdc++'s <iostream>; what they need of it is in <ostream>.
        "-D_GLIBCXX_IOSTREAM",
        "-include",
        "ostream",
    ],
})
