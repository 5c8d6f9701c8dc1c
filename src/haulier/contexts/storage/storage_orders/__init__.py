"""Orders for storage: what it costs over time, what was received for it, and what of it is paid."""

from haulier.kernel.operations.enums import Area

AREA = Area.CUSTOMER
