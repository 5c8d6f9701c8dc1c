"""`haulier feature`: revocation of opt-in families by the operator."""

from typing import TYPE_CHECKING, Annotated

import typer

from haulier.cli.server import Database
from haulier.cli.transactions import run_in_transaction
from haulier.kernel.operations.enums import Feature

if TYPE_CHECKING:
    from haulier.kernel.data.unit_of_work import UnitOfWork

group = typer.Typer(help="Revoke and restore opt-in features of clients.", no_args_is_help=True)
Family = Annotated[Feature, typer.Argument(help="Opt-in feature.")]
Client = Annotated[str, typer.Option(help="Code of the client.")]


def register_commands(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.add_typer(group, name="feature")


@group.command("revoke")
def revoke_feature(feature: Family, client: Client, database: Database = None) -> None:
    """Revoke an opt-in feature of a client.

    Takes effect immediately: its calls answer 409, and the client cannot enable it.
    """
    _set_revoked(feature, client, revoked=True, database=database)


@group.command("restore")
def restore_feature(feature: Family, client: Client, database: Database = None) -> None:
    """Restore a revoked feature. It is enabled again if the client had it enabled."""
    _set_revoked(feature, client, revoked=False, database=database)


def _set_revoked(feature: Feature, client: str, *, revoked: bool, database: str | None) -> None:
    from haulier.contexts.identity import public as access

    async def changed(work: "UnitOfWork") -> None:
        client_id = await access.get_client_id_by_code(work, client)
        if client_id is None:
            raise typer.BadParameter(f"unknown client {client}", param_hint="--client")
        await access.set_feature_revoked(work, client_id, feature, revoked=revoked)

    run_in_transaction(database, changed)
    typer.echo(f"{feature.value} {'revoked from' if revoked else 'restored for'} {client}")
