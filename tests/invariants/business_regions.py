"""Map regions of the business that walks use."""

import os
import tempfile
from pathlib import Path
from typing import Any, cast

from msgspec.structs import replace
from tests.contexts.places.map_regions.examples import TOWN
from tests.support.app import App
from tests.support.small_maps import write_map

from haulier.adapters.regions.folder import RegionFolder
from haulier.adapters.regions.installs import ServerRegionInstalls
from haulier.contexts.places.public import InstalledRegion, RegionInstalls, Regions


class FolderWithDemo(RegionFolder):
    """A folder, and a region of the package named `packaged`."""

    def find(self, name: str) -> InstalledRegion | None:
        """Return a region by name."""
        found = super().find("installed" if name == "packaged" else name)
        return replace(found, packaged=name == "packaged") if found else None


async def map_regions(app: App) -> dict[str, Any]:
    """Create an installed region and the file of another, and start a task."""
    folder = Path(tempfile.mkdtemp(prefix="haulier-regions-"))
    write_map(folder / "installed.pmtiles")
    os.utime(folder / "installed.pmtiles", times=(app.clock().timestamp(),) * 2)
    write_map(TOWN)
    adapters = cast(dict[type, Any], app.application.adapters)
    adapters[Regions] = FolderWithDemo(folder)
    adapters[RegionInstalls] = ServerRegionInstalls(folder, app.database)
    asked = {"path": str(TOWN), "region": "started"}
    started = await app.answer("admin", "install_map_region", asked, confirmed=True)
    return {"map_region_task_id": started.task.id}
