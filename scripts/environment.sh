# Sourced by test.sh and example.sh from the root of the repository: makes the virtual environment .venv-test with the
# package and its test dependencies, once, and again when pyproject.toml or the version of $PYTHON changes.
# Sets $VENV_PYTHON.

find_python() {
    local candidate
    for candidate in ${PYTHON:-python3.11 python3}; do
        if "$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
            echo "$candidate"
            return
        fi
    done
    echo "no Python 3.11 or later found (tried: ${PYTHON:-python3.11 python3}); set PYTHON to one" >&2
    return 1
}

version_of() {
    "$1" -c 'import sys; print(sys.version)' 2>/dev/null
}

prepare_environment() {
    local python stamp
    python=$(find_python)
    VENV_PYTHON="$PWD/.venv-test/bin/python"
    stamp="$PWD/.venv-test/installed"
    if [ "$(version_of "$VENV_PYTHON")" != "$(version_of "$python")" ]; then
        "$python" -m venv --clear .venv-test
    fi
    # The stamp holds the folder too: an environment copied to another checkout would import from the old one.
    if [ ! "$stamp" -nt pyproject.toml ] || [ "$(cat "$stamp")" != "$PWD" ]; then
        "$VENV_PYTHON" -m pip install --quiet --disable-pip-version-check -e '.[test]'
        pwd > "$stamp"
    fi
}
