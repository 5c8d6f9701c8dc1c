"""`haulier session`: sessions of users."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from haulier.cli.calls import call_for_user, list_all_pages, require_user_by_email
from haulier.cli.output import AsJson, print_records
from haulier.cli.server import Database
from haulier.cli.transactions import run_with_application

if TYPE_CHECKING:
    from haulier.kernel.application import Application

group = typer.Typer(help="List and revoke sessions of users.", no_args_is_help=True)
Email = Annotated[str, typer.Argument(help="Email address of the user.")]


def register_commands(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.add_typer(group, name="session")


@group.command("list")
def list_sessions(email: Email, as_json: AsJson = False, database: Database = None) -> None:
    """List the active sessions of a user."""

    async def read(app: "Application") -> list[dict[str, Any]]:
        user = await require_user_by_email(app, email)
        return await list_all_pages(app, user.client_id, "list_user_sessions", "sessions", user_id=user.id)

    columns = ("id", "device", "created_at", "last_used_at", "expires_at")
    print_records(run_with_application(database, read), columns, as_json=as_json)


@group.command("revoke")
def revoke_sessions(email: Email, database: Database = None) -> None:
    """Sign a user out on every device. API tokens keep working."""
    answer = call_for_user(database, email, "end_user_sessions")
    typer.echo(f"{answer['revoked']} sessions revoked")
