"""`haulier client`: the businesses on this server."""

from typing import TYPE_CHECKING, Annotated

import typer

from haulier.cli.output import AsJson, print_records
from haulier.cli.server import Database
from haulier.cli.transactions import run_in_transaction

if TYPE_CHECKING:
    from haulier.kernel.data.unit_of_work import UnitOfWork

group = typer.Typer(help="List, suspend and resume clients.", no_args_is_help=True)
Code = Annotated[str, typer.Argument(help="Code of the client.")]


def register_commands(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.add_typer(group, name="client")


@group.command("list")
def list_clients(as_json: AsJson = False, database: Database = None) -> None:
    """List clients with their number of active users."""
    from haulier.contexts.identity import public as access

    rows = run_in_transaction(database, access.list_all_clients)
    names = ("code", "name", "time_zone", "currency", "active_users", "created_at")
    records = [
        {"id": row.id, **{name: getattr(row, name) for name in names}, "suspended": access.is_suspended(row.settings)}
        for row in rows
    ]
    print_records(records, ("id", *names, "suspended"), as_json=as_json)


@group.command("suspend")
def suspend_client(code: Code, database: Database = None) -> None:
    """Suspend a client: calls of its users and tokens answer 403. No data is changed."""
    _set_suspended(code, suspended=True, database=database)


@group.command("resume")
def resume_client(code: Code, database: Database = None) -> None:
    """Resume a suspended client."""
    _set_suspended(code, suspended=False, database=database)


def _set_suspended(code: str, *, suspended: bool, database: str | None) -> None:
    from haulier.contexts.identity import public as access
    from haulier.kernel.data.clock import utc_now

    async def change(work: "UnitOfWork") -> bool:
        client_id = await access.get_client_id_by_code(work, code)
        if client_id is None:
            raise typer.BadParameter(f"unknown client {code}", param_hint="CODE")
        return await access.set_client_suspended(work, client_id, suspended=suspended, now=utc_now())

    changed = run_in_transaction(database, change)
    typer.echo(f"{code} is {'suspended' if suspended else 'active'}{'' if changed else ' (unchanged)'}")
