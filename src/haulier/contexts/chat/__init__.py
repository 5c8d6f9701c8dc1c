"""Chat between the parties of an order."""

from haulier.kernel.operations.enums import Module

MODULE = Module.CHAT
