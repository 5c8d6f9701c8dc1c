"""Request and response models for branding."""

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
    """Branding shown to recipients. Omitted fields are not shown."""

    colour: Colour | None = None
    """Color of the tracking page's header, as six hexadecimal digits."""
    contact_email: Email | None = None
    """Contact email address for recipients."""
    contact_phone: ContactPhone | None = None
    """Contact phone number for recipients."""
    website: WebAddress | None = None
    """Website with further information."""
    live_map: bool = False
    """If true, verified recipients see their driver on a map while the delivery is on its way."""


class Brand(Answer):
    """Branding shown to recipients."""

    name: Annotated[str, doc("Name of the business.", "Demo Couriers")]
    colour: Annotated[str | None, doc("Six hexadecimal digits.", "#0a5c8f")]
    contact_email: str | None
    contact_phone: str | None
    website: str | None
    live_map: Annotated[bool, doc("True if verified recipients see their driver on a map.")] = False


class BrandAnswer(Answer):
    """Branding of the business."""

    result: bool = True
    brand: Brand
