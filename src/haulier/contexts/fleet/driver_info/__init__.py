"""Driver info for the start of the app: identity, skills and document status."""

from haulier.kernel.operations.enums import Area

AREA = Area.DRIVER_INFO
