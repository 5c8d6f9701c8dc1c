"""Sites of lockers: where they are, when they are open, their cabinets, and the state of every box."""

from haulier.kernel.operations.enums import Area

AREA = Area.SMART_LOCKER
