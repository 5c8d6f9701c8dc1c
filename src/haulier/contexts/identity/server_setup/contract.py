"""Request model of the setup."""

from typing import Annotated

from pydantic import Field, SecretStr

from haulier.contexts.identity.fields import Email, Language, Name, Password, TimeZone
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.enums import Module
from haulier.kernel.operations.fields import EachOnce
from haulier.kernel.values.countries import CountryCode
from haulier.kernel.values.currencies import Currency

FIRST_TIME_ZONE, FIRST_CURRENCY = "UTC", "EUR"
"""Values of a business that does not state its own."""


class CreateFirstBusiness(Request):
    """The business to create on this server, and its owner."""

    setup_code: Annotated[SecretStr, Field(min_length=1, max_length=100)]
    """Code from the server's log: the part behind `#` in the link."""
    business_name: Name
    """The name that customers see."""
    name: Name
    """Display name of the owner."""
    email: Email
    """Email address of the owner for sign-in."""
    password: Password
    """At least ten characters."""
    language: Language | None = None
    """Language of the owner, and default language of emails."""
    country: CountryCode | None = None
    """The home country, ISO 3166-1 alpha-2."""
    currency: Currency = FIRST_CURRENCY
    """The currency of prices, ISO 4217. It stays once the business has orders."""
    time_zone: TimeZone = FIRST_TIME_ZONE
    """The business's time zone, an IANA name."""
    modules: Annotated[frozenset[Module], EachOnce] | None = None
    """Modules that the business uses. All if omitted."""
    device: Annotated[str, Field(max_length=191)] | None = None
    """A name for the device, shown in the list of sessions."""
