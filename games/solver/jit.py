"""Optional Numba compilation: one source for compiled and plain-Python searches.

The kernels use only what Python lists and NumPy arrays have in common: flat arrays, indexes, slice copies of equal
length, integers below 2**63. Numba compiles them where it is installed; elsewhere :func:`jit` returns its argument, and
the same lines run on lists, slower, with the same results. Import this module from kernels only: it imports Numba,
which takes a second, and ``import games.solver`` must stay fast.
"""

from __future__ import annotations

import hashlib
import os
from array import array
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

if TYPE_CHECKING:
    from collections.abc import MutableSequence

Function = TypeVar("Function", bound=Callable[..., Any])

COMPILED = False
if not os.environ.get("TALON_NO_NUMBA"):
    with suppress(ImportError):
        import numba
        import numpy as np

        COMPILED = True


def _cache_directory() -> str | None:
    """Return a directory for compiled code, named after a hash of all kernels' sources; None if it is not writable.

    Numba notices changes in the file it compiled, but not in the files whose functions that file calls.
    """
    digest = hashlib.sha256()
    for path in sorted(Path(__file__).parent.rglob("*.py")):
        source = path.read_bytes()
        if b"\n@jit" in source:
            digest.update(source)
    base = os.environ.get("NUMBA_CACHE_DIR") or os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    path = Path(base).expanduser() / "talon-solver" / digest.hexdigest()[:16]
    try:
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
    except (OSError, RuntimeError):
        return None
    return str(path) if os.access(path, os.W_OK) else None


if COMPILED:
    _CACHE = _cache_directory()
    if _CACHE is not None:
        numba.config.CACHE_DIR = _CACHE  # type: ignore[attr-defined]


def jit(function: Function) -> Function:
    """Compile a function with Numba, cached on disk and without the GIL; return it unchanged if Numba is missing."""
    if not COMPILED:
        return function
    return cast("Function", numba.njit(cache=_CACHE is not None, nogil=True)(function))


def longs(size: int, fill: int = 0) -> MutableSequence[int]:
    """Return an array of ``size`` 64-bit integers. Zeros cost next to nothing until they are touched."""
    return _array(size, fill, "int64")


def shorts(size: int, fill: int = 0) -> MutableSequence[int]:
    """Return an array of ``size`` 16-bit integers, for packed positions, of which a search keeps many."""
    return _array(size, fill, "int16")


def _array(size: int, fill: int, kind: str) -> MutableSequence[int]:
    if not COMPILED:
        return [fill] * size
    return cast("MutableSequence[int]", np.full(size, fill, dtype=kind) if fill else np.zeros(size, dtype=kind))


def table_of(size: int) -> MutableSequence[int]:
    """Return a table of ``size`` 64-bit zeros whose length never changes: 8 bytes each in plain Python too."""
    return longs(size) if COMPILED else array("q", bytes(8 * size))


def longs_of(values: Sequence[int]) -> MutableSequence[int]:
    """Return the values as 64-bit integers. Never empty: Numba needs a type, and kernels read index 0."""
    return _filled(longs(max(1, len(values))), values)


def shorts_of(values: Sequence[int]) -> MutableSequence[int]:
    """Return the values as 16-bit integers. Never empty, as in ``longs_of``."""
    return _filled(shorts(max(1, len(values))), values)


def _filled(array: MutableSequence[int], values: Sequence[int]) -> MutableSequence[int]:
    for index, value in enumerate(values):
        array[index] = value
    return array
