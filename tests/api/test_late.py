"""Interfaces built on their first request while other calls are served."""

import gc
import weakref
from collections.abc import Iterator

import pytest
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp

from haulier.api.late import LateApp


class Leftover:
    """A cyclic reference that only the garbage collector can free."""

    def __init__(self) -> None:
        self.itself = self


@pytest.fixture(autouse=True)
def _thawed() -> Iterator[None]:
    yield
    gc.unfreeze()


async def first_request(make_door: LateApp) -> None:
    async def receive() -> dict[str, str]:
        return {"type": "http.request"}

    async def send(_: object) -> None: ...

    await make_door({"type": "http", "method": "GET", "path": "/", "headers": []}, receive, send)


async def test_calls_during_the_construction_of_an_interface_are_garbage_collected() -> None:
    left: list[weakref.ref[Leftover]] = []

    def make() -> ASGIApp:
        left.append(weakref.ref(Leftover()))
        return PlainTextResponse("made")

    await first_request(LateApp(make))
    assert left[0]() is None


async def test_the_interface_itself_is_skipped_by_later_collections() -> None:
    before = gc.get_freeze_count()
    await first_request(LateApp(lambda: PlainTextResponse("made")))
    assert gc.get_freeze_count() > before
