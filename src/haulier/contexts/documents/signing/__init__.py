"""Signing: the certificates that this installation signs documents with."""

from haulier.kernel.operations.enums import Area

AREA = Area.DOCUMENTS
