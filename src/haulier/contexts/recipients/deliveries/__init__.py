"""Recipients' access to their deliveries by tracking number and a second proof."""

from haulier.kernel.operations.enums import Area

AREA = Area.TRACKING
