"""Types of request fields of the driver's app, with their bounds."""

from typing import Annotated

from pydantic import Field

from haulier.kernel.operations.fields import NO_NUL

SCAN_CODE_MAX = 100
UPLOAD_NAME_MAX = 64
EVENT_ID_MAX = 64
PROOF_PHOTOS_MAX = 10
PIN_MAX = 8

UploadName = Annotated[str, Field(min_length=8, max_length=UPLOAD_NAME_MAX, pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$")]
"""A device's own name for a file."""
ProofPhotos = Annotated[list[UploadName], Field(max_length=PROOF_PHOTOS_MAX)]
Pin = Annotated[str, Field(min_length=1, max_length=PIN_MAX, pattern=r"^[0-9]+$")]
"""PIN that a recipient gives to the driver."""
Barcode = Annotated[str, Field(min_length=1, max_length=SCAN_CODE_MAX, pattern=NO_NUL)]
"""Barcode on the label of a package."""
DeviceEventId = Annotated[str, Field(min_length=8, max_length=EVENT_ID_MAX, pattern=r"^[A-Za-z0-9][A-Za-z0-9._:-]*$")]
"""A device's own name for an event."""
