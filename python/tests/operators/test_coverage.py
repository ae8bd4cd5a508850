"""Every operator is compared with a reference."""

import glob
import importlib
import os

from lathe import relay

# Operators without a reference, and why.
EXCEPTIONS = {
    "annotation.compiler_begin": "computes nothing: a mark (test_partition.py)",
    "annotation.compiler_end": "computes nothing: a mark (test_partition.py)",
    "call_packed": "what a function of the registry computes (test_partition.py)",
    "on_device": "computes nothing: a note for builds for several devices (device_graphs.py)",
    "device_copy": "needs two devices (device_graphs.py)",
}


def tables():
    """The tables of all files of this folder, by file."""
    here = os.path.dirname(os.path.abspath(__file__))
    names = sorted(os.path.basename(path)[:-3] for path in glob.glob(os.path.join(here, "test_*.py")))
    modules = {name: importlib.import_module(name) for name in names if name != "test_coverage"}
    return {name: module.table for name, module in modules.items()}


def test_every_operator_has_a_reference():
    compared = {case.op for table in tables().values() for case in table.cases}
    # Other tests and examples of the same process register operators of these two families.
    known = {name for name in relay.op.list_op_names() if not name.startswith(("test.", "example."))}
    missing = known - compared - EXCEPTIONS.keys()
    assert not missing, f"add cases to a file of this folder: {sorted(missing)}"
    assert compared <= known
    assert not EXCEPTIONS.keys() & compared, "these have cases: remove them from EXCEPTIONS"
