"""Labels: rates, purchases, voids and handover."""

from haulier.kernel.operations.enums import Area

AREA = Area.LABEL_SERVICE
