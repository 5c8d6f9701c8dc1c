"""Imports: many records of a dataset from one file, in the background."""

from haulier.kernel.operations.enums import Area

AREA = Area.DATASET
