"""The client's own profile: what the world asks and gets."""

from typing import Annotated

from pydantic import AfterValidator, Field

from haulier.contexts.access.accounts.contract.sessions import ClientFacts
from haulier.contexts.access.accounts.contract.users import Language, Name, TimeZone, UserId
from haulier.contexts.access.accounts.rules.places import known_country, known_currency
from haulier.kernel.answers import Answer
from haulier.kernel.declarations import Feature, Module, PriceFamily
from haulier.kernel.operation import Request

Currency = Annotated[
    str, Field(min_length=3, max_length=3, pattern="^[A-Z]{3}$", examples=["CAD"]), AfterValidator(known_currency)
]
Country = Annotated[
    str, Field(min_length=2, max_length=2, pattern="^[A-Z]{2}$", examples=["CA"]), AfterValidator(known_country)
]


class ClientProfile(Answer):
    """The business that the caller belongs to."""

    result: bool = True
    client: ClientFacts


class UpdateClient(Request):
    """What to change about the business; what is left out stays."""

    name: Name | None = None
    """The name that customers see."""
    time_zone: TimeZone | None = None
    """The business's time zone, an IANA name."""
    currency: Currency | None = None
    """The currency of prices, ISO 4217. It stays once the business has orders."""
    country: Country | None = None
    """The home country, ISO 3166-1 alpha-2."""
    language: Language | None = None
    """The language of letters to people who chose none."""


class SetModule(Request):
    """A module, on or off."""

    module: Module
    """The module."""
    enabled: bool
    """True switches it on."""


class SetFeature(Request):
    """An opt-in family, on or off."""

    feature: Feature
    """The family."""
    enabled: bool
    """True switches it on."""


class ThisCustomer(Request):
    """Which customer."""

    customer_id: UserId
    """The customer's user id."""


class SetPriceVisibility(ThisCustomer):
    """Which prices a customer does not see."""

    hidden: Annotated[frozenset[PriceFamily], Field(max_length=len(PriceFamily))]
    """The order families whose prices are hidden from this customer; all others are shown."""


class PriceVisibility(Answer):
    """Which prices a customer does not see."""

    result: bool = True
    customer_id: int
    hidden: list[str]
