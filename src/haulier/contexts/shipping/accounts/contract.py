"""Accounts with carriers, in requests and answers. Credentials are never part of an answer."""

from datetime import datetime
from typing import Annotated, Any

from msgspec import UNSET, UnsetType
from pydantic import Field, SecretStr, StringConstraints

from haulier.contexts.orders.delivery_orders.contract.orders import OrderAddress, OrderAddressRecord
from haulier.contexts.shipping.accounts.contract.tariffs import (
    LABELS,
    MAX_MINOR,
    HouseTariff,
    HouseTariffRecord,
)
from haulier.kernel.operations.answers import Answer, Priced, doc, price
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.fields import Name, OneLine, RecordId

CarrierCode = Annotated[str, Field(min_length=2, max_length=30, pattern="^[A-Z0-9_]+$")]
ServiceCode = Annotated[str, StringConstraints(min_length=1, max_length=60, pattern=r"^[^\x00-\x1f]+$")]
CredentialName = Annotated[str, Field(min_length=1, max_length=40, pattern="^[a-z0-9_]+$")]
Credentials = Annotated[
    dict[CredentialName, Annotated[SecretStr, Field(max_length=4000)]],
    Field(max_length=20, examples=[{"api_key": "ABC123"}]),
]
MarkUpShare = Annotated[int, Field(ge=-10_000, le=100_000)]
MarkUpAmount = Annotated[int, Field(ge=-MAX_MINOR, le=MAX_MINOR)]


COMPANY_MAX = 120


class ShippingAddress(OrderAddress):
    """Who sends or receives a parcel."""

    company: Annotated[str, Field(max_length=COMPANY_MAX, pattern=r"^[^\x00]*$"), OneLine] | None = Field(
        default=None, examples=["Lovelace Ltd"]
    )
    """The business, where a person stands in `name`."""
    residential: bool | None = None
    """Whether a home; carriers charge for it. Null: not known."""


class ShippingAddressRecord(OrderAddressRecord):
    """Who sends or receives a parcel."""

    company: str | None = None
    residential: bool | None = None


class OpenCarrierAccount(Request):
    """An account with a carrier."""

    carrier: CarrierCode = Field(examples=["HOUSE"])
    """A kind of carrier of `list_carrier_kinds`."""
    name: Name = Field(examples=["Our own van"])
    """What people call the account."""
    credentials: Credentials = {}
    """What the carrier needs. It is kept encrypted and never shown again."""
    test_mode: bool = False
    """Use the carrier's sandbox: its labels are not real."""
    default: bool = False
    """Use it where a request names no account."""
    markup_basis_points: MarkUpShare = 0
    """What is added to the carrier's price, in hundredths of a percent."""
    markup_minor: MarkUpAmount = 0
    """What is added besides, in minor units."""
    services_off: list[ServiceCode] = Field(default=[], max_length=200)
    """Services that are not offered."""
    sender: ShippingAddress | None = None
    """Who sends, where a shipment does not say so."""


class CarrierAccountRef(Request):
    """Which account."""

    account_id: RecordId
    """The account's id."""


class UpdateCarrierAccount(CarrierAccountRef):
    """What changes; what is left out stays."""

    name: Name | None = Field(default=None, examples=["Our own van"])
    """What people call the account."""
    credentials: Credentials | None = None
    """New credentials, all of them."""
    active: bool | None = None
    """Whether it is offered."""
    default: bool | None = None
    """Use it where a request names no account."""
    markup_basis_points: MarkUpShare | None = None
    """What is added to the carrier's price, in hundredths of a percent."""
    markup_minor: MarkUpAmount | None = None
    """What is added besides, in minor units."""
    services_off: Annotated[list[ServiceCode], Field(max_length=200)] | None = None
    """Services that are not offered."""
    sender: ShippingAddress | None = None
    """Who sends, where a shipment does not say so."""


class SetHouseTariff(CarrierAccountRef):
    """A tariff for an account with the house carrier."""

    tariff: HouseTariff
    """Replaces the whole tariff."""


class CredentialFieldRecord(Answer):
    """Something that an account with a carrier needs."""

    name: Annotated[str, doc("Its name in `credentials`.", "api_key")]
    title: str
    secret: bool
    required: bool


class CarrierServiceRecord(Answer):
    """A service of a carrier."""

    code: Annotated[str, doc("Its code.", "ground")]
    name: str
    domestic: bool
    international: bool


class CarrierKindRecord(Answer):
    """A carrier that accounts can be opened with."""

    carrier: Annotated[str, doc("Its code.", "HOUSE")]
    name: str
    credentials: list[CredentialFieldRecord]
    capabilities: Annotated[list[str], doc("rate, buy, recover, void, manifest, track, pickup, check_address.")]
    services: Annotated[list[CarrierServiceRecord], doc("Empty where the account says which.")]


class CarrierKindList(Answer):
    """The carriers of this installation, by code."""

    result: bool = True
    carriers: list[CarrierKindRecord]


class CarrierAccount(Priced):
    """An account with a carrier."""

    id: int
    carrier: Annotated[str, doc("The kind of carrier.", "HOUSE")]
    name: str
    active: bool
    default: bool
    test_mode: bool
    credentials_set: Annotated[list[str], doc("The names of the credentials that are kept.")]
    services_off: list[str]
    markup_basis_points: Annotated[int | UnsetType, price(LABELS, "Hundredths of a percent.")] = UNSET
    markup_minor: Annotated[int | UnsetType, price(LABELS, "In minor units.")] = UNSET
    sender: ShippingAddressRecord | None
    tested_at: datetime | None
    test_fault: Annotated[str | None, doc("Why the last test failed, in the carrier's words.")]
    created_at: datetime


class CarrierAccountAnswer(Answer):
    """One account."""

    result: bool = True
    account: CarrierAccount


class CarrierAccountList(Answer):
    """All accounts, by name."""

    result: bool = True
    accounts: list[CarrierAccount]


class HouseTariffAnswer(Answer):
    """The tariff in force."""

    result: bool = True
    tariff: HouseTariffRecord


class CarrierAccountTest(Answer):
    """What the carrier said to the credentials."""

    result: bool = True
    accepted: bool
    fault: Annotated[str | None, doc("Why not, in the carrier's words.")]


def plain_credentials(credentials: dict[str, Any]) -> dict[str, str]:
    """Credentials in clear text."""
    return {name: value.get_secret_value() for name, value in credentials.items()}
