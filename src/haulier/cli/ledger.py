"""`haulier ledger check`: check the invariants of every ledger."""

import typer

from haulier.cli.server import Database

group = typer.Typer(help="Check the ledger of customers' credit.", no_args_is_help=True)


def register_commands(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.add_typer(group, name="ledger")


@group.callback()
def _group() -> None:
    """Check the ledger of customers' credit."""


@group.command("check")
def check_ledgers(database: Database = None) -> None:
    """Check the ledger of every client.

    Checks that entries add up, nothing is counted twice and no account is below its limit. Read-only; can run next to
    a live server. Exits with 1 and names the records if an error is found.
    """
    import asyncio

    from haulier.adapters.database import database_for
    from haulier.contexts.billing.public import check_ledger
    from haulier.contexts.identity.public import find_all_client_ids
    from haulier.settings import load_settings

    async def run() -> tuple[int, list[str]]:
        opened = database_for(load_settings(database=database).database)
        await opened.open()
        try:
            async with opened.read(None) as work:
                clients = await find_all_client_ids(work.without_tenant_filter("every client's ledger is checked"))
            faults: list[str] = []
            for client_id in clients:
                async with opened.read(client_id) as work:
                    faults += [f"client {client_id}: {fault}" for fault in await check_ledger(work)]
            return len(clients), faults
        finally:
            await opened.close()

    clients, faults = asyncio.run(run())
    for fault in faults:
        typer.echo(fault, err=True)
    if faults:
        raise typer.Exit(1)
    typer.echo(f"the ledgers of {clients} clients are correct")
