"""`haulier db upgrade|downgrade|current`."""

from typing import Annotated

import typer

from haulier import settings as settings_module
from haulier.cli.serving import Database

group = typer.Typer(help="Migrations of the database.", no_args_is_help=True)


def add_to(app: typer.Typer) -> None:
    """Put this file's commands on the command line."""
    app.add_typer(group, name="db")


@group.command()
def upgrade(revision: Annotated[str, typer.Argument()] = "head", database: Database = None) -> None:
    """Bring the database to a revision (the newest by default)."""
    from haulier.adapters import migrations

    migrations.upgrade(_url(database), revision)
    typer.echo(f"at {migrations.current(_url(database))}")


@group.command()
def downgrade(
    revision: Annotated[str, typer.Argument(help="A revision, -1, or base.")], database: Database = None
) -> None:
    """Take the database back to an earlier revision."""
    from haulier.adapters import migrations

    migrations.downgrade(_url(database), revision)
    typer.echo(f"at {migrations.current(_url(database))}")


@group.command()
def current(database: Database = None) -> None:
    """The revision the database is at."""
    from haulier.adapters import migrations

    typer.echo(migrations.current(_url(database)) or "empty")


def _url(database: str | None) -> str:
    return settings_module.load(database=database).database
