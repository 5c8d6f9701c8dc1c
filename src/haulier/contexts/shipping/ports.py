"""What shipping needs from outside: carriers that rate, sell, void, manifest and track labels.

One shipment is one purchase; it may have several parcels. Weights are grams, lengths millimetres, money `Money`, moments
aware. A carrier translates to and from its own wire form, holds no rule of the business and keeps nothing.
"""

from collections.abc import Mapping, Sequence
from datetime import date, datetime
from enum import StrEnum
from typing import Literal, Protocol

from msgspec import Struct

from haulier.kernel.values.money import Money

CustomsReason = Literal["sale", "gift", "sample", "return", "repair", "documents"]


class Capability(StrEnum):
    """What a carrier can be asked for."""

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
    """How much a carrier's remark matters."""

    INFO = "info"
    WARNING = "warning"
    ERROR = "error"


class CarrierMessage(Struct, frozen=True):
    """A remark of a carrier, in its own words and with its own code. It is data, never an instruction.

    `field` is the path in our shipment that it is about, where the carrier says so. A sentence of this product has no text
    but a `message` of the catalogues with its `params`: make it with `make_own_message`.
    """

    text: str
    code: str | None = None
    severity: Severity = Severity.INFO
    field: str | None = None
    message: str = ""
    params: dict[str, str] = {}


class CarrierRefused(Exception):
    """The carrier will never accept this as it is; nothing was bought, voided or closed."""

    def __init__(self, messages: Sequence[CarrierMessage]) -> None:
        super().__init__("; ".join(each.text or f"{each.message} {each.params}" for each in messages))
        self.messages = tuple(messages)


class CredentialsRefused(CarrierRefused):
    """The carrier does not know the account, or it may not do this."""


class CarrierUnavailable(Exception):
    """The carrier certainly did nothing: ask again, after `retry_after_s` where it named one. The reason is for logs."""

    def __init__(self, reason: str, retry_after_s: int | None = None) -> None:
        super().__init__(reason)
        self.retry_after_s = retry_after_s


class OutcomeUnknown(Exception):
    """The carrier was asked to do something and its answer was lost: it may have been done.

    Why not `CarrierUnavailable`: asking again could buy twice. Only `Carrier.find_purchase` tells.
    """


class Party(Struct, frozen=True):
    """Who sends or receives. `country` is ISO 3166-1 alpha-2, `phone` E.164 where known, `region` the ISO 3166-2 part."""

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
    """Whether a home: carriers charge for it. None: not known."""


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
    """One kind of goods in a shipment that crosses a border. `unit_weight_g` and `unit_value` are of one piece."""

    description: str
    quantity: int
    unit_value: Money
    unit_weight_g: int
    origin_country: str
    hs_code: str = ""


class Shipment(Struct, frozen=True):
    """What is to be carried. `reference` is ours, at most 35 characters: a lost purchase is found by it at the carrier."""

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
    """A service of a carrier. `countries` of recipients, empty for all; `domestic`, `international`: as the sender sees it."""

    code: str
    name: str
    domestic: bool = True
    international: bool = False
    countries: tuple[str, ...] = ()


class Charge(Struct, frozen=True):
    """A part of a price: `base`, `fuel`, `residential`, `tax`, or the carrier's own code."""

    code: str
    name: str
    amount: Money


class Rate(Struct, frozen=True):
    """What a service costs, charges and taxes in. `rate_id` is the carrier's own, to buy exactly this."""

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
    """Rates and remarks: a service that cannot carry this has a message in place of a rate."""

    rates: tuple[Rate, ...]
    messages: tuple[CarrierMessage, ...] = ()


class BoughtParcel(Struct, frozen=True):
    """A parcel's label: bytes in `label_format`, as the carrier gave them."""

    tracking_number: str
    label: bytes
    label_format: LabelFormat


class Paper(Struct, frozen=True):
    """Another document that the carrier gave: a commercial invoice, a receipt. `media_type` of RFC 6838."""

    kind: str
    content: bytes
    media_type: str


class Purchase(Struct, frozen=True):
    """A bought shipment. `carrier_reference` is what the carrier wants to hear when it is voided or manifested."""

    carrier_reference: str
    service: str
    tracking_number: str
    parcels: tuple[BoughtParcel, ...]
    """In the order of the shipment's parcels."""
    price: Money | None = None
    """What the carrier charges; None where it says so only on its invoice."""
    papers: tuple[Paper, ...] = ()
    messages: tuple[CarrierMessage, ...] = ()


class BoughtReference(Struct, frozen=True):
    """A purchase as the carrier knows it."""

    carrier_reference: str
    tracking_numbers: tuple[str, ...]


class VoidState(StrEnum):
    """What came of asking for a void."""

    VOIDED = "voided"
    PENDING = "pending"  # the carrier decides later: ask again with `void`, which is harmless to repeat
    REFUSED = "refused"


