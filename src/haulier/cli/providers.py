"""`haulier provider issue-key`: API keys of carriers and partners."""

from typing import TYPE_CHECKING, Annotated

import typer

from haulier.cli.server import Database
from haulier.cli.transactions import run_in_transaction

if TYPE_CHECKING:
    from haulier.kernel.data.unit_of_work import UnitOfWork

group = typer.Typer(help="Manage providers that push tracking events.", no_args_is_help=True)


def register_commands(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.add_typer(group, name="provider")


@group.callback()
def _group() -> None:
    """Manage providers that push tracking events."""


@group.command("issue-key")
def issue_key(
    client: Annotated[str, typer.Option(help="Code of the client whose timelines the provider updates.")],
    name: Annotated[str, typer.Option(help="Name of the provider.")],
    carrier: Annotated[
        list[str] | None, typer.Option(help="Source name that the provider may use. Repeatable; by default any.")
    ] = None,
    database: Database = None,
) -> None:
    """Issue a key for POST /api/v1/otep/ingest.

    It is shown once; only its hash is stored.
    """
    from haulier.contexts.identity import public as access
    from haulier.contexts.tracking import public as tracking
    from haulier.kernel.data.clock import utc_now

    async def issue(work: "UnitOfWork") -> str:
        client_id = await access.get_client_id_by_code(work, client)
        if client_id is None:
            raise typer.BadParameter(f"unknown client {client}", param_hint="--client")
        issued = await tracking.create_provider_key(
            work, client_id=client_id, name=name, carriers=carrier or (), now=utc_now()
        )
        return issued.key

    typer.echo(run_in_transaction(database, issue))
