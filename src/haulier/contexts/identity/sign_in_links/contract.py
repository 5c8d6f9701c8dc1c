"""Request model of sign-in links."""

from typing import Annotated

from pydantic import Field, SecretStr

from haulier.kernel.operations.declaration import Request


class SignInWithLink(Request):
    """The token of a sign-in link."""

    token: Annotated[SecretStr, Field(min_length=1, max_length=100)]
    """Token: the part behind `#` in the link."""
    device: Annotated[str, Field(max_length=191)] | None = None
    """A name for the device, shown in the list of sessions."""
