"""Calls of operations by the operator, in the name of a client."""

import json
from typing import TYPE_CHECKING, Any

import typer

from haulier.cli.transactions import run_with_application

if TYPE_CHECKING:
    from haulier.contexts.identity.public import UserWithClientRow
    from haulier.kernel.application import Application

INTERFACE = "cli"
"""Name of the command line in the audit trail."""
PAGE_SIZE = 200


def call_operation(app_url: str | None, client: str, name: str, **request: Any) -> dict[str, Any]:
    """Call an operation as an admin of a client, and return its answer.

    An error is printed, and the command exits with 1.
    """

    async def run(app: "Application") -> dict[str, Any]:
        return await run_operation(app, await require_client_id(app, client), name, **request)

    return run_with_application(app_url, run)


def call_for_user(app_url: str | None, email: str, name: str, **request: Any) -> dict[str, Any]:
    """Call an operation about the user with an email address, whatever their client."""

    async def run(app: "Application") -> dict[str, Any]:
        user = await require_user_by_email(app, email)
        return await run_operation(app, user.client_id, name, user_id=user.id, **request)

    return run_with_application(app_url, run)


async def run_operation(app: "Application", client_id: int, name: str, **request: Any) -> dict[str, Any]:
    """Run an operation in an open application, and return its answer."""
    from msgspec import to_builtins
    from msgspec.structs import replace

    from haulier.kernel.pipeline.request import OperationRequest
    from haulier.kernel.pipeline.run import handle_request
    from haulier.kernel.principal import system_principal
    from haulier.kernel.values.ids import make_request_id

    async with app.database.read(None) as work:
        business = await app.identity.business(work.without_tenant_filter("the operator acts for a client"), client_id)
    result = await handle_request(
        app,
        OperationRequest(
            operation=app.registry[name],
            interface=INTERFACE,
            request_id=make_request_id(),
            body=json.dumps({key: value for key, value in request.items() if value is not None}).encode(),
            principal=system_principal(replace(business, suspended=False)),
            agent="haulier command line",
        ),
    )
    if result.error:
        typer.echo(_to_sentence(result.error), err=True)
        raise typer.Exit(1)
    return to_builtins(result.answer)


async def list_all_pages(app: "Application", client_id: int, name: str, key: str, **request: Any) -> list[Any]:
    """Return the records of every page of a list."""
    records: list[Any] = []
    page = 1
    while True:
        answer = await run_operation(app, client_id, name, page=page, per_page=PAGE_SIZE, **request)
        records += answer[key]
        if len(answer[key]) < PAGE_SIZE:
            return records
        page += 1


async def require_client_id(app: "Application", code: str) -> int:
    """Return the id of a client. Raises `BadParameter`."""
    from haulier.contexts.identity import public as access

    async with app.database.read(None) as work:
        client_id = await access.get_client_id_by_code(work.without_tenant_filter("the operator acts for it"), code)
    if client_id is None:
        raise typer.BadParameter(f"unknown client {code}", param_hint="--client")
    return client_id


async def require_user_by_email(app: "Application", email: str) -> "UserWithClientRow":
    """Return the user with an email address. Raises `BadParameter`."""
    from haulier.contexts.identity import public as access

    async with app.database.read(None) as work:
        user = await access.find_user_by_email(work, email.strip().lower())
    if user is None:
        raise typer.BadParameter(f"no user has the address {email}", param_hint="EMAIL")
    return user


async def list_client_ids(app: "Application", client: str | None) -> dict[str, int]:
    """Return the ids of one client, or of all, by code."""
    from haulier.contexts.identity import public as access

    if client is not None:
        return {client: await require_client_id(app, client)}
    async with app.database.read(None) as work:
        rows = await access.list_all_clients(work.without_tenant_filter("the operator lists all clients"))
    return {row.code: row.id for row in rows}


def _to_sentence(error: dict[str, Any]) -> str:
    fields = "; ".join(f"{each['field']}: {each['message']}" for each in error.get("errors", ()) if each.get("field"))
    return f"haulier: {error['message']}{f' ({fields})' if fields else ''} [{error['code']}]"
