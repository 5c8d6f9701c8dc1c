"""Order imports: check a file of orders, map its columns, and create a batch.

Words: column (of the file), field (of an order, as files know it: `OrderField`).
"""

from haulier.kernel.operations.enums import Area

AREA = Area.CLIENT
