"""Developer portal: the registry describing itself to programs and to those who write them. It keeps nothing."""

from haulier.kernel.operations.enums import Area

AREA = Area.DEVELOPER_PORTAL
