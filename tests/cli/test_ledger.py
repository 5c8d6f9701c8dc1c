"""`haulier ledger check`."""

import asyncio
from pathlib import Path

from sqlalchemy import update
from tests.contexts.billing.ledger.makers import make_call, some_credit
from tests.support.app import make_app
from tests.support.databases import migrated_file
from typer.testing import CliRunner

from haulier.cli import app as command_line
from haulier.contexts.billing.ledger.store.tables import accounts


def test_the_ledger_check_reports_success_or_errors(tmp_path: Path) -> None:
    url = migrated_file(tmp_path)

    async def wrong() -> None:
        async with make_app(url) as app:
            await some_credit(app, 1000)
            async with make_call(app) as call:
                wallet = accounts.c.kind == "wallet"
                await call.work.run(update(accounts).where(wallet).values(balance_minor=accounts.c.balance_minor + 1))

    asyncio.run(wrong())
    ran = CliRunner().invoke(command_line, ["ledger", "check", "--database", url])
    assert ran.exit_code == 1
    assert "client 1: balances_are_the_sum_of_entries: record 2 says 1001, the others say 1000" in ran.output
