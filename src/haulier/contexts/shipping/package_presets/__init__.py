"""Package presets: boxes and carrier packages with their size and empty weight."""

from haulier.kernel.operations.enums import Area

AREA = Area.SHIPPING
