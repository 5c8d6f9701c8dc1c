"""Names under which rows refer to handlers."""

from collections.abc import Callable
from typing import Any

LAYER_DEPTH = 5
"""Parts of a dotted name down to a family's layer, such as `haulier.contexts.orders.batches.jobs`."""


def handler_name(handler: Callable[..., Any]) -> str:
    """Return the name of a handler: its layer and its function.

    The file inside the layer is omitted, because an upgrade may turn a layer into a file or folder while rows still
    refer to it.
    """
    return ".".join([*handler.__module__.split(".")[:LAYER_DEPTH], handler.__name__])
