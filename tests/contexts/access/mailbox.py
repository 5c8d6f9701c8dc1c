"""What arrived in the mailboxes of people: the letters that the house without a mail server kept."""

import re

from tests.app import App

from haulier.contexts.access.ports import Mail, Post


async def letters(app: App, to: str | None = None) -> list[Mail]:
    """Every letter so far, oldest first, after the background work that sends them."""
    await app.work_off()
    kept = app.house.adapter(Post).mails  # type: ignore[attr-defined]
    return [mail for mail in kept if to in (None, mail.to)]


async def link(app: App, to: str) -> str:
    """The token of the link in the newest letter to an address that has one."""
    found = [match for mail in await letters(app, to) if (match := re.search(r"http://test/[a-z-]+#(\S+)", mail.text))]
    assert found
    return found[-1][1]
