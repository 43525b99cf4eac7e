#!/usr/bin/env bash
# Resolves pyproject.toml for every platform into hashed requirement files, without the address of any package index.
set -euo pipefail
cd "$(dirname "$0")"
compile() {
  uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-strip-extras \
    --no-header --no-emit-index-url --no-emit-find-links --no-annotate "$@"
}
compile ../pyproject.toml -o base.txt
compile ../pyproject.toml --extra solver -c base.txt -o solver.txt
compile ../pyproject.toml --extra solver --extra dev -c solver.txt -o dev.txt
compile - -o uv.txt <<< uv
