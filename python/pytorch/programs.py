"""Programs by chance, of names, lists and dicts that have the same tensors, with writes, branches
and loops.
"""

import importlib.util
import random


class Program:
    """The source of a function of `x`, of 2 times 2, and `times`, a number of rounds.

    Args:
        seed: chooses the program.
    """

    def __init__(self, seed):
        self.random, self.count, self.lines = random.Random(seed), 0, []
        self.conditions = ("x.sum() > 0", "x[0, 0] > 0", "x[1, 1] > x[0, 1]")
        names = {"t": [("y", 2), ("x", 2)], "l": [], "d": []}
        self.lines += ["import torch", "", "", "def run(x, times):", "    y = x.clone()"]
        self._statements(names, 1, self.random.randint(5, 9), 2)
        found = [name for name, _ in names["t"]]
        found += [f"{one}[{i}]" for one in names["l"] for i in (0, 1)]
        found += [f"{one}['a']" for one in names["d"]]
        self.lines.append(f"    return ({', '.join(found)})")

    def function(self, folder):
        """The function; its file, which torch.jit.script reads, is in the folder."""
        path = folder / "program.py"
        path.write_text("\n".join(self.lines) + "\n")
        spec = importlib.util.spec_from_file_location(path.stem, path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module.run

    def _name(self, kind, names, item):
        self.count += 1
        names[kind].append((f"{kind}{self.count}", item) if kind == "t" else f"{kind}{self.count}")
        return f"{kind}{self.count}"

    def _tensor(self, names):
        """A tensor, and its rank."""
        chance, choice = self.random.random(), self.random.choice
        if chance < .15 and names["l"]:
            return f"{choice(names['l'])}[{choice((0, 1))}]", 2
        if chance < .2 and names["d"]:
            return f"{choice(names['d'])}['a']", 2
        return choice(names["t"])

    def _made(self, names, rank):
        """A tensor, a view of one, or what is computed of one."""
        one, found = self._tensor(names)
        if found == rank:
            return one + self.random.choice(
                ("", " * 2", ".clone()", ".detach()", " + 1", ".to(torch.float32)") +
                ((".t()", ".transpose(0, 1)", ".view(2, 2)", ".contiguous()") if rank == 2 else
                 (".view(2)", ".flip(0)")))
        if rank == 1:
            return one + self.random.choice(
                ("[0]", "[1]", "[:, 0]", ".select(1, 1)", ".sum(0)", ".reshape(-1)[1:3]",
                 ".unbind(0)[1]", ".chunk(2, 0)[0][0]", ".flatten()[::2]"))
        return f"torch.stack([{one}, {one}])"

    def _statements(self, names, indent, count, depth):
        for _ in range(count):
            chance = self.random.random()
            if chance < .78:
                self.lines += ["    " * indent + one for one in self._simple(names, chance)]
            elif depth:
                self._nested(names, indent, depth, chance)

    def _simple(self, names, chance):
        choice = self.random.choice
        if chance < .25:
            rank = choice((1, 2, 2))
            made = self._made(names, rank)
            return [f"{self._name('t', names, rank)} = {made}"]
        if chance < .4:
            name, rank = choice(names["t"])
            return [f"{name} = {self._made(names, rank)}"] if name != "x" else []
        if chance < .62:
            name, rank = self._tensor(names)
            write = choice((".add_(1)", ".mul_(2)", "[0] = 3.0",
                            f".copy_({self._made(names, rank)})", ".sub_(x)" if rank == 2 else ".sub_(x[1])"))
            return [name + write] if name != "x" else []
        two = f"{self._made(names, 2)}, {self._made(names, 2)}"
        if chance < .68:
            return [f"{self._name('l', names, None)} = [{two}]"]
        if chance < .71:
            made = self._made(names, 2)
            return [f"{self._name('d', names, None)} = {{'a': {made}}}"]
        if chance < .76 and names["l"]:
            return [f"{choice(names['l'])}[{choice((0, 1))}] = {self._made(names, 2)}"]
        return [f"{choice(names['l'])} = {choice(names['l'])}"] if names["l"] else []

    def _nested(self, names, indent, depth, chance):
        if chance < .93:
            self.lines.append("    " * indent + f"if bool({self.random.choice(self.conditions)}):")
            self._block(names, indent, depth)
            self.lines.append("    " * indent + "else:")
        else:
            rounds = self.random.choice(("int(times)", "2"))
            self.count += 1
            self.lines.append("    " * indent + f"for i{self.count} in range({rounds}):")
        self._block(names, indent, depth)

    def _block(self, names, indent, depth):
        self.lines.append("    " * (indent + 1) + "pass")
        self._statements({key: list(one) for key, one in names.items()}, indent + 1,
                         self.random.randint(1, 3), depth - 1)
