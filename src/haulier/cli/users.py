"""`haulier user add`, `haulier token issue` and `haulier setup-link`: users and tokens before anyone can sign in."""

from typing import TYPE_CHECKING, Annotated

import typer

from haulier.cli.server import Database
from haulier.cli.transactions import make_first_link, run_in_transaction
from haulier.kernel.operations.enums import Account

if TYPE_CHECKING:
    from haulier.kernel.data.unit_of_work import UnitOfWork

user = typer.Typer(help="Users.", no_args_is_help=True)
token = typer.Typer(help="Tokens.", no_args_is_help=True)


def register_commands(app: typer.Typer) -> None:
    """Put this file's commands on the command line."""
    app.add_typer(user, name="user")
    app.add_typer(token, name="token")
    app.command("setup-link")(print_setup_link)


@user.command("add")
def add_user(
    email: str,
    client: Annotated[str, typer.Option(help="Code of the client; made when it does not exist.")],
    password: Annotated[str, typer.Option(prompt=True, hide_input=True, confirmation_prompt=True)],
    name: Annotated[str, typer.Option()] = "",
    account: Annotated[Account, typer.Option(help="Kind of account.")] = Account.CLIENT_ADMIN,
    time_zone: Annotated[str, typer.Option(help="Of a new client.")] = "UTC",
    currency: Annotated[str, typer.Option(help="Of a new client, ISO 4217.")] = "EUR",
    database: Database = None,
) -> None:
    """Add a user to a client, making the client when it does not exist yet."""
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
        raise typer.BadParameter(f"somebody has the address {email} already", param_hint="EMAIL") from None
    except access.WeakPassword as weak:
        message = Catalogues().translate("en", str(weak), least=access.PASSWORD_LENGTH_MIN)
        raise typer.BadParameter(message, param_hint="--password") from None
    except InvalidSetting:
        raise
    except ValueError as fault:
        raise typer.BadParameter(str(fault), param_hint="--time-zone, --currency") from None


@token.command("issue")
def issue_token(
    email: str,
    profile: Annotated[str, typer.Option(help="A named set of scopes, or full.")] = "ops-readonly",
    days: Annotated[int, typer.Option(min=1, max=3650)] = 90,
    database: Database = None,
) -> None:
    """Issue an API token for a user. It is shown once, and only its hash is kept."""
    from haulier.contexts.identity import public as access
    from haulier.kernel.data.clock import utc_now
    from haulier.kernel.operations.errors import OperationError
    from haulier.kernel.operations.scope_profiles import PROFILES

    async def issue(work: "UnitOfWork") -> str:
        return await access.issue_token_by_email(work, email=email, profile=profile, days=days, now=utc_now())

    try:
        typer.echo(run_in_transaction(database, issue))
    except access.UnknownUser:
        raise typer.BadParameter(f"nobody has the address {email}", param_hint="EMAIL") from None
    except OperationError:
        raise typer.BadParameter(f"there are {', '.join(PROFILES)}", param_hint="--profile") from None


def print_setup_link(database: Database = None) -> None:
    """Print a link that makes the first business and its owner in the browser, as `haulier serve` does."""
    from haulier.settings import load_settings

    link = make_first_link(load_settings(database=database))
    if link is None:
        raise typer.BadParameter("this server has accounts already; sign in, or use `haulier user add`")
    typer.echo(link)
