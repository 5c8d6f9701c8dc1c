"""`haulier app`: the platform's apps and the clients that offer them."""

from typing import TYPE_CHECKING, Annotated

import typer

from haulier.cli.server import Database
from haulier.cli.transactions import run_in_transaction

if TYPE_CHECKING:
    from haulier.kernel.data.unit_of_work import UnitOfWork

group = typer.Typer(help="Manage the platform's apps.", no_args_is_help=True)
AppCode = Annotated[str, typer.Argument(help="Code of the app, such as customer-app.")]
Client = Annotated[str, typer.Option(help="Code of the client.")]


def register_commands(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.add_typer(group, name="app")


@group.command("add")
def add_app(
    code: AppCode,
    name: Annotated[str, typer.Option(help="Display name.")],
    type: Annotated[str, typer.Option(help="Audience: customer, driver or operations.")] = "customer",
    idp_issuer: Annotated[str | None, typer.Option(help="OpenID provider that issues the app's ID tokens.")] = None,
    server_client_id: Annotated[
        str | None, typer.Option(help="Audience of those tokens: the client id of this backend at the provider.")
    ] = None,
    database: Database = None,
) -> None:
    """Add an app to the platform.

    Clients offer it after `haulier app offer`. The OpenID provider can sign in as any user of the app, so only the
    operator sets it.
    """
    from haulier.contexts.customer_apps import public as customer_apps
    from haulier.kernel.data.clock import utc_now
    from haulier.kernel.data.unit_of_work import UniqueConflict

    if (idp_issuer is None) != (server_client_id is None):
        raise typer.BadParameter("set both options or neither", param_hint="--idp-issuer, --server-client-id")

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
        raise typer.BadParameter(f"app {code} already exists", param_hint="CODE") from None
    except KeyError:
        raise typer.BadParameter(f"unknown type {type}", param_hint="--type") from None


@group.command("offer")
def offer_app(code: AppCode, client: Client, database: Database = None) -> None:
    """Offer an app to a client's users.

    Starts with email and password sign-in; the client's admin sets up the rest.
    """
    _switch_app(code, client, on=True, database=database)


@group.command("withdraw")
def withdraw_app(code: AppCode, client: Client, database: Database = None) -> None:
    """Stop offering an app for a client. The admin's settings are kept."""
    _switch_app(code, client, on=False, database=database)


def _switch_app(code: str, client: str, *, on: bool, database: str | None) -> None:
    from haulier.contexts.customer_apps import public as customer_apps
    from haulier.kernel.data.clock import utc_now

    async def switched(work: "UnitOfWork") -> bool:
        return await customer_apps.set_app_enabled(work, app_code=code, client_code=client, on=on, now=utc_now())

    try:
        changed = run_in_transaction(database, switched)
    except customer_apps.UnknownApp:
        raise typer.BadParameter(f"unknown app {code} or client {client}", param_hint="CODE, --client") from None
    typer.echo(f"{client} {'offers' if on else 'does not offer'} {code}{'' if changed else ' (unchanged)'}")
