"""A real NATS server as the broker of MQTT, from the wheel, with the configuration that `haulier channel config` prints."""

import asyncio
import subprocess
from collections.abc import AsyncGenerator, Coroutine
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import aiomqtt
from tests.adapters.nats_cluster import nats_server
from tests.support.app import App
from tests.support.live import free_port

from haulier.adapters.nats_channel import NatsAccountKey, NatsChannel, make_account_seed, server_config
from haulier.app import channel_sign_ins
from haulier.contexts.messaging.ports import Channel, ChannelUnavailable

PASSWORD = "between-us"
PATIENCE_S = 60.0
"""How long anything may take on a slow machine before it counts as missing."""


class Broker:
    """A server that can be killed and started again, with all it holds lost or kept."""

    def __init__(self, folder: Path) -> None:
        self.port, self.mqtt_port = free_port(), free_port()
        self.key = NatsAccountKey(make_account_seed())
        self._folder, self._process = folder, None
        text = server_config(self.key, PASSWORD, host="127.0.0.1", websocket=False)
        text = text.replace("127.0.0.1:4222", f"127.0.0.1:{self.port}")
        text = text.replace("127.0.0.1:1883", f"127.0.0.1:{self.mqtt_port}")
        text = text.replace('"haulier-channel" }', f'"{folder / "store"}" }}')
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "broker.conf").write_text(text)
        self.channel = self.new_channel()

    def new_channel(self) -> NatsChannel:
        """A connection of a process of the service."""
        shown = (f"mqtt://127.0.0.1:{self.mqtt_port}",)
        return NatsChannel([f"nats://haulier:{PASSWORD}@127.0.0.1:{self.port}"], self.key, shown, "haulier")

    async def start(self) -> None:
        """Start the server, and wait until it takes what is published."""
        command = [nats_server(), "--config", str(self._folder / "broker.conf")]
        self._process = await asyncio.to_thread(
            subprocess.Popen, command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
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


@asynccontextmanager
async def a_broker(folder: Path, app: App) -> AsyncGenerator[Broker]:
    """A broker that the application publishes to and that asks it who may come in."""
    broker = Broker(folder)
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
    options = {"username": ticket.username, "password": ticket.password, "identifier": ticket.client_id, **words}
    version = aiomqtt.ProtocolVersion.V311
    return aiomqtt.Client("127.0.0.1", broker.mqtt_port, protocol=version, timeout=PATIENCE_S, **options)


async def may_listen(client: aiomqtt.Client, topic: str) -> bool:
    """Whether the broker lets a program subscribe to a topic, or to a pattern of topics."""
    (answer,) = await client.subscribe(topic, qos=1)
    return int(getattr(answer, "value", answer)) < 128
