"""Skills: the catalogue of what a driver can do that an order may ask for, and who has which."""

from haulier.kernel.operations.enums import Area

AREA = Area.SKILLS
