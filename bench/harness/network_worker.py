"""One peer of bench/networks in a process of its own: it loads models and runs them when it is told
to.

Reads requests as JSON lines and answers each with one. A peer that has nothing to do waits for the
next line, so it disturbs nobody once its threads have stopped spinning.
"""

import argparse
import json
import os
import sys
import time

import numpy as np

clock = time.perf_counter


def memory_mb(what):
    """VmRSS, what the process has now, or VmHWM, the most that it had."""
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) for line in file if line.startswith(what)) / 1024


def forget_peak():
    with open("/proc/self/clear_refs", "w") as file:
        file.write("5")


class Lathe:
    """Default schedules, without the records that come with Lathe unless they are asked for."""

    def __init__(self, options):
        import lathe
        from lathe import relay
        from lathe.contrib import graph_executor

        self.lathe, self.relay, self.graph_executor = lathe, relay, graph_executor
        self.version, self.config = lathe.__version__, {"tune.shipped_records": options.records}
        self.bfloat16 = options.bfloat16
        self.level, self.disable = options.opt_level, [name for name in options.disable.split(",") if name]
        known = [name for name, _, _ in relay.transform.passes()]
        for name in self.disable:
            if name not in known:
                raise ValueError(f"--disable: there is no pass `{name}`; there are {', '.join(dict.fromkeys(known))}")

    def compiled(self, path, instruments=()):
        """(the imported module, the library)"""
        module, params = self.relay.frontend.from_onnx(path)
        if self.bfloat16:
            module = self.relay.transform.ToMixedPrecision("bfloat16")(module)
        with self.lathe.transform.PassContext(
            opt_level=self.level, config=self.config, disabled_pass=self.disable, instruments=list(instruments)
        ):
            return module, self.relay.build(module, target="llvm", params=params)

    def load(self, path, inputs):
        return self.start(self.compiled(path)[1], inputs)

    def start(self, library, inputs):
        self.library = library
        self.executor = self.graph_executor.GraphModule(library["default"](self.lathe.cpu()))
        for name, array in inputs.items():
            self.executor.set_input(name, array)
        return self.executor.run

    def outputs(self):
        arrays = [self.executor.get_output(k).numpy() for k in range(self.executor.get_num_outputs())]
        return [a.astype("float32") for a in arrays] if self.bfloat16 else arrays  # NumPy's own types can be written

    def export(self, path):
        self.library.export_library(path)
        return {"artefact_mb": os.path.getsize(path) / 2**20}

    def open(self, path, inputs):
        """An artefact that `export` wrote."""
        return self.start(self.lathe.runtime.load_module(path), inputs)

    def steps(self, path, inputs, seconds):
        """The rows of the per-layer table (network_steps.py)."""
        import network_steps

        watch = network_steps.Watch()
        module, library = self.compiled(path, [watch])
        measured = network_steps.measure(library, inputs, watch.fused, seconds)
        model_flop = 2 * self.relay.analysis.get_total_mac_number(module["main"].body)
        return {"model_flop": model_flop, "version": self.version, **measured}


class OnnxRuntime:
    def __init__(self, options):
        import onnxruntime

        if options.bfloat16:
            raise ValueError("it has no products of bfloat16 on processors")
        self.ort, self.threads, self.version = onnxruntime, options.threads, onnxruntime.__version__

    def load(self, path, inputs):
        options = self.ort.SessionOptions()
        options.intra_op_num_threads, options.inter_op_num_threads, options.log_severity_level = self.threads, 1, 3
        session = self.ort.InferenceSession(path, options, providers=["CPUExecutionProvider"])
        binding = session.io_binding()
        self.kept = {name: self.ort.OrtValue.ortvalue_from_numpy(array) for name, array in inputs.items()}
        for name, value in self.kept.items():
            binding.bind_ortvalue_input(name, value)
        for one in session.get_outputs():
            binding.bind_output(one.name, "cpu")
        self.binding = binding
        return lambda: session.run_with_iobinding(binding)

    def outputs(self):
        return self.binding.copy_outputs_to_cpu()


