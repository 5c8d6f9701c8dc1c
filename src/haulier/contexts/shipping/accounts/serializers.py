"""Carrier accounts, as answers show them."""

from collections.abc import Iterable
from typing import Protocol

import msgspec

from haulier.contexts.shipping.accounts.contract import (
    START_TARIFF,
    CarrierAccount,
    CarrierKindRecord,
    CarrierServiceRecord,
    CarrierTariff,
    CarrierTariffRecord,
    CredentialFieldRecord,
    ShippingAddressRecord,
)
from haulier.contexts.shipping.accounts.store import CarrierAccountRow
from haulier.contexts.shipping.ports import CarrierKind
from haulier.kernel.application import Application
from haulier.kernel.call import Call
from haulier.kernel.operations.records import record


def carrier_account(call: Call, row: CarrierAccountRow) -> CarrierAccount:
    """Return an account without its credentials."""
    return record(
        CarrierAccount,
        row,
        default=row.is_default,
        credentials_set=row.credential_names,
        sender=msgspec.convert(row.sender, ShippingAddressRecord) if row.sender else None,
        tested_at=call.local_time(row.tested_at),
        created_at=call.local_time(row.created_at),
    )


def carrier_kind(kind: CarrierKind) -> CarrierKindRecord:
    """Return a carrier that accounts can be opened with."""
    return CarrierKindRecord(
        carrier=kind.code,
        name=kind.name,
        credentials=[record(CredentialFieldRecord, field) for field in kind.credentials],
        capabilities=sorted(kind.capabilities),
        services=[record(CarrierServiceRecord, service) for service in kind.services],
    )


def house_tariff(row: CarrierAccountRow) -> CarrierTariffRecord:
    """Return the current tariff in the form in which it is set."""
    tariff = CarrierTariff.model_validate_json(row.tariff) if row.tariff else START_TARIFF
    return msgspec.convert(tariff.model_dump(mode="json"), CarrierTariffRecord)


class Said(Protocol):
    """A remark in a carrier's own words (`text`), or one of this product (`message`)."""

    @property
    def text(self) -> str: ...
    @property
    def message(self) -> str: ...
    @property
    def params(self) -> dict[str, str]: ...


def join_remarks(app: Application, language: str, remarks: Iterable[Said]) -> str:
    """Return the texts of remarks, each once; those of this product in a language."""
    say = app.catalogues.translate
    texts = (say(language, each.message, **each.params) if each.message else each.text for each in remarks)
    return "; ".join(dict.fromkeys(filter(None, texts)))
