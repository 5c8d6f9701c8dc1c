"""How a business shows itself to recipients: requests and answers."""

from typing import Annotated

from pydantic import Field

from haulier.contexts.identity.fields import Email
from haulier.kernel.operations.answers import Answer, doc
from haulier.kernel.operations.declaration import Request

CONTACT_MAX = 50
ADDRESS_MAX = 200
Colour = Annotated[str, Field(max_length=7, pattern="^#[0-9a-fA-F]{6}$", examples=["#0a5c8f"])]
ContactPhone = Annotated[str, Field(max_length=CONTACT_MAX, pattern=r"^[^\x00-\x1f\x7f]+$", examples=["+14165550100"])]
WebAddress = Annotated[
    str, Field(max_length=ADDRESS_MAX, pattern=r"^https://[^\x00-\x20]+$", examples=["https://demo.example/help"])
]


class SetBrand(Request):
    """All of it; what is left out is not shown."""

    colour: Colour | None = None
    """The colour of the tracking page's band."""
    contact_email: Email | None = None
    """Where recipients write to."""
    contact_phone: ContactPhone | None = None
    """Where they call."""
    website: WebAddress | None = None
    """Where they read more."""


class Brand(Answer):
    """How a business shows itself to recipients."""

    name: Annotated[str, doc("The business's name", "Demo Couriers")]
    colour: Annotated[str | None, doc("Six hexadecimal digits", "#0a5c8f")]
    contact_email: str | None
    contact_phone: str | None
    website: str | None


class BrandAnswer(Answer):
    """How the business shows itself to recipients."""

    result: bool = True
    brand: Brand
