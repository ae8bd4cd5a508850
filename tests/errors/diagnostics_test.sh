#!/bin/sh
# Every diagnostic that the sources name must be listed in docs/errors.md and occur in a test.
set -eu
exec python3 -I -B tools/list_diagnostics.py --root "$(cd "$(dirname "$(readlink -f docs/errors.md)")/.." && pwd)" --check