class OpenVino:
    """In float32 unless bfloat16 is asked for, also where the machine has it."""

    def __init__(self, options):
        import openvino

        self.precision = "bf16" if options.bfloat16 else "f32"
        self.ov, self.threads, self.version = openvino, options.threads, openvino.__version__.split("-")[0]

    def load(self, path, inputs):
        settings = {"INFERENCE_NUM_THREADS": self.threads, "NUM_STREAMS": 1, "PERFORMANCE_HINT": "LATENCY"}
        settings["INFERENCE_PRECISION_HINT"] = self.precision
        compiled = self.ov.Core().compile_model(path, "CPU", settings)
        self.request = compiled.create_infer_request()
        for name, array in inputs.items():
            self.request.set_tensor(name, self.ov.Tensor(array))
        self.count = len(compiled.outputs)
        return self.request.infer

    def outputs(self):
        return [np.array(self.request.get_output_tensor(k).data) for k in range(self.count)]


class PyTorch:
    """Eager, with pictures in channels_last, which is the faster layout on CPUs."""

    def __init__(self, options):
        import torch
        import torch_model

        torch.set_num_threads(options.threads)
        self.bfloat16 = options.bfloat16
        self.torch, self.torch_model, self.version = torch, torch_model, torch.__version__

    def compiled(self, run):
        return run

    def load(self, path, inputs):
        run, names = self.torch_model.load(path)
        given = [self.torch.from_numpy(inputs[name]) for name in names]
        given = [g.to(memory_format=self.torch.channels_last) if g.dim() == 4 and "keys" not in n and "values" not in n else g for n, g in zip(names, given)]
        run, kept = self.compiled(run), {}

        def call():
            with self.torch.inference_mode(), self.torch.autocast("cpu", self.torch.bfloat16, enabled=self.bfloat16):
                kept["out"] = run(*given)

        self.kept = kept
        return call

    def outputs(self):
        return [one.float().contiguous().numpy() for one in self.kept["out"]]


class PyTorchCompiled(PyTorch):
    """torch.compile's own backend, which needs a C++ compiler on this machine."""

    def compiled(self, run):
        return self.torch.compile(run)


PEERS = {"lathe": Lathe, "onnxruntime": OnnxRuntime, "openvino": OpenVino, "pytorch": PyTorch, "compile": PyTorchCompiled}


def loaded(peer, load, path, inputs, state):
    """Loads a model with the function `load` and runs it once: how long that takes, and how much
    memory."""
    forget_peak()
    before, start = memory_mb("VmRSS"), clock()
    state["run"] = load(path, inputs)
    made = clock()
    state["run"]()
    first = clock()
    return {
        "load_ms": (made - start) * 1e3,
        "first_ms": (first - made) * 1e3,
        "peak_mb": memory_mb("VmHWM") - before,
        "version": peer.version,
    }


def inputs_of(path):
    return dict(np.load(path.replace(".onnx", ".npz")))


def answer(peer, request, state):
    if "load" in request:
        said = loaded(peer, peer.load, request["load"], inputs_of(request["load"]), state)
        np.savez(request["results"], *peer.outputs())
        return said
    if "export" in request:
        return peer.export(request["export"])
    if "open" in request:
        return loaded(peer, peer.open, request["open"], inputs_of(request["model"]), state)
    if "steps" in request:
        return peer.steps(request["steps"], inputs_of(request["steps"]), request["seconds"])
    run, times = state["run"], []
    for _ in range(request["warm"]):
        run()
    for _ in range(request["runs"]):
        start = clock()
        run()
        times.append((clock() - start) * 1e3)
    return {"times": times}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--peer", choices=PEERS, required=True)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--records", action="store_true", help="use the records of searches that come with Lathe")
    parser.add_argument("--opt-level", type=int, default=3, help="Lathe's level of optimization")
    parser.add_argument("--bfloat16", action="store_true", help="products of bfloat16 with sums in float32")
    parser.add_argument("--disable", default="", help="passes over graphs that Lathe leaves out: NAME,NAME")
    parser.add_argument("--thread-time", action="store_true")
    options = parser.parse_args()
    if options.thread_time:
        global clock
        clock = time.thread_time
    # What libraries print must not be taken for an answer.
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    peer, state = None, {}
    for line in sys.stdin:
        try:
            peer = peer or PEERS[options.peer](options)
            said = answer(peer, json.loads(line), state)
        except Exception as error:  # noqa: BLE001: said, and the harness goes on
            said = {"failed": f"{type(error).__name__}: {error}".strip().splitlines()[0][:300]}
        print(json.dumps(said), file=answers, flush=True)


if __name__ == "__main__":
    main()
