"""Ports of shipping: carriers that rate, sell, void, manifest and track labels.

One shipment is one purchase; it can have several parcels. Weights are grams, lengths millimetres, money `Money`,
moments aware. A carrier translates to and from its own wire format, contains no business rule and stores nothing.
"""

from collections.abc import Mapping, Sequence
from datetime import date, datetime
from enum import StrEnum
from typing import Literal, Protocol

from msgspec import Struct

from haulier.kernel.values.money import Money

CustomsReason = Literal["sale", "gift", "sample", "return", "repair", "documents"]


class Capability(StrEnum):
    """Capabilities of a carrier."""

    RATE = "rate"
    BUY = "buy"
    RECOVER = "recover"
    """It finds a purchase by our reference."""
    VOID = "void"
    MANIFEST = "manifest"
    TRACK = "track"
    PICKUP = "pickup"
    CHECK_ADDRESS = "check_address"


class LabelFormat(StrEnum):
    """The form of a label's bytes, 4 x 6 inches."""

    PDF = "pdf"
    ZPL = "zpl"
    PNG = "png"


class Severity(StrEnum):
    """Severity of a carrier's remark."""

    INFO = "info"
    WARNING = "warning"
    ERROR = "error"


class CarrierMessage(Struct, frozen=True):
    """A remark of a carrier, with its own words and code.

    It is data, never an instruction. `field` is the path in our shipment, if the carrier names it. A sentence of this
    product has no text but a `message` of the catalogues with its `params`: create it with `make_own_message`.
    """

    text: str
    code: str | None = None
    severity: Severity = Severity.INFO
    field: str | None = None
    message: str = ""
    params: dict[str, str] = {}


class CarrierRefused(Exception):
    """Raised when a carrier rejects a request for good; nothing was done."""

    def __init__(self, messages: Sequence[CarrierMessage]) -> None:
        super().__init__("; ".join(each.text or f"{each.message} {each.params}" for each in messages))
        self.messages = tuple(messages)


class CredentialsRefused(CarrierRefused):
    """The carrier does not know the account, or it may not do this."""


class CarrierUnavailable(Exception):
    """Raised when a carrier certainly did nothing.

    Retry, after `retry_after_s` if it named one. The reason is for logs.
    """

    def __init__(self, reason: str, retry_after_s: int | None = None) -> None:
        super().__init__(reason)
        self.retry_after_s = retry_after_s


class OutcomeUnknown(Exception):
    """Raised when a carrier's answer was lost: it may have acted.

    Not `CarrierUnavailable`: a retry could buy twice. Use `Carrier.find_purchase` first.
    """


class Party(Struct, frozen=True):
    """A sender or recipient.

    `country` is ISO 3166-1 alpha-2, `phone` E.164 if known, `region` the ISO 3166-2 part.
    """

    name: str
    street: str
    city: str
    country: str
    postal_code: str = ""
    region: str = ""
    street2: str = ""
    company: str = ""
    phone: str = ""
    email: str = ""
    residential: bool | None = None
    """If true, the address is residential, which carriers charge for. None: unknown."""


class Parcel(Struct, frozen=True):
    """One package of a shipment. Lengths of 0 are not known."""

    weight_g: int
    length_mm: int = 0
    width_mm: int = 0
    height_mm: int = 0
    declared_value: Money | None = None
    reference: str = ""
    description: str = ""


class CustomsItem(Struct, frozen=True):
    """Goods of one kind that cross a border.

    `unit_weight_g` and `unit_value` are of one piece.
    """

    description: str
    quantity: int
    unit_value: Money
    unit_weight_g: int
    origin_country: str
    hs_code: str = ""


class Shipment(Struct, frozen=True):
    """A shipment to carry.

    `reference` is this server's, at most 35 characters: a lost purchase is found by it at the carrier.
    """

    reference: str
    sender: Party
    recipient: Party
    parcels: tuple[Parcel, ...]
    ship_at: datetime
    """When the carrier gets it, in the sender's zone."""
    return_to: Party | None = None
    customs: tuple[CustomsItem, ...] = ()
    customs_reason: CustomsReason = "sale"
    signature: bool = False
    saturday: bool = False
    customer_references: tuple[str, ...] = ()
    """Printed on the label where the carrier has room: order and invoice numbers."""


