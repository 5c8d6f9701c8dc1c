"""Mailers that use SMTP, a file for development, or memory by default."""

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

from prometheus_client import Counter

from haulier.adapters.owner_files import append_json_line
from haulier.contexts.identity.ports import Mailer, MailMessage

MAX_KEPT_MAILS = 100
TIMEOUT_S = 20.0
DEFAULT_PORTS = {"smtp": 25, "smtps": 465}
log = logging.getLogger("haulier.mail")
_EMAILS = Counter("haulier_emails_total", "Emails handed to the mail server", ("outcome",))


class InMemoryMailer:
    """Mailer without a mail server: stores the latest emails in memory.

    The log contains the recipient and subject. The body can contain a secret link and is logged only at level `debug`.
    """

    sends = False
    """Emails stay on this server."""

    def __init__(self) -> None:
        self.mails: deque[MailMessage] = deque(maxlen=MAX_KEPT_MAILS)

    async def send(self, mail: MailMessage) -> None:
        """Store an email."""
        self.mails.append(mail)
        log.info("an e-mail to %s stays here, no mail server is set: %s", mail.to, mail.subject)
        log.debug("%s", mail.text)


class FileMailer:
    """Mailer for development: appends emails to a file as JSON lines.

    Emails contain secret links and PINs, so only the owner can read the file and nothing is logged.
    """

    def __init__(self, path: Path) -> None:
        self._path = path

    async def send(self, mail: MailMessage) -> None:
        """Append an email to the file."""
        line = {"to": mail.to, "subject": mail.subject, "text": mail.text}
        if mail.html:
            line["html"] = mail.html
        if mail.attachments:
            line["attachments"] = ", ".join(each.name for each in mail.attachments)
        await append_json_line(self._path, line)


class SmtpMailer:
    """Mailer for an SMTP server: `smtp://user:password@host:587` or `smtps://…`.

    `smtps` uses implicit TLS. `smtp` uses STARTTLS if the server supports it. Passwords are never sent unencrypted, except
    to localhost.
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
        """Send an email, in a thread.

        Raises `OSError` (`SMTPException`) if the server rejects it.
        """
        try:
            await asyncio.to_thread(self._send_blocking, self._to_message(mail))
        except OSError:
            _EMAILS.labels("failed").inc()
            raise
        _EMAILS.labels("sent").inc()

    def _to_message(self, mail: MailMessage) -> EmailMessage:
        message = EmailMessage()
        message["From"], message["To"] = self._sender, mail.to
        message["Subject"] = " ".join(mail.subject.split())  # headers must not contain line breaks
        message["Date"] = formatdate()
        message["Message-ID"] = make_msgid(domain=parseaddr(self._sender)[1].partition("@")[2] or "localhost")
        message["Auto-Submitted"] = "auto-generated"
        message.set_content(mail.text)
        if mail.html:
            message.add_alternative(mail.html, subtype="html")
        for each in mail.attachments:
            main, _, sub = each.media_type.partition("/")
            message.add_attachment(each.content, maintype=main, subtype=sub, filename=each.name)
        return message

    async def check(self) -> None:
        """Sign in without sending anything. Raises `OSError` if the server refuses it."""
        await asyncio.to_thread(self._check_blocking)

    def _check_blocking(self) -> None:
        with self._open_connection() as server:
            self._sign_in(server)
            server.noop()

    def _send_blocking(self, message: EmailMessage) -> None:
        with self._open_connection() as server:
            self._sign_in(server)
            server.send_message(message)

    def _sign_in(self, server: smtplib.SMTP) -> None:
        if not self._private:
            server.ehlo()
            if server.has_extn("starttls"):
                server.starttls(context=self._context)
            elif self._user and not _is_this_machine(self._host):
                raise smtplib.SMTPNotSupportedError("the server offers no TLS, so it gets no password")
        if self._user:
            server.login(self._user, self._password)

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
    """Return the configured mailer: an SMTP server, `file:path`, or in memory.

    Raises `ValueError` for other URLs.
    """
    if url is None:
        return InMemoryMailer()
    parts = urlsplit(url)
    if parts.scheme == "file" and parts.path:
        return FileMailer(Path(parts.path))
    return SmtpMailer(url, sender)
