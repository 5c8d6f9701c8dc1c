"""Garbage collection settings for objects that live as long as the process."""

import contextlib
import gc
from collections.abc import Generator


@contextlib.contextmanager
def without_garbage_collection(*, serving: bool = False) -> Generator[None]:
    """Import and build without garbage collection, which saves a tenth of the time.

    All existing objects are then frozen, so that later collections skip them. With `serving`, collects first, because
    garbage of concurrent calls would otherwise stay as long as the process.
    """
    gc.disable()
    try:
        yield
    finally:
        if serving:
            gc.collect()
        gc.freeze()
        gc.enable()
