"""MQTT broker Mosquitto, with access control by its dynamic-security plugin.

The broker does not call back on sign-in. Each ticket is therefore registered as a client with its own role, which lists the
allowed topics. Deleting the client when the ticket ends also disconnects it. Requires the extra `streams`.
"""

import asyncio
import base64
import contextlib
import hashlib
import logging
import secrets
from collections.abc import AsyncGenerator, Awaitable, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import unquote, urlsplit

import msgspec

from haulier.contexts.messaging.ports import (
    FRAMES_WAITING,
    ChannelFrame,
    ChannelGrant,
    ChannelUnavailable,
    CheckSignIn,
    TakeFrame,
)

if TYPE_CHECKING:
    import aiomqtt

CONTROL, ANSWERS = "$CONTROL/dynamic-security/v1", "$CONTROL/dynamic-security/v1/response"
OWN_NAME = "haulier"
PORTS: Mapping[str, int] = {"mqtt": 1883, "mqtts": 8883}
SEND_TIMEOUT_S, RETRY_S = 5.0, 0.5
PENDING_UNREMARKED = 1_000_000
"""The library logs a warning for ten unacknowledged messages, but hundreds are normal here."""
SALT_BYTES, HASH_ROUNDS = 12, 101
"""Same values as the plugin. The password is 24 random bytes, so more rounds would not add security."""
SETTLED = ("already exists", "not found")
"""Error endings for a command that has already been executed. They count as success."""
log = logging.getLogger("haulier.channel")


class MosquittoChannel:
    """Connection to Mosquitto, opened on first use and again after a failure."""

    configured, asks_sign_ins = True, False

    def __init__(self, server: str, addresses: tuple[str, ...], prefix: str) -> None:
        """`server` is a URL: `mqtt://name:password@host:1883`, or `mqtts://`."""
        self.addresses, self.prefix = addresses, prefix
        self._server = server
        self._link: _Link | None = None
        self._connecting = asyncio.Lock()

    async def publish(self, topic: str, *payloads: bytes) -> None:
        """See `Channel`."""
        async with _unavailable():
            await (await self._connected()).send(topic, payloads)

    async def admit(self, username: str, password: str, grant: ChannelGrant) -> None:
        """See `Channel`.

        Uses only two commands, because the plugin rewrites its file after each one.
        """
        heard = [_right("subscribeLiteral", topic) for topic in grant.subscribe]
        spoken = [_right("publishClientSend", topic) for topic in grant.publish]
        client = {"username": username, "clientid": username, "password": password}
        await self._order(
            {"command": "createRole", "rolename": username, "acls": [*heard, *spoken]},
            {"command": "createClient", **client, "roles": [{"rolename": username}]},
        )

    async def disconnect(self, connection: str) -> None:
        """See `Channel`.

        `connection` is the name of the ticket, which becomes invalid.
        """
        await self._order(
            {"command": "deleteClient", "username": connection}, {"command": "deleteRole", "rolename": connection}
        )

    async def answer_sign_ins(self, check: CheckSignIn) -> None:
        """See `Channel`. Does nothing: this broker does not call back on sign-in."""

    async def receive_frames(self, topics: Sequence[str], take: TakeFrame) -> None:
        """See `Channel`. Messages published while no process listens are lost."""
        waiting = {topic: asyncio.Queue[ChannelFrame | None](FRAMES_WAITING) for topic in topics}
        takers = [asyncio.create_task(_receive_each(queue, take)) for queue in waiting.values()]
        try:
            while True:
                try:
                    await self._listen(waiting)
                except ChannelUnavailable as error:
                    log.warning("the broker is unreachable, so no messages arrive: %s", error)
                    await asyncio.sleep(RETRY_S)
        finally:
            for queue in waiting.values():
                await queue.put(None)
            await asyncio.gather(*takers)

    async def _listen(self, waiting: Mapping[str, "asyncio.Queue[ChannelFrame | None]"]) -> None:
        """Receive messages until the connection ends.

        Raises `ChannelUnavailable`.
        """
        import aiomqtt

        try:
            async with _client(self._server) as client:
                for topic in waiting:
                    answers = cast("Sequence[Any]", await client.subscribe(f"$share/{OWN_NAME}/{topic}", qos=1))
                    if any(answer.is_failure for answer in answers):
                        raise ChannelUnavailable(f"may not listen to {topic}")
                async for message in client.messages:
                    frame = ChannelFrame(topic=str(message.topic), payload=bytes(message.payload))
                    for topic, queue in waiting.items():
                        if message.topic.matches(topic) and not queue.full():
                            queue.put_nowait(frame)
        except (aiomqtt.MqttError, OSError) as error:
            raise ChannelUnavailable(str(error) or type(error).__name__) from error

    async def close(self) -> None:
        """Close the connection."""
        link, self._link = self._link, None
        if link:
            await link.close()

    async def _order(self, *commands: dict[str, Any]) -> None:
        async with _unavailable():
            await (await self._connected()).order(commands)

    async def _connected(self) -> "_Link":
        async with self._connecting:
            if self._link and not self._link.alive:
                await self.close()
            if self._link is None:
                self._link = await _Link.open(self._server)
            return self._link


def _right(kind: str, topic: str) -> dict[str, Any]:
    return {"acltype": kind, "topic": topic, "priority": 0, "allow": True}


async def _receive_each(waiting: "asyncio.Queue[ChannelFrame | None]", take: TakeFrame) -> None:
    """Process frames in order, until the queue returns None."""
    while (frame := await waiting.get()) is not None:
        try:
            await take(frame)
        except Exception:
            log.exception("a frame on %s could not be taken", frame.topic)


