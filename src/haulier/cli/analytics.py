"""`haulier analytics`: check and rebuild the aggregates behind reports."""

from typing import TYPE_CHECKING

import typer

from haulier.cli.server import Database

if TYPE_CHECKING:
    from haulier.kernel.application import Application

group = typer.Typer(help="Check and rebuild the aggregates behind reports.", no_args_is_help=True)


def register_commands(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.add_typer(group, name="analytics")


@group.callback()
def _group() -> None:
    """Check and rebuild the aggregates behind reports."""


@group.command("check")
def check_sums(database: Database = None) -> None:
    """Check the aggregates of every client.

    Compare them with orders, failed attempts and earnings. Read-only; can run next to a live server. Exits with 1 if
    any are wrong.
    """
    import asyncio

    clients, wrong = asyncio.run(_each_client(database, rebuild=False))
    if wrong:
        typer.echo(f"{wrong} aggregates are wrong. Run haulier analytics rebuild.", err=True)
        raise typer.Exit(1)
    typer.echo(f"the aggregates of {clients} clients are correct")


@group.command("rebuild")
def rebuild_sums(database: Database = None) -> None:
    """Rebuild the aggregates of every client.

    Includes data written by versions without aggregates. Can run next to a live server.
    """
    import asyncio

    clients, wrong = asyncio.run(_each_client(database, rebuild=True))
    typer.echo(f"the aggregates of {clients} clients are correct, {wrong} were corrected")


async def _each_client(database: str | None, *, rebuild: bool) -> tuple[int, int]:
    from haulier.app import build_application
    from haulier.contexts.identity.public import find_all_client_ids
    from haulier.settings import load_settings

    app = build_application(load_settings(database=database))
    await app.database.open()
    try:
        async with app.database.read(None) as work:
            clients = await find_all_client_ids(work)
        counted = [await (_rebuild if rebuild else _check)(app, client_id) for client_id in clients]
        return len(clients), sum(counted)
    finally:
        await app.database.close()


async def _check(app: "Application", client_id: int) -> int:
    from haulier.contexts.analytics.public import find_sum_faults
    from haulier.contexts.control_tower.public import sum_truths

    async with app.database.read(client_id) as work:
        return sum(map(len, (await find_sum_faults(work, sum_truths())).values()))


async def _rebuild(app: "Application", client_id: int) -> int:
    from haulier.contexts.analytics.public import correct_sums
    from haulier.contexts.control_tower.public import sum_truths
    from haulier.contexts.orders.public import count_orders_of_earlier_versions
    from haulier.kernel.call import call_as_system

    left = True
    while left:
        async with app.database.write(client_id) as work:
            left = bool(await count_orders_of_earlier_versions(await call_as_system(app, client_id, work)))
    async with app.database.write(client_id) as work:
        return await correct_sums(work, sum_truths())
