"""An answer leaves in one piece where it can, and at once where it cannot wait."""

import asyncio
from typing import Any

import pytest
from uvicorn import Config
from uvicorn.server import ServerState

from haulier.adapters.uvicorn_protocol import SingleWriteProtocol

GET = b"GET / HTTP/1.1\r\nHost: here\r\n\r\n"


class Wire(asyncio.Transport):
    """A transport that remembers every write."""

    def __init__(self) -> None:
        super().__init__()
        self.writes: list[bytes] = []
        self.closed = False

    def write(self, data: Any) -> None:
        self.writes.append(bytes(data))

    def is_closing(self) -> bool:
        return self.closed

    def close(self) -> None:
        self.closed = True

    def pause_reading(self) -> None: ...

    def resume_reading(self) -> None: ...


def an_app(
    *bodies: bytes, length: int | None = None, fails: bool = False, header: tuple[bytes, bytes] | None = None
) -> Any:
    async def app(scope: Any, receive: Any, send: Any) -> None:
        await receive()
        headers = [] if length is None else [(b"content-length", b"%d" % length)]
        headers += [header] if header else []
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        if fails:
            raise RuntimeError("no body after all")
        for at, body in enumerate(bodies, 1):
            await send({"type": "http.response.body", "body": body, "more_body": at < len(bodies)})

    return app


async def asked(app: Any, *sent: bytes) -> Wire:
    config = Config(app, log_config=None, access_log=False, lifespan="off")
    wire, state = Wire(), ServerState()
    protocol = SingleWriteProtocol(config, state, {})
    protocol.connection_made(wire)
    for data in sent:
        protocol.data_received(data)
        while state.tasks:
            await asyncio.gather(*state.tasks)
    assert protocol.timeout_keep_alive_task or wire.closed
    return wire


async def test_head_and_body_are_one_write() -> None:
    (only,) = (await asked(an_app(b"four", length=4), GET)).writes
    assert only.startswith(b"HTTP/1.1 200 OK\r\n")
    assert only.endswith(b"\r\n\r\nfour")


async def test_the_next_answer_of_a_connection_is_one_write_again() -> None:
    assert len((await asked(an_app(b"four", length=4), GET, GET)).writes) == 2


async def test_answers_to_requests_that_came_together_stay_apart_and_in_order() -> None:
    wire = await asked(an_app(b"four", length=4), GET + GET)
    assert b"".join(wire.writes).count(b"HTTP/1.1 200 OK") == 2
    assert b"".join(wire.writes).endswith(b"\r\n\r\nfour")


async def test_a_stream_leaves_piece_by_piece() -> None:
    head, first, *rest = (await asked(an_app(b"one", b"two"), GET)).writes
    assert head.endswith(b"\r\n\r\n")
    assert first == b"3\r\none\r\n"
    assert b"".join(rest) == b"3\r\ntwo\r\n0\r\n\r\n"


async def test_an_answer_without_a_body_leaves_its_head() -> None:
    wire = await asked(an_app(b"four", length=4), GET.replace(b"GET", b"HEAD"))
    assert wire.writes[0].endswith(b"content-length: 4\r\n\r\n")


async def test_whoever_waits_for_leave_to_go_on_gets_it_at_once() -> None:
    head = b"POST / HTTP/1.1\r\nHost: here\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n"
    config, wire, state = Config(an_app(b"", length=0), log_config=None, lifespan="off"), Wire(), ServerState()
    protocol = SingleWriteProtocol(config, state, {})
    protocol.connection_made(wire)
    protocol.data_received(head)
    await asyncio.sleep(0)
    assert wire.writes == [b"HTTP/1.1 100 Continue\r\n\r\n"]
    protocol.data_received(b"ok")
    while state.tasks:
        await asyncio.gather(*state.tasks)
    assert wire.writes[1].startswith(b"HTTP/1.1 200 OK")


@pytest.mark.filterwarnings("ignore")
async def test_a_failure_before_the_body_is_told_as_one_because_no_head_has_left() -> None:
    wire = await asked(an_app(length=4, fails=True), GET)
    assert wire.closed
    assert b"".join(wire.writes).startswith(b"HTTP/1.1 500 Internal Server Error")
    assert b"200 OK" not in b"".join(wire.writes)


@pytest.mark.filterwarnings("ignore")
async def test_a_head_without_the_body_that_was_promised_leaves_before_the_connection_is_closed() -> None:
    wire = await asked(an_app(length=4), GET)
    assert wire.closed
    assert wire.writes[0].startswith(b"HTTP/1.1 200 OK")


@pytest.mark.parametrize("value", [b"split\r\nset-cookie: a=b", b"nothing\x00"])
@pytest.mark.filterwarnings("ignore")
async def test_a_header_that_would_begin_another_is_refused(value: bytes) -> None:
    wire = await asked(an_app(b"four", length=4, header=(b"x-said", value)), GET)
    assert wire.writes == []
    assert wire.closed


@pytest.mark.filterwarnings("ignore")
async def test_a_body_of_another_length_than_was_told_is_a_failure() -> None:
    wire = await asked(an_app(b"four", length=5), GET)
    assert wire.closed


async def test_whoever_wants_the_connection_closed_gets_it_closed_after_the_answer() -> None:
    wire = await asked(an_app(b"four", length=4), GET.replace(b"Host", b"Connection: close\r\nHost"))
    assert wire.closed
    assert b"".join(wire.writes).endswith(b"connection: close\r\n\r\nfour")
