"""Alliances: businesses that let each other read the tracking of their parcels.

Membership alone shares nothing: each member grants each other one numbers, fields, and an expiry. Each read under a
grant is recorded for both.
"""

from haulier.kernel.operations.enums import Area

AREA = Area.ALLIANCE
