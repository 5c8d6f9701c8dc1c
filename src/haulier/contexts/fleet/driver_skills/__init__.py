"""Skills: the catalogue of what orders can require, and the drivers who have them."""

from haulier.kernel.operations.enums import Area

AREA = Area.SKILLS
