"""`haulier doctor`: checks of a running installation."""

from typing import TYPE_CHECKING, Any

import typer

from haulier.cli.output import AsJson, print_records
from haulier.cli.server import Database

if TYPE_CHECKING:
    from haulier.cli.checks import DoctorResult


def register_commands(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command("doctor")(check_installation)


def check_installation(as_json: AsJson = False, database: Database = None) -> None:
    """Check database, role, clock, disk, mail, object store, certificates and jobs.

    Exits with 1 if a check failed.
    """
    import asyncio

    from haulier.app import build_application
    from haulier.cli.checks import run_checks
    from haulier.settings import load_settings

    settings = load_settings(database=database)

    async def run() -> "list[DoctorResult]":
        app = build_application(settings)
        await app.database.open()
        try:
            return await run_checks(app, settings)
        finally:
            await app.database.close()

    rows: list[dict[str, Any]] = [
        {"check": each.check, "state": each.state.value, "detail": each.detail} for each in asyncio.run(run())
    ]
    print_records(rows, ("check", "state", "detail"), as_json=as_json)
    if any(row["state"] == "error" for row in rows):
        raise typer.Exit(1)
