"""Branding and contact details shown to recipients."""

from haulier.kernel.operations.enums import Area

AREA = Area.CLIENT
