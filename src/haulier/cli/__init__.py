"""The command line: `haulier --help` lists it. Each file is one group of commands."""

import sys

import typer

from haulier.cli import apps, database, documents, features, otep, providers, serving, simulating, users
from haulier.settings import BadSetting

app = typer.Typer(
    name="haulier",
    help="Haulier: orders, contractors, drivers, routes and every parcel's journey.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)
serving.add_to(app)
database.add_to(app)
users.add_to(app)
apps.add_to(app)
features.add_to(app)
providers.add_to(app)
otep.add_to(app)
documents.add_to(app)
simulating.add_to(app)


def main() -> None:
    """Run the command line; a bad setting, or a database that is not there, is one clear sentence, not a traceback."""
    try:
        app()
    except (BadSetting, OSError) as fault:
        sys.exit(f"haulier: {fault}")
    except Exception as fault:
        from asyncpg import PostgresError

        if isinstance(fault, PostgresError):
            sys.exit(f"haulier: the database says: {fault}")
        raise
