"""`haulier places import`: import of open address data."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from haulier.cli.server import Database

if TYPE_CHECKING:
    from haulier.contexts.places.public import OpenDataCounts

group = typer.Typer(help="Import open data of addresses and postal codes.", no_args_is_help=True)


def register_commands(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.add_typer(group, name="places")


@group.callback()
def _group() -> None:
    """Import open data of addresses and postal codes."""


@group.command("import")
def import_file(
    file: Annotated[
        Path,
        typer.Argument(
            help="OpenAddresses (CSV, GeoJSON), OpenStreetMap addresses (GeoJSON) or GeoNames postal codes; may be gzipped.",
            exists=True,
            dir_okay=False,
        ),
    ],
    country: Annotated[
        str | None, typer.Option(help="ISO 3166-1 alpha-2 country of the data, if the file does not contain it.")
    ] = None,
    source: Annotated[
        str | None, typer.Option(help="Name of the source, by default the file name. A later import replaces it.")
    ] = None,
    database: Database = None,
) -> None:
    """Import a file, replacing earlier data of the same source.

    Check its licence first.
    """
    import asyncio
    import gzip

    from haulier.adapters.database import database_for
    from haulier.contexts.places.public import import_open_data
    from haulier.settings import load_settings

    async def run() -> "OpenDataCounts":
        opened = database_for(load_settings(database=database).database)
        await opened.open()
        opener = gzip.open if file.suffix == ".gz" else open
        try:
            with opener(file, "rt", encoding="utf-8", newline="") as lines:
                name = (source or file.name)[:100]
                return await import_open_data(opened, lines, source=name, country=country and country.upper())
        finally:
            await opened.close()

    try:
        counts = asyncio.run(run())
    except ValueError as fault:
        raise typer.BadParameter(str(fault)) from None
    typer.echo(f"{counts.addresses} addresses, {counts.places} postal codes, {counts.skipped} lines skipped")
