"""Cash on delivery: what is due, what was taken at the door, who has it, and what came to the office."""

from haulier.kernel.operations.enums import Area

AREA = Area.ORDERS
