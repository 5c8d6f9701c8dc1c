"""Text messages: through whom a client sends them, the platform's carrier or an account of its own."""

from haulier.kernel.operations.enums import Area

AREA = Area.CLIENT
