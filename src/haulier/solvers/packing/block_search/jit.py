"""Compilation with numba, cached on disk because it takes half a minute."""

import hashlib
import os
import platform
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, ParamSpec, TypeVar, cast

import numba
import numpy as np
from numpy.typing import NDArray

Integers = NDArray[np.int64]
ShortIntegers = NDArray[np.int32]
Floats = NDArray[np.float64]
P = ParamSpec("P")
R = TypeVar("R")


def _kept_code() -> Path:
    """Return a cache folder for the state of the code, interpreter and machine.

    The library itself checks only the file of each function and would reuse outdated inlined functions from other
    files.
    """
    from llvmlite import binding

    here = Path(__file__).parent
    sources = [each.read_bytes() for each in sorted(here.glob("*.py"))]
    named = hashlib.sha256(b"".join(source for source in sources if b"@compiled\n" in source))
    for word in (numba.__version__, platform.python_version(), cast(Any, binding).get_host_cpu_name()):
        named.update(str(word).encode())
    beside = here / "__pycache__"
    is_ours = os.access(beside if beside.exists() else here, os.W_OK)
    base = beside if is_ours else Path(os.environ.get("XDG_CACHE_HOME") or tempfile.gettempdir()) / "haulier"
    return base / f"machine-code-{named.hexdigest()[:16]}"


KEPT_CODE = _kept_code()
READY_MARK = KEPT_CODE / "ready"
"""Exists once all functions are compiled."""


def compiled(function: Callable[P, R]) -> Callable[P, R]:
    """Compile on first call and cache on disk.

    Without `fastmath`, so that equal input gives equal results.
    """
    config = cast(Any, numba).config
    before = config.CACHE_DIR
    config.CACHE_DIR = str(KEPT_CODE)
    try:
        return cast("Callable[P, R]", cast(Any, numba).njit(cache=True, nogil=True)(function))
    finally:
        config.CACHE_DIR = before
