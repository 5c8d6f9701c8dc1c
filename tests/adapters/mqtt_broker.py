"""Real MQTT brokers, NATS and Mosquitto, configured by `haulier channel config`."""

import asyncio
import functools
import getpass
import os
import shutil
import signal
import subprocess
from collections.abc import AsyncGenerator, Coroutine, Generator, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from pathlib import Path
from typing import Any, cast

import aiomqtt
import nats
import pytest
from tests.adapters.nats_cluster import nats_server
from tests.support.app import App
from tests.support.live import free_port

from haulier.adapters.mosquitto_channel import MosquittoChannel, broker_config, broker_rights
from haulier.adapters.nats_channel import NatsAccountKey, NatsChannel, make_account_seed, server_config
from haulier.app import channel_sign_ins
from haulier.contexts.messaging.ports import Channel, ChannelUnavailable

PASSWORD = "between-us"
PATIENCE_S = 60.0
"""Maximum wait on a slow machine."""


class Broker:
    """A NATS server that can be killed and restarted, with its data lost or kept."""

    def __init__(self, folder: Path) -> None:
        self.port, self.mqtt_port = free_port(), free_port()
        self.seed = make_account_seed()
        self.key = NatsAccountKey(self.seed)
        self._folder, self._process = folder, None
        folder.mkdir(parents=True, exist_ok=True)
        self._configure()
        self.channel = self.new_channel()

    def _configure(self) -> None:
        text = server_config(self.key, PASSWORD, host="127.0.0.1", websocket=False)
        text = text.replace("127.0.0.1:4222", f"127.0.0.1:{self.port}")
        text = text.replace("127.0.0.1:1883", f"127.0.0.1:{self.mqtt_port}")
        text = text.replace('"haulier-channel" }', f'"{self._folder / "store"}" }}')
        (self._folder / "broker.conf").write_text(text)

    def _command(self) -> list[str]:
        return [nats_server(), "--config", str(self._folder / "broker.conf")]

    @property
    def setting(self) -> str:
        """The setting `channel` of a service beside it."""
        return f"nats://haulier:{PASSWORD}@127.0.0.1:{self.port}"

    def new_channel(self) -> Channel:
        """A connection of a process of the service."""
        shown = (f"mqtt://127.0.0.1:{self.mqtt_port}",)
        return NatsChannel([self.setting], self.key, shown, "haulier")

    async def start(self) -> None:
        """Start the server, and wait until it takes what is published."""
        self._process = await asyncio.to_thread(
            subprocess.Popen, self._command(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        async with asyncio.timeout(PATIENCE_S):
            while True:
                try:
                    await self.channel.publish("haulier/started", b"")
                    return
                except ChannelUnavailable:
                    await asyncio.sleep(0.1)

    def kill(self) -> None:
        """End the server in the middle of whatever it does."""
        if self._process:
            self._process.kill()
            self._process.wait()
            self._process = None

    async def count_remembered(self) -> int:
        """Return the number of subscriptions with pending messages, at most a thousand."""
        connection = await nats.connect(self.setting)
        try:
            return len(await connection.jetstream().consumers_info("$MQTT_msgs"))
        finally:
            await connection.close()

    @contextmanager
    def held_up(self) -> Generator[None]:
        """Suspend the server while the context is open."""
        assert self._process
        self._process.send_signal(signal.SIGSTOP)
        try:
            yield
        finally:
            self._process.send_signal(signal.SIGCONT)


@asynccontextmanager
async def cancelled(work: Coroutine[Any, Any, None]) -> AsyncGenerator[None]:
    """Do something while the context is open, and wait until it has stopped."""
    task = asyncio.create_task(work)
    try:
        yield
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


class MosquittoBroker(Broker):
    """Mosquitto from the system, or from `HAULIER_TEST_MOSQUITTO`."""

    def _configure(self) -> None:
        server, plugin = mosquitto() or ("", "")
        rights = self._folder / "rights.json"
        rights.write_text(broker_rights(PASSWORD, "haulier"))
        rights.chmod(0o600)
        text = broker_config(str(rights), host="127.0.0.1", plugin=plugin, websocket=False)
        text = text.replace("listener 1883", f"listener {self.mqtt_port}")
        (self._folder / "broker.conf").write_text(f"user {getpass.getuser()}\n{text}")
        self._server = server

    def _command(self) -> list[str]:
        return [self._server, "-c", str(self._folder / "broker.conf")]

    @property
    def setting(self) -> str:
        """The setting `channel` of a service beside it."""
        return f"mqtt://haulier:{PASSWORD}@127.0.0.1:{self.mqtt_port}"

    def new_channel(self) -> Channel:
        """A connection of a process of the service."""
        return MosquittoChannel(self.setting, (f"mqtt://127.0.0.1:{self.mqtt_port}",), "haulier")


@functools.cache
def mosquitto() -> tuple[str, str] | None:
    """Return Mosquitto and its dynamic-security plugin, if both are installed."""
    search = os.pathsep.join((os.environ["PATH"], "/usr/sbin", "/usr/local/sbin", "/opt/homebrew/sbin"))
    server = os.environ.get("HAULIER_TEST_MOSQUITTO") or shutil.which("mosquitto", path=search)
    libraries = Path(server or "/").resolve().parent.parent / "lib"
    plugins = sorted(libraries.glob("**/mosquitto_dynamic_security.so")) if server else []
    return (server, str(plugins[0])) if server and plugins else None


without_mosquitto = pytest.mark.skipif(
    mosquitto() is None, reason="mosquitto and its dynamic-security plugin are not installed"
)
BROKERS = [pytest.param(Broker, id="nats"), pytest.param(MosquittoBroker, id="mosquitto", marks=without_mosquitto)]
"""The kinds of brokers that every test of channels is for."""


@asynccontextmanager
async def make_broker(folder: Path, app: App, kind: type[Broker] = Broker) -> AsyncGenerator[Broker]:
    """Yield a broker with publishing and access control by the application."""
    broker = kind(folder)
    adapters: Any = app.application.adapters
    before = adapters[Channel]
    try:
        await broker.start()
        adapters[Channel] = broker.channel
        async with channel_sign_ins(app.application):
            yield broker
    finally:
        adapters[Channel] = before
        broker.kill()


def listener(broker: Broker, ticket: Any, **words: Any) -> aiomqtt.Client:
    """A program that listens with a ticket."""
    named = {"username": ticket.username, "password": ticket.password, "identifier": ticket.client_id}
    options: dict[str, Any] = {"protocol": aiomqtt.ProtocolVersion.V311, "timeout": PATIENCE_S, **named, **words}
    return aiomqtt.Client("127.0.0.1", broker.mqtt_port, **options)


async def may_listen(client: aiomqtt.Client, topic: str) -> bool:
    """Return True if the broker allows a subscription to a topic or pattern."""
    answers = cast("Sequence[Any]", await client.subscribe(topic, qos=1))
    (answer,) = answers
    return int(getattr(answer, "value", answer)) < 128
