"""Order imports: a file of orders is checked, its columns are named, and it becomes a batch.

Words: column (of the file), field (of an order, as files know it: `OrderField`).
"""

from haulier.kernel.operations.enums import Area

AREA = Area.CLIENT
