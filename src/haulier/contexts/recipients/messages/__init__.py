"""Emails and SMS messages that inform recipients about their deliveries."""

from haulier.kernel.operations.enums import Area

AREA = Area.CLIENT
