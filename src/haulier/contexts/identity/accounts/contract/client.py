"""The client's own profile: requests and answers."""

from typing import Annotated

from msgspec import UNSET, UnsetType
from pydantic import Field

from haulier.contexts.identity.fields import Language, Name, TimeZone
from haulier.contexts.identity.ports import LeftBehind
from haulier.kernel.operations.answers import Answer, doc
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.enums import Feature, Module, PriceFamily
from haulier.kernel.operations.fields import EachOnce, RecordId
from haulier.kernel.values.countries import CountryCode
from haulier.kernel.values.currencies import Currency


class ClientFacts(Answer):
    """What a program needs to know about the business."""

    code: str
    name: str
    time_zone: Annotated[str, doc("IANA name", "America/Toronto")]
    currency: Annotated[str, doc("ISO 4217", "CAD")]
    country: Annotated[str | UnsetType, doc("ISO 3166-1 alpha-2", "CA")] = UNSET
    modules: Annotated[list[str], doc("Modules that are on")]
    features: Annotated[list[str], doc("Opt-in families that are on")]
    language: Annotated[str, doc("Of e-mails to people who chose none, BCP 47", "en")]


class ClientProfile(Answer):
    """The business that the caller belongs to."""

    result: bool = True
    client: ClientFacts


class ModuleChange(ClientProfile):
    """The business after a module was switched, and what waited for the module."""

    left_behind: LeftBehind


class UpdateClient(Request):
    """What to change about the business; what is left out stays."""

    name: Name | None = None
    """The name that customers see."""
    time_zone: TimeZone | None = None
    """The business's time zone, an IANA name."""
    currency: Currency | None = None
    """The currency of prices, ISO 4217. It stays once the business has orders."""
    country: CountryCode | None = None
    """The home country, ISO 3166-1 alpha-2."""
    language: Language | None = None
    """The language of e-mails to people who chose none."""


class SetModule(Request):
    """A module, on or off."""

    module: Module
    """The module."""
    enabled: bool
    """True switches it on."""
    give_back: bool = False
    """Say true to switch it off although work waits for it, which is then given back."""


class SetFeature(Request):
    """An opt-in family, on or off."""

    feature: Feature
    """The family."""
    enabled: bool
    """True switches it on."""


class CustomerRef(Request):
    """Which customer."""

    customer_id: RecordId
    """The customer's user id."""


class SetPriceVisibility(CustomerRef):
    """Which prices a customer does not see."""

    hidden: Annotated[frozenset[PriceFamily], EachOnce, Field(max_length=len(PriceFamily))]
    """The order families whose prices are hidden from this customer; all others are shown."""


class PriceVisibility(Answer):
    """Which prices a customer does not see."""

    result: bool = True
    customer_id: int
    hidden: list[str]
