"""Alliances: businesses that let each other read the tracking of their parcels.

Belonging to an alliance shows nobody anything: each member grants each other one what it may track, which fields it sees, and
until when. Each read under a grant is recorded for both.
"""

from haulier.kernel.operations.enums import Area

AREA = Area.ALLIANCE
