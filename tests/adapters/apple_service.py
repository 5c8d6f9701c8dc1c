"""Apple's provider API over real HTTP/2 and TLS, with checks of token and headers."""

import asyncio
import json
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from uuid import UUID

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec
from h2.config import H2Configuration
from h2.connection import H2Connection
from h2.events import DataReceived, Event, RequestReceived, StreamEnded
from joserfc import jwk, jwt
from tests.adapters.certificates import write_certificate

from haulier.adapters.apple_pushes import ApnsAccount

KEY_ID, TEAM, TOPIC = "ABC123DEFG", "DEF123GHIJ", "com.example.driver"
PAYLOAD_MAX, TOKEN_OLD_S = 4096, 3600


class AppleService:
    """Received notifications, connections and tokens, and the next response."""

    def __init__(self, folder: Path) -> None:
        self.now = 1_750_000_000.0
        self.fault: tuple[int, dict[str, Any]] = (0, {})
        self.taken: list[tuple[dict[str, str], Any]] = []
        self.connections: list[asyncio.StreamWriter] = []
        self.signed: set[str] = set()
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._certificate = write_certificate(folder)
        self.url = ""

    @property
    def account(self) -> ApnsAccount:
        """Return the account that may send."""
        pem, pkcs8 = serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8
        key = self._key.private_bytes(pem, pkcs8, serialization.NoEncryption()).decode()
        return ApnsAccount(url=self.url, key=key, key_id=KEY_ID, team=TEAM, topic=TOPIC)

    @property
    def trusted(self) -> ssl.SSLContext:
        """Return the certificates that trust this server."""
        return ssl.create_default_context(cafile=str(self._certificate))

    @asynccontextmanager
    async def running(self) -> AsyncIterator["AppleService"]:
        """Serve while the context is open."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self._certificate)
        context.set_alpn_protocols(["h2"])
        server = await asyncio.start_server(self._serve, "127.0.0.1", 0, ssl=context)
        self.url = f"https://localhost:{server.sockets[0].getsockname()[1]}"
        try:
            yield self
        finally:
            server.close()
            self.hang_up()

    def hang_up(self) -> None:
        """End every connection, as Apple does now and then."""
        for connection in self.connections:
            connection.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections.append(writer)
        line = H2Connection(H2Configuration(client_side=False, header_encoding="utf-8"))
        line.initiate_connection()
        bodies: dict[int, tuple[dict[str, str], bytearray]] = {}
        try:
            writer.write(line.data_to_send())
            while received := await reader.read(65536):
                for event in line.receive_data(received):
                    self._hear(line, event, bodies)
                writer.write(line.data_to_send())
                await writer.drain()
        except OSError:
            pass
        finally:
            writer.close()

    def _hear(self, line: H2Connection, event: Event, bodies: dict[int, tuple[dict[str, str], bytearray]]) -> None:
        match event:
            case RequestReceived(stream_id=int(stream), headers=headers):
                bodies[stream] = ({str(name): str(text) for name, text in headers or ()}, bytearray())
            case DataReceived(stream_id=int(stream), data=bytes(data)):
                bodies[stream][1].extend(data)
                line.acknowledge_received_data(len(data), stream)
            case StreamEnded(stream_id=int(stream)):
                headers, body = bodies.pop(stream)
                status, document = self._answer(headers, bytes(body))
                said = json.dumps(document).encode() if document else b""
                line.send_headers(stream, [(":status", str(status)), ("apns-id", headers.get("apns-id", ""))])
                line.send_data(stream, said, end_stream=True)
            case _:
                pass

    def _answer(self, headers: dict[str, str], body: bytes) -> tuple[int, dict[str, Any]]:
        if self.fault[0]:
            return self.fault
        if reason := self._token_fault(headers.get("authorization", "")):
            return 403, {"reason": reason}
        faults = {
            "BadPath": headers[":method"] != "POST" or not headers[":path"].startswith("/3/device/"),
            "BadTopic": headers.get("apns-topic") != TOPIC,
            "InvalidPushType": headers.get("apns-push-type") != "alert",
            "BadMessageId": str(UUID(headers["apns-id"])) != headers["apns-id"],
            "BadExpirationDate": int(headers["apns-expiration"]) <= self.now,
            "BadCollapseId": len(headers["apns-collapse-id"]) > 64,
            "PayloadTooLarge": len(body) > PAYLOAD_MAX,
        }
        if reason := next((name for name, wrong in faults.items() if wrong), None):
            return 400, {"reason": reason}
        self.taken.append((headers, json.loads(body)))
        return 200, {}

    def _token_fault(self, authorization: str) -> str | None:
        scheme, _, text = authorization.partition(" ")
        if scheme != "bearer":
            return "MissingProviderToken"
        public = self._key.public_key().public_bytes(
            serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
        )
        token = jwt.decode(text, jwk.ECKey.import_key(public), algorithms=["ES256"])
        self.signed.add(text)
        if (token.header["kid"], token.claims["iss"]) != (KEY_ID, TEAM):
            return "InvalidProviderToken"
        return "ExpiredProviderToken" if self.now - token.claims["iat"] > TOKEN_OLD_S else None
