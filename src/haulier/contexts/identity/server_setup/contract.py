"""The first start: its request."""

from typing import Annotated

from pydantic import Field, SecretStr

from haulier.contexts.identity.fields import Email, Language, Name, Password
from haulier.kernel.operations.declaration import Request


class CreateFirstBusiness(Request):
    """The business that runs on this server, and the person who owns it."""

    setup_code: Annotated[SecretStr, Field(min_length=1, max_length=100)]
    """The code that the server printed when it started, in its log: what stands behind `#` in the link."""
    business_name: Name
    """The name that customers see."""
    name: Name
    """The owner's name, as others see it."""
    email: Email
    """What the owner will sign in with."""
    password: Password
    """At least ten characters."""
    language: Language | None = None
    """The owner's language, and that of e-mails to people who chose none."""
    device: Annotated[str, Field(max_length=191)] | None = None
    """A name for the device, shown in the list of sessions."""
