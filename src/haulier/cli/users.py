"""`haulier user` and `haulier token`: accounts and API tokens."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from haulier.cli.calls import call_for_user, call_operation, list_all_pages, list_client_ids
from haulier.cli.output import AsJson, print_records
from haulier.cli.server import Database
from haulier.cli.transactions import make_first_link, run_in_transaction, run_with_application
from haulier.kernel.operations.enums import Account

if TYPE_CHECKING:
    from haulier.kernel.application import Application
    from haulier.kernel.data.unit_of_work import UnitOfWork

user = typer.Typer(help="Manage users.", no_args_is_help=True)
token = typer.Typer(help="Manage API tokens.", no_args_is_help=True)
Email = Annotated[str, typer.Argument(help="Email address of the user.")]
Client = Annotated[str | None, typer.Option(help="Code of the client.")]


def register_commands(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.add_typer(user, name="user")
    app.add_typer(token, name="token")
    app.command("setup-link")(print_setup_link)


@user.command("list")
def list_users(
    client: Client = None,
    active: Annotated[bool | None, typer.Option("--active/--disabled", help="Only active or disabled users.")] = None,
    search: Annotated[str | None, typer.Option(help="Part of a name or email address.")] = None,
    as_json: AsJson = False,
    database: Database = None,
) -> None:
    """List users of a client, or of all clients."""

    async def read(app: "Application") -> list[dict[str, Any]]:
        return [
            {"client": code, **each}
            for code, client_id in (await list_client_ids(app, client)).items()
            for each in await list_all_pages(app, client_id, "list_users", "users", active=active, search=search)
        ]

    columns = ("client", "id", "email", "name", "account", "active", "created_at")
    print_records(run_with_application(database, read), columns, as_json=as_json)


@user.command("disable")
def disable_user(email: Email, database: Database = None) -> None:
    """Disable a user. Sessions and tokens end at once; records stay."""
    call_for_user(database, email, "disable_user")
    typer.echo(f"{email} is disabled")


@user.command("enable")
def enable_user(email: Email, database: Database = None) -> None:
    """Enable a disabled user."""
    call_for_user(database, email, "enable_user")
    typer.echo(f"{email} is enabled")


@user.command("reset-password")
def reset_password(
    email: Email,
    password: Annotated[str, typer.Option(prompt=True, hide_input=True, confirmation_prompt=True)],
    database: Database = None,
) -> None:
    """Set the password of a user and sign them out. They are notified by email."""
    call_for_user(database, email, "set_user_password", password=password)
    typer.echo(f"the password of {email} is changed")


@token.command("list")
def list_tokens(
    client: Client = None,
    state: Annotated[str, typer.Option(help="active, expired, revoked or any.")] = "active",
    as_json: AsJson = False,
    database: Database = None,
) -> None:
    """List API tokens of a client, or of all clients."""

    async def read(app: "Application") -> list[dict[str, Any]]:
        return [
            {"client": code, **each}
            for code, client_id in (await list_client_ids(app, client)).items()
            for each in await list_all_pages(app, client_id, "list_api_tokens", "tokens", all_users=True, state=state)
        ]

    columns = ("client", "id", "name", "user_name", "state", "created_at", "last_used_at", "expires_at")
    print_records(run_with_application(database, read), columns, as_json=as_json)


@token.command("revoke")
def revoke_token(
    token_id: Annotated[int, typer.Argument(help="Id of the token.")],
    client: Annotated[str, typer.Option(help="Code of the client.")],
    database: Database = None,
) -> None:
    """Revoke an API token, and everything that it issued."""
    call_operation(database, client, "revoke_api_token", token_id=token_id)
    typer.echo(f"token {token_id} is revoked")


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
