"""`haulier user add` and `haulier token issue`: the way in before anyone can log in."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Annotated, Any

import typer

from haulier import settings as settings_module
from haulier.cli.serving import Database
from haulier.kernel.declarations import Account
from haulier.settings import BadSetting

if TYPE_CHECKING:
    from haulier.kernel.data.work import Work

user = typer.Typer(help="Users.", no_args_is_help=True)
token = typer.Typer(help="Tokens.", no_args_is_help=True)


def add_to(app: typer.Typer) -> None:
    """Put this file's commands on the command line."""
    app.add_typer(user, name="user")
    app.add_typer(token, name="token")


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
    from haulier.contexts.access import public as access
    from haulier.kernel.data.work import Conflict
    from haulier.kernel.house import utc_now
    from haulier.kernel.languages import Catalogues

    async def add(work: "Work") -> int:
        client_id = await access.client_by_code(work, client)
        if client_id is None:
            client_id = await access.create_client(
                work, code=client, name=client, time_zone=time_zone, currency=currency, now=utc_now()
            )
        return await access.create_user(
            work,
            client_id=client_id,
            email=email,
            password=password,
            name=name or email,
            account=account,
            now=utc_now(),
        )

    try:
        typer.echo(f"user {in_one_transaction(database, add)}")
    except Conflict:
        raise typer.BadParameter(f"somebody has the address {email} already", param_hint="EMAIL") from None
    except access.WeakPassword as weak:
        words = Catalogues().say("en", str(weak), least=access.PASSWORD_LENGTH_MIN)
        raise typer.BadParameter(words, param_hint="--password") from None
    except BadSetting:
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
    from haulier.contexts.access import public as access
    from haulier.kernel.errors import Refusal
    from haulier.kernel.house import utc_now
    from haulier.kernel.profiles import PROFILES

    async def issue(work: "Work") -> str:
        return await access.issue_token_by_email(work, email=email, profile=profile, days=days, now=utc_now())

    try:
        typer.echo(in_one_transaction(database, issue))
    except access.UnknownUser:
        raise typer.BadParameter(f"nobody has the address {email}", param_hint="EMAIL") from None
    except Refusal:
        raise typer.BadParameter(f"there are {', '.join(PROFILES)}", param_hint="--profile") from None


def in_one_transaction(url: str | None, act: Callable[["Work"], Awaitable[Any]]) -> Any:
    """Do something for any client in one transaction on a migrated database. Raises `BadSetting` for an empty one."""
    from haulier.adapters.database import connect

    async def run() -> Any:
        database = connect(settings_module.load(database=url).database)
        await database.open()
        try:
            if "alembic_version" not in await database.table_names():
                raise BadSetting("the database is empty; `haulier db upgrade` makes its tables")
            async with database.write(None) as work:
                return await act(work.unwalled("the command line is the operator's"))
        finally:
            await database.close()

    return asyncio.run(run())
