"""Provider keys: with these, carriers and partners push events. A client issues them for itself alone."""

from haulier.kernel.operations.enums import Area

AREA = Area.OTEP
