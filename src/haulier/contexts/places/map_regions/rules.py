"""States and errors of region tasks."""

from enum import StrEnum
from typing import Any

from haulier.contexts.places.ports import RegionFault
from haulier.kernel.operations.errors import INVALID_REQUEST, FieldError, OperationError, declare_error

MAP_REGIONS_FOR_OPERATORS = declare_error("map_regions_for_operators", 403)
MAP_REGION_BUSY = declare_error("map_region_busy", 409)
MAP_REGION_PACKAGED = declare_error("map_region_packaged", 409)
MAP_REGION_TASK_OVER = declare_error("map_region_task_over", 409)

FAULT, REMARK = "map_region.fault_", "map_region.remark_"
"""Beginnings of the messages of faults and remarks, by code."""


class RegionAction(StrEnum):
    """Action of a task."""

    INSTALL = "install"
    REMOVE = "remove"


class RegionTaskState(StrEnum):
    """State of a task."""

    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"


OPEN_STATES = (RegionTaskState.QUEUED.value, RegionTaskState.RUNNING.value)


def file_error(field: str, code: str, **params: Any) -> OperationError:
    """Return the error of a field that names a file or a region."""
    return INVALID_REQUEST.for_fields(FieldError(field, f"field.map_region_{code}", params))


def source_error(field: str, fault: RegionFault) -> OperationError:
    """Return the error of a source that cannot be read."""
    return file_error(field, fault.code, **fault.params)


def fault_document(fault: RegionFault) -> dict[str, Any]:
    """Return a fault as it is stored."""
    return {"code": fault.code, "params": {name: str(value) for name, value in fault.params.items()}}
