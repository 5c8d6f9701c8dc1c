"""`haulier region`: map, addresses and roads of an area, from one file."""

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from haulier.cli.server import Database

if TYPE_CHECKING:
    from haulier.adapters.regions.install import RegionInstaller
    from haulier.contexts.places.public import RegionOutcome, RegionProgress

R = TypeVar("R")
STEPS = {
    "checking": "Checking the file",
    "reading": "Reading the extract",
    "map": "Building the map",
    "roads": "Building the roads",
    "addresses": "Importing addresses",
    "installing": "Installing",
}
Folder = Annotated[str | None, typer.Option(help="Folder of regions, by default the setting `regions`.")]
group = typer.Typer(help="Install map, addresses and roads of an area from one file.", no_args_is_help=True)


def register_commands(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.add_typer(group, name="region")


@group.command("add")
def add_region(
    file: Annotated[
        Path, typer.Argument(help="OpenStreetMap extract (.osm.pbf), or a map of the Protomaps schema (.pmtiles).")
    ],
    name: Annotated[str | None, typer.Option(help="Name of the region, by default from the file name.")] = None,
    title: Annotated[str | None, typer.Option(help="Title to show.")] = None,
    folder: Folder = None,
    database: Database = None,
) -> None:
    """Install a region, replacing an older one of the same name.

    Repeat an interrupted command: it continues where it stopped. The older region is used until the new one is
    complete.
    """
    _print_outcome(_with_installer(database, folder, lambda installer: installer.add(file, name=name, title=title)))


@group.command("update")
def update_region(
    name: Annotated[str, typer.Argument(help="Name of the region.")],
    file: Annotated[Path | None, typer.Argument(help="New file, by default the one it was installed from.")] = None,
    folder: Folder = None,
    database: Database = None,
) -> None:
    """Install a region again from its file, for example after a newer download."""
    _print_outcome(_with_installer(database, folder, lambda installer: installer.update(name, file)))


@group.command("remove")
def remove_region(
    name: Annotated[str, typer.Argument(help="Name of the region.")],
    folder: Folder = None,
    database: Database = None,
) -> None:
    """Remove a region with its map, addresses and roads."""
    _with_installer(database, folder, lambda installer: installer.remove(name))
    typer.echo(f"{name} removed")


@group.command("list")
def list_regions(folder: Folder = None, database: Database = None) -> None:
    """List the installed regions."""
    from haulier.adapters.regions.folder import RegionFolder, regions_folder
    from haulier.settings import load_settings

    settings = load_settings(database=database, regions=folder)
    regions = RegionFolder(regions_folder(settings.regions, settings.database), packaged=settings.demo).installed()
    for region in regions:
        typer.echo(
            f"{region.name}\t{region.title}\t{region.size / 1e6:.1f} MB\t{region.updated_at:%Y-%m-%d}"
            f"\t{region.addresses} addresses\t{region.streets} streets\t{'roads' if region.roads else 'no roads'}"
            f"\t{region.attribution}"
        )
    if not regions:
        typer.echo("No regions. Install one with haulier region add FILE.")


def _with_installer(database: str | None, folder: str | None, run: "Callable[[RegionInstaller], Awaitable[R]]") -> R:
    import asyncio

    from haulier.adapters.database import database_for
    from haulier.adapters.regions.folder import regions_folder
    from haulier.adapters.regions.install import RegionInstaller
    from haulier.contexts.identity.public import find_client_countries
    from haulier.contexts.places.public import RegionFault
    from haulier.settings import load_settings

    settings = load_settings(database=database, regions=folder)

    async def work() -> R:
        opened = database_for(settings.database)
        await opened.open()

        async def business_countries() -> frozenset[str]:
            async with opened.read(None) as unit:
                return await find_client_countries(unit)

        try:
            installer = RegionInstaller(
                regions_folder(settings.regions, settings.database),
                opened,
                progress=ProgressPrinter(),
                countries=business_countries,
            )
            return await run(installer)
        finally:
            await opened.close()

    try:
        return asyncio.run(work())
    except RegionFault as fault:
        typer.echo(f"haulier: {fault}", err=True)
        raise typer.Exit(1) from None


def _print_outcome(outcome: "RegionOutcome") -> None:
    region = outcome.region
    for remark in outcome.remarks:
        typer.echo(f"Note: {remark.text}")
    state = "is installed already" if outcome.unchanged else "is installed"
    typer.echo(
        f"{region.title} {state}: {region.size / 1e6:.1f} MB, {region.addresses} addresses, {region.streets} streets,"
        f" {'roads' if region.roads else 'no roads'}. {region.attribution}"
    )


class ProgressPrinter:
    """Prints a line for each step, and for each tenth of it."""

    def __init__(self) -> None:
        self._printed = ""

    def __call__(self, state: "RegionProgress") -> None:
        """Print the state if it differs visibly from the last one."""
        line = f"{STEPS.get(state.step, state.step)} …"
        if state.percent is not None:
            line += f" {int(state.percent // 10) * 10} %"
        elif state.count:
            line += f" {state.count:,}"
        if line != self._printed:
            self._printed = line
            typer.echo(line)
