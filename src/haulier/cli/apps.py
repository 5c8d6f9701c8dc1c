"""`haulier app`: the platform's apps, and which client offers them."""

from typing import TYPE_CHECKING, Annotated

import typer

from haulier.cli.server import Database
from haulier.cli.transactions import run_in_transaction

if TYPE_CHECKING:
    from haulier.kernel.data.unit_of_work import UnitOfWork

group = typer.Typer(help="The platform's apps.", no_args_is_help=True)
AppCode = Annotated[str, typer.Argument(help="The app's code, such as customer-app.")]
Client = Annotated[str, typer.Option(help="Code of the client.")]


def register_commands(app: typer.Typer) -> None:
    """Put this file's commands on the command line."""
    app.add_typer(group, name="app")


@group.command("add")
def add_app(
    code: AppCode,
    name: Annotated[str, typer.Option(help="What people call it.")],
    type: Annotated[str, typer.Option(help="Who it is for: customer, driver or operations.")] = "customer",
    idp_issuer: Annotated[str | None, typer.Option(help="The OpenID provider whose ID tokens it brings.")] = None,
    server_client_id: Annotated[
        str | None, typer.Option(help="The audience that those tokens have: the client id of this backend there.")
    ] = None,
    database: Database = None,
) -> None:
    """Add an app to the platform. No client offers it yet: see `haulier app offer`.

    Whoever controls the OpenID provider can sign in as anybody who uses the app, so only the operator names it.
    """
    from haulier.contexts.customer_apps import public as customer_apps
    from haulier.kernel.data.clock import utc_now
    from haulier.kernel.data.unit_of_work import UniqueConflict

    if (idp_issuer is None) != (server_client_id is None):
        raise typer.BadParameter("both are needed, or neither", param_hint="--idp-issuer, --server-client-id")

    async def added(work: "UnitOfWork") -> int:
        return await customer_apps.create_app(
            work,
            code=code,
            name=name,
            type=type,
            idp_issuer=idp_issuer,
            server_client_id=server_client_id,
            now=utc_now(),
        )

    try:
        typer.echo(f"app {run_in_transaction(database, added)}")
    except UniqueConflict:
        raise typer.BadParameter(f"there is an app {code} already", param_hint="CODE") from None
    except KeyError:
        raise typer.BadParameter(f"there is no type {type}", param_hint="--type") from None


@group.command("offer")
def offer_app(code: AppCode, client: Client, database: Database = None) -> None:
    """Let a client offer an app: with e-mail and password to begin with; its admin sets up the rest."""
    _switch_app(code, client, on=True, database=database)


@group.command("withdraw")
def withdraw_app(code: AppCode, client: Client, database: Database = None) -> None:
    """Take an app from a client. How its admin set it up stays, for when it is offered again."""
    _switch_app(code, client, on=False, database=database)


def _switch_app(code: str, client: str, *, on: bool, database: str | None) -> None:
    from haulier.contexts.customer_apps import public as customer_apps
    from haulier.kernel.data.clock import utc_now

    async def switched(work: "UnitOfWork") -> bool:
        return await customer_apps.set_app_enabled(work, app_code=code, client_code=client, on=on, now=utc_now())

    try:
        changed = run_in_transaction(database, switched)
    except customer_apps.UnknownApp:
        raise typer.BadParameter(
            f"there is no app {code}, or no client {client}", param_hint="CODE, --client"
        ) from None
    typer.echo(f"{client} {'offers' if on else 'does not offer'} {code}{'' if changed else ', as before'}")