class CarrierService(Struct, frozen=True):
    """A service of a carrier.

    `countries` of recipients, empty for all; `domestic`, `international`: from the sender's view.
    """

    code: str
    name: str
    domestic: bool = True
    international: bool = False
    countries: tuple[str, ...] = ()


class Charge(Struct, frozen=True):
    """A part of a price: `base`, `fuel`, `residential`, `tax`, or the carrier's code."""

    code: str
    name: str
    amount: Money
    rate_bp: int = 0
    """Rate of a tax of our own carrier, in hundredths of a percent."""


class Rate(Struct, frozen=True):
    """Price of a service with charges and taxes. `rate_id` is the carrier's own id."""

    service: str
    name: str
    price: Money
    charges: tuple[Charge, ...] = ()
    transit_days: int | None = None
    deliver_by: datetime | None = None
    guaranteed: bool = False
    rate_id: str | None = None
    expires_at: datetime | None = None
    po_boxes: bool = False
    """The service delivers to boxes at post offices."""


class Rates(Struct, frozen=True):
    """Rates and remarks; a service that cannot carry the shipment has a message."""

    rates: tuple[Rate, ...]
    messages: tuple[CarrierMessage, ...] = ()


class BoughtParcel(Struct, frozen=True):
    """A parcel's label: bytes in `label_format`, as the carrier gave them."""

    tracking_number: str
    label: bytes
    label_format: LabelFormat


class Paper(Struct, frozen=True):
    """A further document of the carrier, such as an invoice. `media_type` of RFC 6838."""

    kind: str
    content: bytes
    media_type: str


class Purchase(Struct, frozen=True):
    """A bought shipment. `carrier_reference` identifies it for voids and manifests."""

    carrier_reference: str
    service: str
    tracking_number: str
    parcels: tuple[BoughtParcel, ...]
    """In the order of the shipment's parcels."""
    price: Money | None = None
    """Price of the carrier, or None if only its invoice states it."""
    papers: tuple[Paper, ...] = ()
    messages: tuple[CarrierMessage, ...] = ()


class BoughtReference(Struct, frozen=True):
    """A purchase as the carrier knows it."""

    carrier_reference: str
    tracking_numbers: tuple[str, ...]


class VoidState(StrEnum):
    """Result of requesting a void."""

    VOIDED = "voided"
    PENDING = "pending"  # the carrier decides later: call `void` again, which is safe to repeat
    REFUSED = "refused"


class VoidOutcome(Struct, frozen=True):
    """Result of a void. An already void label is VOIDED."""

    state: VoidState
    messages: tuple[CarrierMessage, ...] = ()


class Manifest(Struct, frozen=True):
    """Shipments that a carrier closed. Others stay open, each with a message."""

    manifest_id: str | None
    closed: tuple[str, ...]
    """`carrier_reference` of each purchase; `messages` are by `carrier_reference`, too."""
    messages: Mapping[str, CarrierMessage]
    paper: Paper | None = None


class CarrierEvent(Struct, frozen=True):
    """A scan of a carrier.

    `event_id` is stable across answers; `otep_code` is the vocabulary's word for the carrier's `code`.
    """

    event_id: str
    code: str
    otep_code: str
    occurred_at: datetime
    text: str = ""
    city: str = ""
    region: str = ""
    country: str = ""


class UnreadScan(Struct, frozen=True):
    """A scan, as its `sender` wrote it, without a usable time."""

    sender: str
    document: Mapping[str, object]


