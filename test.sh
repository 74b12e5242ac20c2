#!/usr/bin/env bash
# Runs all tests in a virtual environment of its own. Arguments go to pytest: ./test.sh tests/frontend -k lambda
# PYTHON=python3.12 ./test.sh tests with another interpreter.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
source scripts/environment.sh
prepare_environment
exec "$VENV_PYTHON" -m pytest -n 2 "$@"
