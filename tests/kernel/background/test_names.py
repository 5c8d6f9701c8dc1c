"""Handlers keep their names when a layer becomes a file or a folder."""

from typing import Any

import pytest

from haulier.kernel.background.events import DomainEvent, subscriber
from haulier.kernel.background.names import handler_name
from haulier.kernel.background.registry import BackgroundRegistry


class Created(DomainEvent, frozen=True, kw_only=True):
    """An event."""


def handler_in(module: str) -> Any:
    async def on_created(call: Any, event: Created) -> None: ...

    on_created.__module__ = module
    return on_created


def test_a_handler_name_omits_the_file_within_the_layer() -> None:
    name = "haulier.contexts.orders.batches.jobs.on_created"
    assert handler_name(handler_in("haulier.contexts.orders.batches.jobs")) == name
    assert handler_name(handler_in("haulier.contexts.orders.batches.jobs.rows")) == name


def test_two_subscribers_of_one_layer_with_one_name_are_refused() -> None:
    found = [subscriber(Created)(handler_in(f"haulier.contexts.orders.batches.jobs.{file}")) for file in ("a", "b")]
    with pytest.raises(ValueError, match=r"batches\.jobs\.on_created"):
        BackgroundRegistry((), found)