class PickupRequest(Struct, frozen=True):
    """A pickup request to a carrier.

    Times are the sender's, `closes_at` after `ready_at`, of the same day.
    """

    reference: str
    place: Party
    ready_at: datetime
    closes_at: datetime
    parcels: int
    weight_g: int
    note: str = ""
    bought: tuple["BoughtReference", ...] = ()
    """Shipments to collect, if known: aggregators need them to choose the carrier."""


class Pickup(Struct, frozen=True):
    """A booked pickup."""

    confirmation: str
    price: Money | None = None
    messages: tuple[CarrierMessage, ...] = ()


class AddressVerdict(StrEnum):
    VALID = "valid"
    CORRECTED = "corrected"
    UNKNOWN = "unknown"


class AddressCheck(Struct, frozen=True):
    """A carrier's verdict on an address, and its own spelling if it has one."""

    verdict: AddressVerdict
    suggestion: Party | None = None
    messages: tuple[CarrierMessage, ...] = ()


class Carrier(Protocol):
    """A carrier under one account.

    Every method raises `CarrierRefused`, `CredentialsRefused` or `CarrierUnavailable`; those that change something at
    the carrier (`buy`, `void`, `close_day`, `book_pickup`, `cancel_pickup`) also `OutcomeUnknown`. Every call ends
    within the directory's stated time. Unsupported methods raise `NotImplementedError`: check `capabilities` first.
    """

    @property
    def capabilities(self) -> frozenset[Capability]:
        """Return the supported capabilities."""
        ...

    @property
    def services(self) -> Sequence[CarrierService]:
        """Return its services, as far as they are known without a request."""
        ...

    async def test_credentials(self) -> None:
        """Check that the account is accepted, at no cost. Raises `CredentialsRefused`."""
        ...

    async def rate(self, shipment: Shipment, services: Sequence[str] = ()) -> Rates:
        """Return the rates of services, or of all."""
        ...

    async def buy(self, shipment: Shipment, rate: Rate, label_format: LabelFormat) -> Purchase:
        """Buy labels for all parcels of a shipment, or for none.

        A label has the requested format if the carrier supports it, else another one that it states.
        """
        ...

    async def find_purchase(self, shipment: Shipment) -> Purchase | None:
        """Return the valid purchase under `shipment.reference` with its labels, or None."""
        ...

    async def void(self, bought: BoughtReference) -> VoidOutcome:
        """Void labels. Safe to repeat."""
        ...

    async def close_day(self, ship_on: date, place: Party, bought: Sequence[BoughtReference]) -> Manifest:
        """Hand over a day's purchases. Previously closed ones are included."""
        ...

    async def track(self, tracking_number: str) -> Sequence[CarrierEvent | UnreadScan]:
        """Return the scans of a parcel, earliest first; empty if it is still unknown."""
        ...

    async def book_pickup(self, request: PickupRequest) -> Pickup:
        """Book a pickup."""
        ...

    async def cancel_pickup(self, confirmation: str) -> None:
        """Cancel a pickup. Safe to repeat."""
        ...

    async def check_address(self, party: Party) -> AddressCheck:
        """Return the carrier's verdict on an address."""
        ...


class CredentialField(Struct, frozen=True):
    """A credential that an account needs. Secrets are stored encrypted."""

    name: str
    title: str
    secret: bool = True
    required: bool = True


class CarrierKind(Struct, frozen=True):
    """A carrier that accounts can be opened with.

    Its code in upper case (`UPS`), name, and credential fields.
    """

    code: str
    name: str
    credentials: tuple[CredentialField, ...]
    capabilities: frozenset[Capability]
    services: tuple[CarrierService, ...] = ()
    """Empty for an aggregator, whose services depend on the account."""


class CarrierDirectory(Protocol):
    """The installed carriers: built-in ones, and those of packages (entry points)."""

    @property
    def kinds(self) -> Sequence[CarrierKind]:
        """Return all carriers by code."""
        ...

    def open(self, code: str, credentials: Mapping[str, str], *, test_mode: bool) -> Carrier:
        """Open a carrier under an account, in its sandbox for `test_mode`.

        Raises `KeyError` for an unknown code.
        """
        ...
