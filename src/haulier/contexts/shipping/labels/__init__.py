"""Labels: what carriers charge, labels that are bought, given back and handed over."""

from haulier.kernel.operations.enums import Area

AREA = Area.LABEL_SERVICE
