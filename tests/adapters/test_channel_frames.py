"""Messages published at an MQTT broker reach one process, in order, after outages."""

import asyncio
import itertools
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import ExitStack, asynccontextmanager, suppress
from pathlib import Path

import aiomqtt
import pytest
from tests.adapters.mqtt_broker import BROKERS, PATIENCE_S, Broker, cancelled

from haulier.adapters import nats_channel
from haulier.contexts.messaging.ports import ChannelFrame, ChannelGrant, ChannelSignIn, NoChannel

TOPIC, PATTERN = "haulier/device/7/9/event", "haulier/device/+/+/event"


async def _anybody(sign_in: ChannelSignIn) -> ChannelGrant | None:
    return ChannelGrant(publish=(TOPIC,), lifetime_s=600)


@pytest.fixture(params=BROKERS)
async def broker(tmp_path: Path, request: pytest.FixtureRequest) -> AsyncIterator[Broker]:
    broker: Broker = request.param(tmp_path / "broker")
    await broker.start()
    await broker.channel.admit("a", "b", ChannelGrant(publish=(TOPIC,), lifetime_s=600))
    try:
        async with cancelled(broker.channel.answer_sign_ins(_anybody)):
            yield broker
    finally:
        await broker.channel.close()
        broker.kill()


@asynccontextmanager
async def taking(broker: Broker, take: Callable[[ChannelFrame], Awaitable[None]]) -> AsyncIterator[None]:
    channel = broker.new_channel()
    try:
        async with cancelled(channel.receive_frames([PATTERN], take)):
            yield
    finally:
        await channel.close()


async def published(broker: Broker, *payloads: str, until: Callable[[], bool]) -> None:
    """Publish repeatedly, as a device does, until the arrival is confirmed.

    Each round is numbered (`2: hello`), to distinguish late messages from repeated ones.
    """
    async with asyncio.timeout(PATIENCE_S):
        for number in itertools.count():
            if until():
                return
            with suppress(aiomqtt.MqttError):
                async with aiomqtt.Client(
                    "127.0.0.1", broker.mqtt_port, identifier="a", username="a", password="b", timeout=5
                ) as program:
                    for payload in payloads:
                        await program.publish(TOPIC, f"{number}: {payload}", qos=1)
                    for _ in range(20):
                        if until():
                            return
                        await asyncio.sleep(0.05)


class Heard:
    """Received messages with their process, in order."""

    def __init__(self) -> None:
        self._frames: list[tuple[str, str]] = []

    def by(self, name: str) -> Callable[[ChannelFrame], Awaitable[None]]:
        """Return the handler of a process."""

        async def take(frame: ChannelFrame) -> None:
            assert frame.topic == TOPIC
            said = frame.payload.decode()
            self._frames.append((name, said))
            if said.endswith("wrong"):
                raise ValueError("nobody understands this")

        return take

    def rounds(self, *words: str) -> list[list[tuple[str, str]]]:
        """Return the receivers of each round of a message."""
        found: dict[str, list[tuple[str, str]]] = {}
        for name, said in self._frames:
            number, _, word = said.partition(": ")
            if word in words:
                found.setdefault(number, []).append((name, word))
        return list(found.values())


async def test_frames_are_ordered_within_one_process_and_redelivered_after_a_broker_kill(broker: Broker) -> None:
    heard, words = Heard(), ("1", "wrong", "2", "3")
    async with taking(broker, heard.by("left")), taking(broker, heard.by("right")):
        await published(broker, "hello", until=lambda: bool(heard.rounds("hello")))
        await published(broker, *words, until=lambda: any(len(each) >= len(words) for each in heard.rounds(*words)))
        whole = next(each for each in heard.rounds(*words) if len(each) >= len(words))
        assert sorted(word for _, word in whole) == sorted(words), "each frame went to one of the two processes"
        for name in ("left", "right"):
            mine = [word for who, word in whole if who == name]
            assert mine == [word for word in words if word in mine]
        broker.kill()
        await broker.start()
        await published(broker, "4", until=lambda: bool(heard.rounds("4")))


async def test_delivered_frames_are_processed_before_shutdown(broker: Broker) -> None:
    begun, go_on, ended = asyncio.Event(), asyncio.Event(), list[bytes]()

    async def slowly(frame: ChannelFrame) -> None:
        begun.set()
        await go_on.wait()
        ended.append(frame.payload)

    channel = broker.new_channel()
    task = asyncio.create_task(channel.receive_frames([PATTERN], slowly))
    await published(broker, "last", until=begun.is_set)
    task.cancel()
    await asyncio.sleep(0)
    assert not task.done()
    go_on.set()
    with suppress(asyncio.CancelledError):
        await task
    assert ended[0].endswith(b": last")
    await channel.close()


@pytest.mark.parametrize("heard_before", [False, True], ids=["begins", "ends"])
async def test_a_process_that_timed_out_on_a_slow_broker_still_receives(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, heard_before: bool
) -> None:
    heard = list[str]()

    async def take(frame: ChannelFrame) -> None:
        heard.append(frame.topic)

    broker = Broker(tmp_path / "broker")
    other = TOPIC + "s"
    await broker.start()
    try:
        async with (
            cancelled(broker.channel.answer_sign_ins(_anybody)),
            cancelled(broker.channel.receive_frames([PATTERN], take)),
        ):
            await published(broker, "before", until=lambda: bool(heard))
            with ExitStack() as held_up:
                if not heard_before:
                    held_up.enter_context(broker.held_up())
                impatient = asyncio.create_task(broker.channel.receive_frames([other], take))
                async with asyncio.timeout(PATIENCE_S):
                    while heard_before and other not in heard:
                        await broker.channel.publish(other, b"")
                        await asyncio.sleep(0.02)
                if heard_before:
                    held_up.enter_context(broker.held_up())
                with monkeypatch.context() as hurried:  # no longer: a resumed broker may be slow
                    hurried.setattr(nats_channel, "SEND_TIMEOUT_S", 0.3)
                    await asyncio.sleep(0.1)  # it asks the broker whether it is heard
                    impatient.cancel()
                    await asyncio.gather(impatient, return_exceptions=True)
            heard.clear()
            await published(broker, "after", until=lambda: TOPIC in heard)
    finally:
        await broker.channel.close()
        broker.kill()


async def test_several_clients_can_connect(tmp_path: Path) -> None:
    begun, two = set[str](), asyncio.Event()

    async def check(sign_in: ChannelSignIn) -> ChannelGrant:
        begun.add(sign_in.username)
        if len(begun) > 1:
            two.set()
        await two.wait()
        return ChannelGrant(publish=(TOPIC,), lifetime_s=600)

    async def come(name: str) -> None:
        while True:
            with suppress(aiomqtt.MqttError):  # a broker that waited too long refuses, and one comes again
                words: dict[str, str] = {"identifier": name, "username": name, "password": "b"}
                async with aiomqtt.Client("127.0.0.1", broker.mqtt_port, timeout=PATIENCE_S, **words):
                    return

    broker = Broker(tmp_path / "broker")
    await broker.start()
    try:
        async with cancelled(broker.channel.answer_sign_ins(check)), asyncio.timeout(PATIENCE_S):
            await asyncio.gather(*(come(f"program-{number}") for number in range(8)))
    finally:
        await broker.channel.close()
        broker.kill()


async def test_without_a_broker_nothing_is_published() -> None:
    async def never(frame: ChannelFrame) -> None:
        raise AssertionError(frame)

    assert await NoChannel().receive_frames([PATTERN], never) is None
