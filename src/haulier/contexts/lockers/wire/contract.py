"""The frame of a keypad, which is about parcels and therefore not among those of all devices."""

from datetime import datetime
from typing import Annotated

from pydantic import Field, SecretStr

from haulier.contexts.lockers.devices.contract.frames import CommandFrame, DeviceFrame
from haulier.kernel.operations.answers import Answer, doc


class CodeFrame(DeviceFrame):
    """What somebody typed or scanned at a cabinet."""

    code: Annotated[SecretStr, Field(min_length=1, max_length=40)]
    """The code."""


class CodeVerdict(Answer):
    """Whether a code opens a door. The same frame again gets the same command."""

    result: bool = True
    accepted: bool
    command: Annotated[CommandFrame | None, doc("The door to open.")]
    tries_left: Annotated[int, doc("How many wrong codes may follow before the keypad rests.")]
    rests_until: Annotated[datetime | None, doc("Until when the keypad takes no code.")]
