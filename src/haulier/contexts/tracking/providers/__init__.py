"""Provider keys: carriers and partners push events with them.

Each belongs to one client.
"""

from haulier.kernel.operations.enums import Area

AREA = Area.OTEP
