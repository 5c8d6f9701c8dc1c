"""The first start of a server: its first business and its owner, made in the browser by whoever reads the server's log."""

from haulier.kernel.operations.enums import Area

AREA = Area.USER
"""Creating the first business of a server, for whoever has the code that the server printed."""
