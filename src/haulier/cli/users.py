"""`haulier user add` and `haulier token issue`: the way in before anyone can log in."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Annotated, Any

import typer

from haulier import settings as settings_module
from haulier.adapters.database import connect
from haulier.cli.serving import Database
from haulier.contexts.access import public as access
from haulier.kernel.data.work import Work
from haulier.kernel.declarations import Account
from haulier.kernel.house import utc_now

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

    async def add(work: Work) -> int:
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

    typer.echo(f"user {_in_one_transaction(database, add)}")


@token.command("issue")
def issue_token(
    email: str,
    profile: Annotated[str, typer.Option(help="A named set of scopes, or full.")] = "ops-readonly",
    days: Annotated[int, typer.Option(min=1, max=3650)] = 90,
    database: Database = None,
) -> None:
    """Issue an API token for a user. It is shown once, and only its hash is kept."""

    async def issue(work: Work) -> str:
        return await access.issue_token_by_email(work, email=email, profile=profile, days=days, now=utc_now())

    typer.echo(_in_one_transaction(database, issue))


def _in_one_transaction(url: str | None, act: Callable[[Work], Awaitable[Any]]) -> Any:
    async def run() -> Any:
        database = connect(settings_module.load(database=url).database)
        await database.open()
        try:
            async with database.write(None) as work:
                return await act(work.unwalled("the command line is the operator's"))
        finally:
            await database.close()

    return asyncio.run(run())
