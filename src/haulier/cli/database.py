"""`haulier db upgrade|downgrade|current`."""

from collections.abc import Callable
from typing import Annotated

import typer

from haulier.cli.server import Database

group = typer.Typer(help="Migrations of the database.", no_args_is_help=True)


def register_commands(app: typer.Typer) -> None:
    """Put this file's commands on the command line."""
    app.add_typer(group, name="db")


@group.command()
def upgrade(revision: Annotated[str, typer.Argument()] = "head", database: Database = None) -> None:
    """Bring the database to a revision (the newest by default)."""
    from haulier.adapters import migrations

    _run_migration(migrations.upgrade_schema, _database_url(database), revision)


@group.command(context_settings={"ignore_unknown_options": True})  # -1 is a revision
def downgrade(
    revision: Annotated[str, typer.Argument(help="A revision, -1, or base.")], database: Database = None
) -> None:
    """Take the database back to an earlier revision."""
    from haulier.adapters import migrations

    _run_migration(migrations.downgrade_schema, _database_url(database), revision)


@group.command()
def current(database: Database = None) -> None:
    """The revision the database is at."""
    from haulier.adapters import migrations

    typer.echo(migrations.current_revision(_database_url(database)) or "empty")


def _run_migration(step: Callable[[str, str], None], url: str, revision: str) -> None:
    from alembic.util import CommandError

    from haulier.adapters import migrations

    try:
        step(url, revision)
    except CommandError as fault:
        raise typer.BadParameter(str(fault), param_hint="REVISION") from None
    typer.echo(f"at {migrations.current_revision(url) or 'empty'}")


def _database_url(database: str | None) -> str:
    from haulier.settings import load_settings

    return load_settings(database=database).database
