"""Sample data: a day of a test business, loaded and removed with one call each.

Terms: sample data (customers, drivers and orders of a test business that had no records before).
"""

from haulier.kernel.operations.enums import Area

AREA = Area.CLIENT
