"""Links that sign somebody in: the request."""

from typing import Annotated

from pydantic import Field, SecretStr

from haulier.kernel.operations.declaration import Request


class SignInWithLink(Request):
    """The token of a link that the office made."""

    token: Annotated[SecretStr, Field(min_length=1, max_length=100)]
    """The token: what stands behind `#` in the link."""
    device: Annotated[str, Field(max_length=191)] | None = None
    """A name for the device, shown in the list of sessions."""
