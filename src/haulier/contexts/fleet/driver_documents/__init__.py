"""Driver documents.

Licences, insurances and others, with reviews and expiry dates.
"""

from haulier.kernel.operations.enums import Area

AREA = Area.DRIVER_INFO
