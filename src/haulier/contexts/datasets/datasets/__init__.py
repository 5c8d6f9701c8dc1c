"""Datasets: lists of a client's own, their groups, their schemas and the versions of these."""

from haulier.kernel.operations.enums import Area

AREA = Area.DATASET
