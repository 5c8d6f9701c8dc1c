"""The whole accounting journal of the test business."""

from collections import defaultdict
from typing import Any

from tests.support.app import App

YEARS: dict[str, Any] = {"date_from": "2020-01-01", "date_to": "2099-12-31"}


async def journal(app: App, *, per_page: int = 500, **words: Any) -> list[Any]:
    """Return all entries, page by page."""
    entries: list[Any] = []
    cursor = None
    while True:
        asked = {**YEARS, "per_page": per_page, **words, **({"cursor": cursor} if cursor else {})}
        page = await app.answer("admin", "list_journal_entries", asked)
        entries += page.entries
        cursor = page.next_cursor
        if cursor is None:
            return entries


def balances(entries: list[Any]) -> dict[str, int]:
    """Return debit less credit by account. Accounts of zero are absent."""
    sums: dict[str, int] = defaultdict(int)
    for entry in entries:
        for line in entry.lines:
            sums[line.account.value] += line.debit_minor - line.credit_minor
    return {account: minor for account, minor in sums.items() if minor}
