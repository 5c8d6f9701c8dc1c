"""Emails: sent over SMTP, or kept when no server is configured."""

import json
import logging
import ssl
from pathlib import Path

import pytest
from tests.adapters.certificates import write_certificate
from tests.adapters.fake_mail_server import run_mail_server

from haulier.adapters.mailer import MAX_KEPT_MAILS, InMemoryMailer, SmtpMailer, mailer_for
from haulier.contexts.identity.ports import MailMessage

SENDER = "Haulier <post@haulier.example>"
LETTER = MailMessage(to="mia@demo.example", subject="您好 from\nNorth", text="Grüße,\n\n.\nhttps://x.example/#token\n")


@pytest.fixture
def certificate(tmp_path: Path) -> Path:
    """Return a certificate of localhost that only this test trusts."""
    return write_certificate(tmp_path)


async def test_an_email_arrives_as_written() -> None:
    async with run_mail_server() as server:
        await SmtpMailer(f"smtp://127.0.0.1:{server.port}", SENDER).send(LETTER)
    (letter,) = server.letters
    assert (letter["From"], letter["To"], letter["Subject"]) == (SENDER, LETTER.to, "您好 from North")
    assert letter.get_content().replace("\r\n", "\n") == LETTER.text
    assert letter["Message-ID"].endswith("@haulier.example>")
    assert letter["Auto-Submitted"] == "auto-generated"
    assert server.envelopes[0][0].startswith("FROM:<post@haulier.example>")


async def test_an_email_with_html_arrives_in_both_parts() -> None:
    mail = MailMessage(to="mia@demo.example", subject="Hi", text="Hello\n", html="<p>Hello</p>\n")
    async with run_mail_server() as server:
        await SmtpMailer(f"smtp://127.0.0.1:{server.port}", SENDER).send(mail)
    (letter,) = server.letters
    parts = {each.get_content_type(): each.get_content().strip() for each in letter.iter_parts()}
    assert letter.get_content_type() == "multipart/alternative"
    assert parts == {"text/plain": "Hello", "text/html": "<p>Hello</p>"}


async def test_tls_starts_before_the_password_is_sent(certificate: Path) -> None:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    trusting = ssl.create_default_context(cafile=str(certificate))
    async with run_mail_server(context=context) as server:
        await SmtpMailer(f"smtp://us%40er:p%3Aw@localhost:{server.port}", SENDER, trusting).send(LETTER)
    assert server.logins == [("us@er", "p:w", True)]
    assert len(server.letters) == 1


async def test_a_server_with_an_untrusted_certificate_gets_nothing(certificate: Path) -> None:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    async with run_mail_server(context=context) as server:
        with pytest.raises(ssl.SSLCertVerificationError):
            await SmtpMailer(f"smtp://user:pw@localhost:{server.port}", SENDER).send(LETTER)
    assert (server.logins, server.letters) == ([], [])


async def test_a_password_is_sent_in_plain_text_only_to_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    async with run_mail_server() as server:
        url = f"smtp://user:pw@127.0.0.1:{server.port}"
        await SmtpMailer(url, SENDER).send(LETTER)
        assert server.logins == [("user", "pw", False)]
        monkeypatch.setattr("haulier.adapters.mailer._is_this_machine", lambda _: False)
        with pytest.raises(OSError, match="no TLS"):
            await SmtpMailer(url, SENDER).send(LETTER)
    assert len(server.logins) == 1


async def test_a_temporary_server_error_is_retried() -> None:
    async with run_mail_server(refuses=True) as server:
        with pytest.raises(OSError, match="later"):
            await SmtpMailer(f"smtp://127.0.0.1:{server.port}", SENDER).send(LETTER)
    with pytest.raises(OSError):  # the server is gone
        await SmtpMailer(f"smtp://127.0.0.1:{server.port}", SENDER).send(LETTER)


async def test_without_a_server_recent_emails_are_kept_and_the_log_contains_no_links(
    caplog: pytest.LogCaptureFixture,
) -> None:
    outbox = mailer_for(None, SENDER)
    assert isinstance(outbox, InMemoryMailer)
    with caplog.at_level(logging.INFO, "haulier.mail"):
        for _ in range(MAX_KEPT_MAILS + 1):
            await outbox.send(LETTER)
    assert list(outbox.mails) == [LETTER] * MAX_KEPT_MAILS
    assert LETTER.to in caplog.text
    assert "token" not in caplog.text


async def test_an_email_file_is_readable_only_by_its_owner_and_the_log_contains_none(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "deep" / "mail.jsonl"
    outbox = mailer_for(f"file:{path}", SENDER)
    with caplog.at_level(logging.DEBUG, "haulier.mail"):
        for _ in range(2):
            await outbox.send(LETTER)
    written = [json.loads(line) for line in path.read_text().splitlines()]
    assert written == [{"to": LETTER.to, "subject": LETTER.subject, "text": LETTER.text}] * 2
    assert path.stat().st_mode & 0o777 == 0o600
    assert caplog.text == ""


@pytest.mark.parametrize("url", ["http://host", "smtp://", "host:25"])
def test_an_invalid_mail_server_address_is_refused(url: str) -> None:
    with pytest.raises(ValueError, match="smtp://host"):
        mailer_for(url, SENDER)
