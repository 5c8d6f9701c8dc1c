"""The garbage collector, kept off what lives as long as the process: modules, declarations, schemas."""

import contextlib
import gc
from collections.abc import Generator


@contextlib.contextmanager
def without_garbage_collection(*, serving: bool = False) -> Generator[None]:
    """Import and build without garbage collection: nearly all objects stay, and collection takes a tenth of the time.

    What there is afterwards is never looked at again: each look at all of it would hold calls up. `serving` says that calls
    are answered meanwhile: what they leave goes first, or it would stay as long as the process.
    """
    gc.disable()
    try:
        yield
    finally:
        if serving:
            gc.collect()
        gc.freeze()
        gc.enable()
