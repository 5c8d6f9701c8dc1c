"""Types of request fields of the driver's app, with their bounds."""

from typing import Annotated

from pydantic import Field

CODE_MAX = 100
UPLOAD_NAME_MAX = 64
EVENT_ID_MAX = 64
PHOTOS_MAX = 10

UploadName = Annotated[str, Field(min_length=8, max_length=UPLOAD_NAME_MAX, pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$")]
"""A device's own name for a file."""
Photos = Annotated[list[UploadName], Field(max_length=PHOTOS_MAX)]
EventId = Annotated[str, Field(min_length=8, max_length=EVENT_ID_MAX, pattern=r"^[A-Za-z0-9][A-Za-z0-9._:-]*$")]
"""A device's own name for a deed."""
