"""Minimal SMTP server that stores received emails."""

import asyncio
import base64
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default


class FakeMailServer:
    """Received commands and emails."""

    def __init__(self, *, refuses: bool = False, context: ssl.SSLContext | None = None) -> None:
        self.letters: list[EmailMessage] = []
        self.envelopes: list[tuple[str, str]] = []
        self.logins: list[tuple[str, str, bool]] = []
        self.port = 0
        self._refuses = refuses
        self._context = context

    async def talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One conversation."""
        sender, private = "", False
        writer.write(b"220 here\r\n")
        while line := await reader.readline():
            verb, _, rest = line.decode().strip().partition(" ")
            match verb.upper():
                case "EHLO":
                    offers = ["AUTH PLAIN"] + (["STARTTLS"] if self._context and not private else [])
                    said = ["here", *offers]
                    writer.write("".join(f"250-{each}\r\n" for each in said[:-1]).encode())
                    writer.write(f"250 {said[-1]}\r\n".encode())
                case "STARTTLS":
                    writer.write(b"220 go\r\n")
                    await writer.drain()
                    await writer.start_tls(self._context)  # type: ignore[arg-type]
                    private = True
                case "AUTH":
                    _, user, password = base64.b64decode(rest.split()[1]).decode().split("\0")
                    self.logins.append((user, password, private))
                    writer.write(b"235 yes\r\n")
                case "MAIL":
                    sender = rest
                    writer.write(b"451 later\r\n" if self._refuses else b"250 ok\r\n")
                case "RCPT":
                    self.envelopes.append((sender, rest))
                    writer.write(b"250 ok\r\n")
                case "DATA":
                    writer.write(b"354 go\r\n")
                    text = await reader.readuntil(b"\r\n.\r\n")
                    self.letters.append(message_from_bytes(text[:-3].replace(b"\r\n..", b"\r\n."), policy=default))
                    writer.write(b"250 ok\r\n")
                case "QUIT":
                    writer.write(b"221 bye\r\n")
                    break
                case _:
                    writer.write(b"250 ok\r\n")
            await writer.drain()
        writer.close()


@asynccontextmanager
async def run_mail_server(**words: bool | ssl.SSLContext) -> AsyncIterator[FakeMailServer]:
    """A mail server on a free port of this machine."""
    mails = FakeMailServer(**words)  # type: ignore[arg-type]
    server = await asyncio.start_server(mails.talk, "127.0.0.1", 0)
    mails.port = server.sockets[0].getsockname()[1]
    try:
        yield mails
    finally:
        server.close()
