"""The command line: `haulier --help` lists it. Each file is one group of commands."""

import sys

import typer

from haulier.cli import database, documents, serving, simulating, users
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
documents.add_to(app)
simulating.add_to(app)


def main() -> None:
    """Run the command line; a bad setting is one clear sentence, not a traceback."""
    try:
        app()
    except BadSetting as fault:
        sys.exit(f"haulier: {fault}")
