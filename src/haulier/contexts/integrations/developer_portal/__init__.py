"""Developer portal: descriptions of the registry for programs. It stores nothing."""

from haulier.kernel.operations.enums import Area

AREA = Area.DEVELOPER_PORTAL
