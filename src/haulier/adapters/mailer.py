"""E-mail: handed to a mail server, written into a file to try things out, or kept in memory where nothing is set."""

import asyncio
import logging
import smtplib
import ssl
from collections import deque
from email.message import EmailMessage
from email.utils import formatdate, make_msgid, parseaddr
from ipaddress import ip_address
from pathlib import Path
from urllib.parse import unquote, urlsplit

from haulier.adapters.owner_files import append_json_line
from haulier.contexts.identity.ports import Mailer, MailMessage

MAX_KEPT_MAILS = 100
TIMEOUT_S = 20.0
DEFAULT_PORTS = {"smtp": 25, "smtps": 465}
log = logging.getLogger("haulier.mail")


class InMemoryMailer:
    """The mailer without a mail server: the newest e-mails are kept in memory.

    The log names the recipient; the text, which may hold a secret link, is logged only at level `debug`.
    """

    def __init__(self) -> None:
        self.mails: deque[MailMessage] = deque(maxlen=MAX_KEPT_MAILS)

    async def send(self, mail: MailMessage) -> None:
        """Keep an e-mail."""
        self.mails.append(mail)
        log.info("an e-mail to %s stays here, no mail server is set: %s", mail.to, mail.subject)
        log.debug("%s", mail.text)


class FileMailer:
    """Writes e-mails into a file, one JSON document a line, that only its owner may read: for trying things out.

    They hold secret links and PINs, so they go nowhere else, into no log either.
    """

    def __init__(self, path: Path) -> None:
        self._path = path

    async def send(self, mail: MailMessage) -> None:
        """Write an e-mail."""
        line = {"to": mail.to, "subject": mail.subject, "text": mail.text}
        if mail.attachments:
            line["attachments"] = ", ".join(each.name for each in mail.attachments)
        await append_json_line(self._path, line)


class SmtpMailer:
    """Hands e-mails to a mail server: `smtp://user:password@host:587`, or `smtps://` where the server uses TLS from the start.

    With `smtp` the connection is made private by STARTTLS where the server offers it. A password is never sent in the
    clear, except to this machine.
    """

    def __init__(self, url: str, sender: str, context: ssl.SSLContext | None = None) -> None:
        parts = urlsplit(url)
        if parts.scheme not in DEFAULT_PORTS or not parts.hostname:
            raise ValueError("a mail server is named as smtp://host or smtps://host")
        self._private = parts.scheme == "smtps"
        self._host, self._port = parts.hostname, parts.port or DEFAULT_PORTS[parts.scheme]
        self._user, self._password = unquote(parts.username or ""), unquote(parts.password or "")
        self._sender = sender
        self._context = context or ssl.create_default_context()

    async def send(self, mail: MailMessage) -> None:
        """Hand an e-mail over, in a thread. Raises `OSError` (`SMTPException`) when the server does not take it."""
        await asyncio.to_thread(self._send_blocking, self._to_message(mail))

    def _to_message(self, mail: MailMessage) -> EmailMessage:
        message = EmailMessage()
        message["From"], message["To"] = self._sender, mail.to
        message["Subject"] = " ".join(mail.subject.split())  # names may hold line ends, headers may not
        message["Date"] = formatdate()
        message["Message-ID"] = make_msgid(domain=parseaddr(self._sender)[1].partition("@")[2] or "localhost")
        message["Auto-Submitted"] = "auto-generated"
        message.set_content(mail.text)
        for each in mail.attachments:
            main, _, sub = each.media_type.partition("/")
            message.add_attachment(each.content, maintype=main, subtype=sub, filename=each.name)
        return message

    def _send_blocking(self, message: EmailMessage) -> None:
        with self._open_connection() as server:
            if not self._private:
                server.ehlo()
                if server.has_extn("starttls"):
                    server.starttls(context=self._context)
                elif self._user and not _is_this_machine(self._host):
                    raise smtplib.SMTPNotSupportedError("the server offers no TLS, so it gets no password")
            if self._user:
                server.login(self._user, self._password)
            server.send_message(message)

    def _open_connection(self) -> smtplib.SMTP:
        if self._private:
            return smtplib.SMTP_SSL(self._host, self._port, timeout=TIMEOUT_S, context=self._context)
        return smtplib.SMTP(self._host, self._port, timeout=TIMEOUT_S)


def _is_this_machine(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def mailer_for(url: str | None, sender: str) -> Mailer:
    """The mailer of a setting, a mail server or `file:path`; in memory without one. Raises `ValueError` for anything else."""
    if url is None:
        return InMemoryMailer()
    parts = urlsplit(url)
    if parts.scheme == "file" and parts.path:
        return FileMailer(Path(parts.path))
    return SmtpMailer(url, sender)
