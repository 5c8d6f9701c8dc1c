"""Members: what each user may do of what their account may, in which language and time zone they live, who customers are."""

from haulier.kernel.operations.enums import Area

AREA = Area.USER