def _client(server: str) -> "aiomqtt.Client":
    """Return a client with a unique identifier, not connected yet."""
    import aiomqtt

    at = urlsplit(server)
    client = aiomqtt.Client(
        at.hostname or "localhost",
        at.port or PORTS[at.scheme],
        username=unquote(at.username or OWN_NAME),
        password=unquote(at.password or ""),
        identifier=f"{OWN_NAME}-{secrets.token_hex(8)}",
        protocol=aiomqtt.ProtocolVersion.V5,
        timeout=SEND_TIMEOUT_S,
        tls_params=aiomqtt.TLSParameters() if at.scheme == "mqtts" else None,
    )
    client.pending_calls_threshold = PENDING_UNREMARKED
    return client


class _Link:
    """One connection to the broker, with its pending commands."""

    def __init__(self, client: "aiomqtt.Client", stack: contextlib.AsyncExitStack) -> None:
        self._client, self._stack = client, stack
        self._waited: dict[str, asyncio.Future[str | None]] = {}
        self._reading = asyncio.create_task(self._read(), name="channel answers")

    @classmethod
    async def open(cls, server: str) -> "_Link":
        """Connect. Raises `MqttError`."""
        async with contextlib.AsyncExitStack() as stack:
            client = await stack.enter_async_context(_client(server))
            await client.subscribe(ANSWERS, qos=1)
            return cls(client, stack.pop_all())

    @property
    def alive(self) -> bool:
        """Return True unless the connection is known to have ended."""
        return not self._reading.done()

    async def send(self, topic: str, payloads: Sequence[bytes]) -> None:
        """Publish the payloads in order and wait for all acknowledgements."""
        sent: list[Awaitable[None]] = [self._client.publish(topic, payload, qos=1) for payload in payloads]
        await asyncio.gather(*sent)

    async def order(self, commands: Sequence[dict[str, Any]]) -> None:
        """Send commands to the plugin and wait for its responses.

        Raises `ChannelUnavailable` if the plugin rejects a command.
        """
        named = {secrets.token_hex(8): command for command in commands}
        loop = asyncio.get_running_loop()
        answers = {name: loop.create_future() for name in named}
        self._waited.update(answers)
        try:
            listed = [{**command, "correlationData": name} for name, command in named.items()]
            await self._client.publish(CONTROL, msgspec.json.encode({"commands": listed}), qos=1)
            for name, answer in answers.items():
                error = await answer
                if error and not error.endswith(SETTLED):
                    raise ChannelUnavailable(f"{named[name]['command']}: {error}")
        finally:
            for name in answers:
                self._waited.pop(name, None)

    async def _read(self) -> None:
        try:
            async for message in self._client.messages:
                self._hear(bytes(message.payload))
        finally:
            for answer in self._waited.values():
                if not answer.done():
                    answer.set_exception(ChannelUnavailable("the broker is away"))

    def _hear(self, payload: bytes) -> None:
        for response in msgspec.json.decode(payload).get("responses", ()):
            answer = self._waited.get(response.get("correlationData", ""))
            if answer and not answer.done():
                answer.set_result(response.get("error"))

    async def close(self) -> None:
        """Close the connection in any state."""
        import aiomqtt

        self._reading.cancel()
        await asyncio.gather(self._reading, return_exceptions=True)
        with contextlib.suppress(aiomqtt.MqttError):
            await self._stack.aclose()


@asynccontextmanager
async def _unavailable() -> AsyncGenerator[None]:
    """Convert failures and timeouts of the broker to `ChannelUnavailable`.

    The timeout is `SEND_TIMEOUT_S`.
    """
    import aiomqtt

    try:
        async with asyncio.timeout(SEND_TIMEOUT_S):
            yield
    except ChannelUnavailable:
        raise
    except (aiomqtt.MqttError, OSError) as error:
        raise ChannelUnavailable(str(error) or type(error).__name__) from error


def broker_config(rights_file: str, *, host: str, plugin: str, websocket: bool = True) -> str:
    """Return a Mosquitto configuration that only accepts clients with tickets."""
    web = f"""
# Behind a proxy that speaks TLS.
listener 8080 {host}
protocol websockets
"""
    return f"""# mosquitto -c haulier-channel.conf
per_listener_settings false
allow_anonymous false
persistence false
retain_available false
plugin {plugin}
plugin_opt_config_file {rights_file}
# With TLS: certfile …, keyfile … below the listener.
listener 1883 {host}
{web if websocket else ""}"""


def broker_rights(password: str, prefix: str) -> str:
    """Return the initial access file of the plugin.

    It contains only the client of this service, which can publish, subscribe and manage tickets.
    """
    salt = secrets.token_bytes(SALT_BYTES)
    hashed = hashlib.pbkdf2_hmac("sha512", password.encode(), salt, HASH_ROUNDS)
    access = {"publishClientSend": False, "publishClientReceive": True, "subscribe": False, "unsubscribe": True}
    control, ours, shared = "$CONTROL/dynamic-security/#", f"{prefix}/#", f"$share/{OWN_NAME}/{prefix}/#"
    acls = [
        *(_right(kind, control) for kind in ("publishClientSend", "publishClientReceive", "subscribePattern")),
        _right("publishClientSend", ours),
        _right("subscribePattern", shared),
    ]
    client = {
        "username": OWN_NAME,
        "textName": "The service",
        "password": base64.b64encode(hashed).decode(),
        "salt": base64.b64encode(salt).decode(),
        "iterations": HASH_ROUNDS,
        "roles": [{"rolename": OWN_NAME}],
    }
    roles = [{"rolename": OWN_NAME, "acls": acls}]
    rights = {"defaultACLAccess": access, "clients": [client], "groups": [], "roles": roles}
    return msgspec.json.format(msgspec.json.encode(rights), indent=2).decode()
