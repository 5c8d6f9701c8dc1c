"""Datasets of a client, their groups, schemas and versions."""

from haulier.kernel.operations.enums import Area

AREA = Area.DATASET
