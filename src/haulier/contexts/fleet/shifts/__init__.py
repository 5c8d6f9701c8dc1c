"""How drivers work: weekly shifts and breaks, skills, where a day begins and ends, limits, zones and the usual vehicle."""

from haulier.kernel.operations.enums import Area

AREA = Area.DRIVER
