"""Definitions of custom fields: records, types, visibility and write access."""

from haulier.kernel.operations.enums import Area

AREA = Area.CLIENT
