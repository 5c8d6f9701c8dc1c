"""Errors of zone maps."""

from haulier.kernel.operations.errors import declare_error

ZONE_MAP_UNCHANGED = declare_error("zone_map_unchanged", 409)
ZONE_MAP_FULL = declare_error("zone_map_full", 409)
ZONE_MAP_ARCHIVED = declare_error("zone_map_archived", 409)
