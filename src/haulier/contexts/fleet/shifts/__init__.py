"""Working profiles: weekly shifts and breaks, skills, start, limits and zones.

Also the usual vehicle of a driver.
"""

from haulier.kernel.operations.enums import Area

AREA = Area.DRIVER
