"""Self-description of the protocol: validator, codebook, schema and guide."""

from haulier.kernel.operations.enums import Area

AREA = Area.OTEP
