#!/usr/bin/env bash
# Runs one of the examples: ./example.sh [NAME [ARGUMENTS...]], by default examples/helmholtz.py.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
name=$(basename "${1:-helmholtz}" .py)
if [ ! -f "examples/$name.py" ]; then
    echo "no example '$name'; there are: $(cd examples && ls -- *.py 2>/dev/null | sed 's/\.py$//' | tr '\n' ' ')" >&2
    exit 2
fi
shift $(($# > 0 ? 1 : 0))
source scripts/environment.sh
prepare_environment
exec "$VENV_PYTHON" "examples/$name.py" "$@"
