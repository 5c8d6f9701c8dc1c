"""`haulier analytics`: sums by day are compared with what they are sums of, and put right."""

from typing import TYPE_CHECKING

import typer

from haulier.cli.server import Database

if TYPE_CHECKING:
    from haulier.kernel.application import Application

group = typer.Typer(help="The sums that reports are made of.", no_args_is_help=True)


def register_commands(app: typer.Typer) -> None:
    """Put this file's commands on the command line."""
    app.add_typer(group, name="analytics")


@group.callback()
def _group() -> None:
    """The sums that reports are made of."""


@group.command("check")
def check_sums(database: Database = None) -> None:
    """Compare the sums of every client with its orders, failed attempts and earnings.

    It only reads, and may run beside a server. Exits with 1 where something is wrong.
    """
    import asyncio

    clients, wrong = asyncio.run(_each_client(database, rebuild=False))
    if wrong:
        typer.echo(f"{wrong} sums are wrong: haulier analytics rebuild", err=True)
        raise typer.Exit(1)
    typer.echo(f"the sums of {clients} clients are right")


@group.command("rebuild")
def rebuild_sums(database: Database = None) -> None:
    """Count what was written by versions without sums, and put the sums of every client right. May run beside a server."""
    import asyncio

    clients, wrong = asyncio.run(_each_client(database, rebuild=True))
    typer.echo(f"the sums of {clients} clients are right, {wrong} were put right")


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