class VoidOutcome(Struct, frozen=True):
    """Whether the money comes back. A label that is void already is VOIDED."""

    state: VoidState
    messages: tuple[CarrierMessage, ...] = ()


class Manifest(Struct, frozen=True):
    """What a carrier closed. Those not in `closed` stay open, with a message for each."""

    manifest_id: str | None
    closed: tuple[str, ...]
    """`carrier_reference` of each purchase; `messages` are by `carrier_reference`, too."""
    messages: Mapping[str, CarrierMessage]
    paper: Paper | None = None


class CarrierEvent(Struct, frozen=True):
    """A scan. `event_id` is stable across answers; `otep_code` is the vocabulary's word for the carrier's `code`."""

    event_id: str
    code: str
    otep_code: str
    occurred_at: datetime
    text: str = ""
    city: str = ""
    region: str = ""
    country: str = ""


class UnreadScan(Struct, frozen=True):
    """A scan, as its `sender` wrote it, whose time is missing, unreadable or without a zone."""

    sender: str
    document: Mapping[str, object]


class PickupRequest(Struct, frozen=True):
    """Asks a carrier to come. Times are the sender's, `closes_at` after `ready_at`, of the same day."""

    reference: str
    place: Party
    ready_at: datetime
    closes_at: datetime
    parcels: int
    weight_g: int
    note: str = ""
    bought: tuple["BoughtReference", ...] = ()
    """What is to be fetched, as far as it is known: aggregators tell by it whose van comes, and refuse without it."""


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
    """A carrier's verdict, and the address as it would write it where it has one."""

    verdict: AddressVerdict
    suggestion: Party | None = None
    messages: tuple[CarrierMessage, ...] = ()


class Carrier(Protocol):
    """A carrier under one account.

    Every method raises `CarrierRefused`, `CredentialsRefused` or `CarrierUnavailable`; those that change something at the
    carrier (`buy`, `void`, `close_day`, `book_pickup`, `cancel_pickup`) also `OutcomeUnknown`. Every call ends within the
    directory's stated time. What a carrier has no capability for raises `NotImplementedError`: ask `capabilities` before.
    """

    @property
    def capabilities(self) -> frozenset[Capability]:
        """What it can be asked for."""
        ...

    @property
    def services(self) -> Sequence[CarrierService]:
        """Its services, as far as they are known without asking."""
        ...

    async def test_credentials(self) -> None:
        """Make sure that the account is accepted, at no cost. Raises `CredentialsRefused`."""
        ...

    async def rate(self, shipment: Shipment, services: Sequence[str] = ()) -> Rates:
        """What the services cost; all of them where none is named."""
        ...

    async def buy(self, shipment: Shipment, rate: Rate, label_format: LabelFormat) -> Purchase:
        """Buy labels for all parcels of a shipment, or for none.

        A label comes in the asked format where the carrier has it, else in another one that it says.
        """
        ...

    async def find_purchase(self, shipment: Shipment) -> Purchase | None:
        """What was bought under `shipment.reference` and is not void, labels included; None when nothing was."""
        ...

    async def void(self, bought: BoughtReference) -> VoidOutcome:
        """Give labels back. Harmless to repeat."""
        ...

    async def close_day(self, ship_on: date, place: Party, bought: Sequence[BoughtReference]) -> Manifest:
        """Hand over a day's purchases. Those that were closed before are closed, too."""
        ...

    async def track(self, tracking_number: str) -> Sequence[CarrierEvent | UnreadScan]:
        """Return the scans of a parcel, the earliest first; none when the carrier does not know it yet."""
        ...

    async def book_pickup(self, request: PickupRequest) -> Pickup:
        """Ask the carrier to come."""
        ...

    async def cancel_pickup(self, confirmation: str) -> None:
        """Tell it not to come. Harmless to repeat."""
        ...

    async def check_address(self, party: Party) -> AddressCheck:
        """What it thinks of an address."""
        ...


class CredentialField(Struct, frozen=True):
    """Something that an account needs, such as a key. A secret is stored encrypted and never shown again."""

    name: str
    title: str
    secret: bool = True
    required: bool = True


class CarrierKind(Struct, frozen=True):
    """A carrier that accounts can be opened with: its code in upper case (`UPS`), its name, and what it needs."""

    code: str
    name: str
    credentials: tuple[CredentialField, ...]
    capabilities: frozenset[Capability]
    services: tuple[CarrierService, ...] = ()
    """Empty for an aggregator: it says which when it is asked."""


class CarrierDirectory(Protocol):
    """The carriers that this installation can talk to: its own, and those of installed packages (entry points)."""

    @property
    def kinds(self) -> Sequence[CarrierKind]:
        """All of them, by code."""
        ...

    def open(self, code: str, credentials: Mapping[str, str], *, test_mode: bool) -> Carrier:
        """A carrier under an account, in its sandbox for `test_mode`. Raises `KeyError` for an unknown code."""
        ...
