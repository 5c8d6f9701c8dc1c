"""When services are charged, and refunds of charges.

One sum per charge covers refunds, cancellations, voids and credits.
"""

from haulier.kernel.operations.enums import Area

AREA = Area.BILLING
