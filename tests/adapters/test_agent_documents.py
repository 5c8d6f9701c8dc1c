"""Agent documents are fetched only from the public web, also after resolution."""

import asyncio
import datetime
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from tests.support.every_case import for_every

from haulier.adapters.agent_documents import MAX_DOCUMENT_BYTES, HttpAgentDocuments
from haulier.adapters.host_addresses import HostResolver, is_public_address
from haulier.contexts.oauth.ports import AgentDocumentRefused

HOST = "agents.example"
JSON = "200 OK\r\ncontent-type: application/json"


@pytest.fixture
def certificate(tmp_path: Path) -> Path:
    """Return a certificate of the agents' host that only this test trusts."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, HOST)])
    today = datetime.datetime.now(datetime.UTC)
    made = (
        x509.CertificateBuilder(name, name, key.public_key(), 1)
        .not_valid_before(today - datetime.timedelta(days=1))
        .not_valid_after(today + datetime.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(HOST)]), critical=False)
        .sign(key, hashes.SHA256())
    )
    plain = (serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    file = tmp_path / "both.pem"
    file.write_bytes(key.private_bytes(*plain) + made.public_bytes(serialization.Encoding.PEM))
    return file


class Web:
    """A web server on this machine, and what it was asked."""

    def __init__(self, head: str, body: bytes) -> None:
        self.head = head
        self.body = body
        self.asked: list[str] = []
        self.port = 0

    async def answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            self.asked.append((await reader.readuntil(b"\r\n\r\n")).decode())
            writer.write(f"HTTP/1.1 {self.head}\r\nconnection: close\r\n\r\n".encode() + self.body)
            await writer.drain()
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()


@asynccontextmanager
async def make_web(certificate: Path, head: str = JSON, body: bytes = b"{}") -> AsyncIterator[Web]:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    web = Web(head, body)
    server = await asyncio.start_server(web.answer, "127.0.0.1", 0, ssl=context)
    web.port = server.sockets[0].getsockname()[1]
    async with server:
        yield web


def always(*addresses: str) -> HostResolver:
    async def resolve(host: str, port: int) -> list[str]:
        return list(addresses)

    return resolve


def fetcher(web: Web, certificate: Path) -> HttpAgentDocuments:
    """One that takes this machine for the world."""
    trusting = ssl.create_default_context(cafile=str(certificate))
    return HttpAgentDocuments(resolve=always("127.0.0.1"), allowed=lambda _: True, port=web.port, trusted=trusting)


async def test_a_document_is_fetched_from_the_validated_address_under_its_own_host_name(certificate: Path) -> None:
    async with make_web(certificate, body=b'{"a": 1}') as web:
        assert await fetcher(web, certificate).fetch(f"https://{HOST}/about.json?x=1") == b'{"a": 1}'
    (asked,) = web.asked
    assert asked.startswith("GET /about.json?x=1 HTTP/1.1\r\n")
    assert f"host: {HOST}:{web.port}" in asked.lower()
    assert "cookie" not in asked.lower()


async def test_a_server_with_another_certificate_name_is_refused(certificate: Path) -> None:
    async with make_web(certificate) as web:
        with pytest.raises(AgentDocumentRefused, match=r"other\.example"):
            await fetcher(web, certificate).fetch("https://other.example/about.json")
    assert web.asked == []


@for_every(
    ("head", "body"),
    [
        ("302 Found\r\nlocation: https://127.0.0.1/", b""),
        ("404 Not Found\r\ncontent-type: application/json", b"{}"),
        ("200 OK\r\ncontent-type: text/html", b"{}"),
        ("200 OK", b"{}"),
        (JSON, b"x" * (MAX_DOCUMENT_BYTES + 1)),
    ],
)
async def test_an_oversized_or_invalid_document_is_refused(certificate: Path, head: str, body: bytes) -> None:
    async with make_web(certificate, head, body) as web:
        with pytest.raises(AgentDocumentRefused):
            await fetcher(web, certificate).fetch(f"https://{HOST}/about.json")
    assert len(web.asked) == 1


@for_every(
    "addresses",
    [
        [],
        ["127.0.0.1"],
        ["10.0.0.1"],
        ["169.254.169.254"],
        ["93.184.216.34", "127.0.0.1"],
        ["::1"],
        ["::ffff:10.0.0.1"],
    ],
)
async def test_a_host_with_a_private_address_is_not_requested(addresses: list[str]) -> None:
    with pytest.raises(AgentDocumentRefused, match="not a public address"):
        await HttpAgentDocuments(resolve=always(*addresses)).fetch(f"https://{HOST}/about.json")


@for_every(
    "url",
    [
        "http://agents.example/a",
        "https://a@agents.example/a",
        "https://agents.example:8443/a",
        "file:///etc/passwd",
        "https://[x",
    ],
)
async def test_a_url_other_than_plain_https_is_not_requested(url: str) -> None:
    with pytest.raises(AgentDocumentRefused):
        await HttpAgentDocuments(resolve=always("93.184.216.34")).fetch(url)


@for_every(
    "address",
    [
        "0.0.0.0",
        "127.8.8.8",
        "10.1.2.3",
        "172.16.0.1",
        "192.168.1.1",
        "100.64.0.1",
        "169.254.169.254",
        "224.0.0.1",
        "255.255.255.255",
        "::",
        "::1",
        "fe80::1",
        "fe80::1%eth0",
        "fc00::1",
        "ff02::1",
        "::ffff:127.0.0.1",
        "2002:7f00:1::",
        "64:ff9b::7f00:1",
        "64:ff9b:1::7f00:1",
        "192.0.0.192",
        "192.0.0.170",
        "fec0::1",
        "::127.0.0.1",
        "::8.8.8.8",
        "::ffff:0:127.0.0.1",
        "::ffff:8.8.8.8",
        "100::1",
        "2001:0:1::1",
        "2001:db8::1",
        "3fff::1",
        "5f00::1",
        "198.18.0.1",
        "203.0.113.7",
        "240.0.0.1",
    ],
)
def test_loopback_private_and_mapped_addresses_are_not_public(address: str) -> None:
    assert not is_public_address(address)


@for_every(
    "address",
    [
        "93.184.216.34",
        "8.8.8.8",
        "192.0.1.1",
        "223.255.255.254",
        "2a00:1450:4001::1",
        "2606:2800:220:1:248:1893:25c8:1946",
    ],
)
def test_public_addresses_are_public(address: str) -> None:
    assert is_public_address(address)
