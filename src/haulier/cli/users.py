"""Commands for users and tokens, before anyone can sign in."""

from typing import TYPE_CHECKING, Annotated

import typer

from haulier.cli.server import Database
from haulier.cli.transactions import make_first_link, run_in_transaction
from haulier.kernel.operations.enums import Account

if TYPE_CHECKING:
    from haulier.kernel.data.unit_of_work import UnitOfWork

user = typer.Typer(help="Manage users.", no_args_is_help=True)
token = typer.Typer(help="Manage API tokens.", no_args_is_help=True)


def register_commands(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.add_typer(user, name="user")
    app.add_typer(token, name="token")
    app.command("setup-link")(print_setup_link)


@user.command("add")
def add_user(
    email: Annotated[str, typer.Argument(help="Email address of the user.")],
    client: Annotated[str, typer.Option(help="Code of the client. Created if it does not exist.")],
    password: Annotated[str, typer.Option(prompt=True, hide_input=True, confirmation_prompt=True)],
    name: Annotated[str, typer.Option(help="Name of the user, by default the email address.")] = "",
    account: Annotated[Account, typer.Option(help="Kind of account.")] = Account.CLIENT_ADMIN,
    time_zone: Annotated[str, typer.Option(help="Time zone of a new client.")] = "UTC",
    currency: Annotated[str, typer.Option(help="Currency of a new client (ISO 4217).")] = "EUR",
    database: Database = None,
) -> None:
    """Add a user to a client. Creates the client if it does not exist."""
    from haulier.contexts.identity import public as access
    from haulier.kernel.data.clock import utc_now
    from haulier.kernel.data.unit_of_work import UniqueConflict
    from haulier.kernel.i18n.languages import Catalogues
    from haulier.settings import InvalidSetting

    async def add(work: "UnitOfWork") -> int:
        client_id = await access.get_client_id_by_code(work, client)
        if client_id is None:
            client_id = await access.create_client(
                work, code=client, name=client, time_zone=time_zone, currency=currency, now=utc_now()
            )
        return await access.provision_user(
            work,
            client_id=client_id,
            email=email,
            password=password,
            name=name or email,
            account=account,
            now=utc_now(),
        )

    try:
        typer.echo(f"user {run_in_transaction(database, add)}")
    except UniqueConflict:
        raise typer.BadParameter(f"the address {email} is already in use", param_hint="EMAIL") from None
    except access.WeakPassword as weak:
        message = Catalogues().translate("en", str(weak), least=access.PASSWORD_LENGTH_MIN)
        raise typer.BadParameter(message, param_hint="--password") from None
    except InvalidSetting:
        raise
    except ValueError as fault:
        raise typer.BadParameter(str(fault), param_hint="--time-zone, --currency") from None


@token.command("issue")
def issue_token(
    email: Annotated[str, typer.Argument(help="Email address of the user.")],
    profile: Annotated[str, typer.Option(help="Named set of scopes, or full.")] = "ops-readonly",
    days: Annotated[int, typer.Option(min=1, max=3650, help="Days until the token expires.")] = 90,
    database: Database = None,
) -> None:
    """Issue an API token for a user. It is shown once; only its hash is stored."""
    from haulier.contexts.identity import public as access
    from haulier.kernel.data.clock import utc_now
    from haulier.kernel.operations.errors import OperationError
    from haulier.kernel.operations.scope_profiles import PROFILES

    async def issue(work: "UnitOfWork") -> str:
        return await access.issue_token_by_email(work, email=email, profile=profile, days=days, now=utc_now())

    try:
        typer.echo(run_in_transaction(database, issue))
    except access.UnknownUser:
        raise typer.BadParameter(f"no user has the address {email}", param_hint="EMAIL") from None
    except OperationError:
        raise typer.BadParameter(f"choose one of {', '.join(PROFILES)}", param_hint="--profile") from None


def print_setup_link(database: Database = None) -> None:
    """Print a link that creates the first business and its owner in the browser.

    `haulier serve` prints the same link.
    """
    from haulier.settings import load_settings

    link = make_first_link(load_settings(database=database))
    if link is None:
        raise typer.BadParameter("this server already has accounts. Sign in, or use haulier user add.")
    typer.echo(link)
