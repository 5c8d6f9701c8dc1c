"""The id of a quote, which holds what was quoted and when, so that nothing has to be stored for a price that nobody takes.

It promises the prices of the rate card that was in force then. It is sealed: nobody else can issue one, or change its date.
"""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, Protocol

import msgspec
from msgspec import Struct

from haulier.contexts.orders.quotes.rules.prices import Coordinates, Haul, RateCard, haul_distance_m
from haulier.contexts.places.zone_maps.rules.effects import ZoneSurcharge
from haulier.kernel.operations.errors import INVALID_REQUEST, FieldError, OperationError, declare_error
from haulier.kernel.values.postal_codes import normalize_postal_code
from haulier.kernel.values.sealing import SealedKind, seal, unseal

QUOTE_VALIDITY = timedelta(hours=24)
QUOTE_ID_MAX = 500
QUOTE_EXPIRED = declare_error("quote_expired", 409)
QUOTE_MISMATCH = declare_error("quote_mismatch", 409)
_UNSEALED = "eyJjbGllbnRfaWQi"
"""The first characters of an unsealed id: `{"client_id"` in base64."""
DIFFERS = "field.differs_from_quote"


class PastRateCard(Struct, frozen=True):
    """A rate card that was in force until a moment."""

    card: RateCard
    replaced_at: datetime


class ZonePrices(Protocol):
    """What orders cost more where they are delivered."""

    def at(self, place: Coordinates | None, moment: datetime | None = None) -> ZoneSurcharge | None:
        """The surcharge at a place, now or at a moment."""
        ...


class RateCards(Struct, frozen=True):
    """The rate card in force, and those that were in force before it, oldest first; and the surcharges of zones."""

    current: RateCard
    past: Sequence[PastRateCard] = ()
    zones: ZonePrices | None = None

    def in_force_at(self, moment: datetime) -> RateCard:
        """The rate card that was in force then."""
        return next((past.card for past in self.past if moment < past.replaced_at), self.current)


class PricedFacts(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a price depends on, besides the service and the card. The names are those of the order's fields."""

    shipper: Coordinates | None = None
    consignee: Coordinates | None = None
    postal_code: str | None = None
    weight_g: int
    packages: int = 1
    cod_minor: bool = False
    signature_required: bool = False
    type: bool = False
    """Whether the goods are collected from the shipper."""


class Quote(Struct, frozen=True, kw_only=True):
    """A quote that was given. `client_id` is the business that gave it."""

    client_id: int
    issued_s: int
    facts: PricedFacts

    @property
    def issued_at(self) -> datetime:
        """When it was given."""
        return datetime.fromtimestamp(self.issued_s, UTC)


def haul_of(
    card: RateCard, facts: PricedFacts, zones: ZonePrices | None = None, moment: datetime | None = None
) -> Haul:
    """What was quoted or ordered, as the prices of a card depend on it; with the surcharge of the zone it is delivered to.

    Where that end has no coordinates, the zone is that of the other. `moment` is that of the quote, where there is one.
    """
    surcharge = zones.at(facts.consignee or facts.shipper, moment) if zones else None
    return Haul(
        zone_minor=surcharge.amount_minor if surcharge else 0,
        zone_percent=surcharge.percent if surcharge else 0,
        distance_m=haul_distance_m(card, facts.shipper, facts.consignee),
        postal_code=facts.postal_code,
        weight_g=facts.weight_g,
        packages=facts.packages,
        cod=facts.cod_minor,
        signature=facts.signature_required,
        pickup=facts.type,
    )


def priced_postal_code(postal_code: str | None) -> str | None:
    """Return a postal code in the form that prices compare, None if it is empty."""
    return normalize_postal_code(postal_code or "") or None


def make_quote_id(client_id: int, now: datetime, facts: PricedFacts) -> str:
    """The id of a quote."""
    quote = Quote(client_id=client_id, issued_s=int(now.timestamp()), facts=facts)
    return seal(SealedKind.QUOTE, msgspec.json.encode(quote))


def read_quote_id(quote_id: str, client_id: int, now: datetime) -> Quote:
    """Return the quote behind an id.

    Raises `INVALID_REQUEST` for ids that this business did not issue, and `QUOTE_EXPIRED`, also for ids from before quotes
    were sealed.
    """
    document = unseal(SealedKind.QUOTE, quote_id)
    if document is None:
        raise QUOTE_EXPIRED() if quote_id.startswith(_UNSEALED) else _unknown()
    try:
        quote = msgspec.json.decode(document, type=Quote)
    except (ValueError, msgspec.DecodeError):
        raise _unknown() from None
    if quote.client_id != client_id or not 0 <= quote.issued_s <= now.timestamp():
        raise _unknown()
    if quote.issued_at + QUOTE_VALIDITY < now:
        raise QUOTE_EXPIRED()
    return quote


def _unknown() -> OperationError:
    return INVALID_REQUEST.for_fields(FieldError("quote_id", "field.quote_unknown"))


def require_quoted(quote: Quote, facts: PricedFacts) -> None:
    """Refuse an order that is not what was quoted. Raises `QUOTE_MISMATCH` with each field that differs."""
    if names := list(_differing_fields(quote.facts, facts)):
        raise QUOTE_MISMATCH.for_fields(*(FieldError(name, DIFFERS) for name in names))


def _differing_fields(quoted: PricedFacts, ordered: PricedFacts) -> Iterator[str]:
    names: dict[str, Any] = msgspec.structs.asdict(quoted)
    for name in names:
        if names[name] != getattr(ordered, name):
            yield "packages" if name == "weight_g" else name
