"""`haulier maintenance`: refuse writes on every server."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from haulier.cli.output import AsJson, print_record
from haulier.cli.server import Database
from haulier.cli.transactions import run_in_transaction

if TYPE_CHECKING:
    from haulier.kernel.data.unit_of_work import UnitOfWork

group = typer.Typer(help="Start and end maintenance.", no_args_is_help=True)


def register_commands(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.add_typer(group, name="maintenance")


@group.command("start")
def start_mode(
    reason: Annotated[str, typer.Option(help="Reason, for the log and other operators.")] = "maintenance",
    database: Database = None,
) -> None:
    """Start maintenance: writes answer 503 on every server.

    Takes two seconds. Reads continue; sign-in is a write. Stop workers separately.
    """
    from haulier.kernel.data.clock import utc_now
    from haulier.kernel.maintenance import start_maintenance

    async def change(work: "UnitOfWork") -> None:
        await start_maintenance(work, reason[:300], utc_now())

    run_in_transaction(database, change)
    typer.echo("maintenance is on")


@group.command("end")
def end_mode(database: Database = None) -> None:
    """End maintenance."""
    from haulier.kernel.maintenance import end_maintenance

    typer.echo(f"maintenance is off{'' if run_in_transaction(database, end_maintenance) else ' (unchanged)'}")


@group.command("status")
def show_mode(as_json: AsJson = False, database: Database = None) -> None:
    """Show whether maintenance is on, since when and why."""
    from haulier.kernel.maintenance import find_maintenance

    async def read(work: "UnitOfWork") -> dict[str, Any]:
        found = await find_maintenance(work)
        return {"on": found is not None, "since": found and found.began_at, "reason": found and found.reason}

    print_record(run_in_transaction(database, read), as_json=as_json)
