"""Pre-commit hooks receive the events that they name, and no others."""

from collections.abc import Sequence
from typing import Any

from haulier.kernel.background.events import DomainEvent, PreCommitHook, before_commit
from haulier.kernel.background.registry import BackgroundRegistry


class KettleBoiled(DomainEvent):
    """Water is hot."""


class CupFilled(DomainEvent):
    """Tea is in a cup."""


@before_commit(KettleBoiled)
async def brew(call: Any, events: Sequence[DomainEvent]) -> None:
    """Make tea."""


@before_commit(CupFilled, KettleBoiled)
async def count(call: Any, events: Sequence[DomainEvent]) -> None:
    """Count what happens in the kitchen."""


@before_commit(DomainEvent)
async def tell(call: Any, events: Sequence[DomainEvent]) -> None:
    """Receive every event."""


def hooks_of(event: type[DomainEvent]) -> list[PreCommitHook]:
    return [*BackgroundRegistry((), (), pre_commit_hooks=(brew, count, tell)).hooks_of(event)]


def test_an_event_is_passed_to_its_subscribers_and_catch_all_hooks_in_order() -> None:
    assert hooks_of(KettleBoiled) == [brew, count, tell]
    assert hooks_of(CupFilled) == [count, tell]
    assert hooks_of(type("SpoonDropped", (DomainEvent,), {})) == [tell]
