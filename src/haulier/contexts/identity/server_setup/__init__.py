"""Setup of a server: its first business and owner, with the code from its log."""

from haulier.kernel.operations.enums import Area

AREA = Area.USER
"""Creating the first business of a server, with the code that it printed."""
