"""Mailboxes of users: emails stored by a server without SMTP."""

import re

from tests.support.app import App

from haulier.contexts.identity.ports import Mailer, MailMessage


async def received_mails(app: App, to: str | None = None) -> list[MailMessage]:
    """Every letter so far, oldest first, after the background work that sends them."""
    await app.work_off()
    kept = app.application.adapter(Mailer).mails  # type: ignore[attr-defined]
    return [mail for mail in kept if to in (None, mail.to)]


async def link_token(app: App, to: str) -> str:
    """The token of the link in the newest letter to an address that has one."""
    found = [
        match for mail in await received_mails(app, to) if (match := re.search(r"http://test/[a-z-]+#(\S+)", mail.text))
    ]
    assert found
    return found[-1][1]
