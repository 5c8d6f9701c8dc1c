"""A valid request for each operation on map regions."""

import tempfile
from pathlib import Path

TOWN = Path(tempfile.gettempdir(), "haulier-test-regions", "town.pmtiles")
"""File of a map, written by the business that walks use."""
_TASK: dict[str, object] = {"map_region_task_id": "$map_region_task_id"}

EXAMPLES: dict[str, dict[str, object]] = {
    "list_map_regions": {},
    "install_map_region": {"path": str(TOWN)},
    "remove_map_region": {"region": "installed"},
    "list_map_region_tasks": {},
    "get_map_region_task": _TASK,
    "cancel_map_region_task": _TASK,
}
