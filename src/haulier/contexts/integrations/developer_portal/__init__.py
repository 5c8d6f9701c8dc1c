"""Developer portal: descriptions of the registry for programs and their authors. It stores nothing."""

from haulier.kernel.operations.enums import Area

AREA = Area.DEVELOPER_PORTAL
