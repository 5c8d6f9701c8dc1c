"""Alliances: businesses that let each other read the tracking of their parcels."""

from haulier.kernel.operations.enums import Module

MODULE = Module.ALLIANCES
