"""Test mode: simulated progress of records, and deletion of test data.

Terms: test business (of a live client, with simulated services), advance (move a record to its next status).
"""

from haulier.kernel.operations.enums import Area

AREA = Area.CLIENT
