"""SMS: sent through the platform's provider or a client's own account."""

from haulier.kernel.operations.enums import Area

AREA = Area.CLIENT
