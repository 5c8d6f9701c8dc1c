"""Deliveries into lockers: an order goes to a site instead of its recipient's door, and where no box opens, somewhere else."""

from haulier.kernel.operations.enums import Area

AREA = Area.SMART_LOCKER
