"""Request and response models for billing identities."""

from collections.abc import Callable
from typing import Annotated, LiteralString, Self

from pydantic import AfterValidator, Field, model_validator
from pydantic_core import PydanticCustomError

from haulier.contexts.billing.identities.rules import (
    CODE_MAX,
    ELECTRONIC_ADDRESS_MAX,
    ELECTRONIC_SCHEMES,
    is_electronic_address,
    normalize_bic,
    normalize_iban,
    normalize_tax_number,
    normalize_vat_number,
)
from haulier.kernel.operations.answers import Answer, doc
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.fields import NAME_MAX, NO_NUL, EmailText, OneLine, RecordId
from haulier.kernel.values.countries import CountryCode

Line = Annotated[str, Field(min_length=1, max_length=NAME_MAX, pattern=NO_NUL), OneLine]
Code = Annotated[str, Field(min_length=1, max_length=CODE_MAX, pattern=NO_NUL), OneLine]


def _require(code: LiteralString, given: str, valid: str | None) -> str:
    if valid is None:
        raise PydanticCustomError(code, "not valid", {"given": given})
    return valid


def _valid(code: LiteralString, normalize: Callable[[str], str | None]) -> AfterValidator:
    return AfterValidator(lambda given: _require(code, given, normalize(given)))


VatNumber = Annotated[Code, _valid("vat_number_invalid", normalize_vat_number)]
Iban = Annotated[Code, _valid("iban_invalid", normalize_iban)]
Bic = Annotated[Code, _valid("bic_invalid", normalize_bic)]


class PartyIdentity(Request):
    """Legal identity of a party of an invoice. Omitted fields are cleared."""

    legal_name: Line | None = Field(default=None, examples=["Rapid Courier GmbH"])
    """Legal name."""
    street: Line | None = Field(default=None, examples=["Hafenstr. 1"])
    """Street and house number."""
    city: Line | None = Field(default=None, examples=["Hamburg"])
    """City."""
    postal_code: Code | None = Field(default=None, examples=["20457"])
    """Postal code."""
    region: Code | None = None
    """Province or state."""
    country: CountryCode | None = Field(default=None, examples=["DE"])
    """Country (ISO 3166-1 alpha-2)."""
    vat_number: VatNumber | None = Field(default=None, examples=["DE136695976"])
    """VAT number with its country prefix."""
    tax_number: Code | None = None
    """Other tax registration number, such as a Canadian GST number, an Australian ABN or a national tax number."""
    company_number: Code | None = Field(default=None, examples=["HRB 12345"])
    """Number in the company register."""
    electronic_scheme: Annotated[str, Field(pattern="^[0-9]{4}$")] | None = Field(default=None, examples=["9930"])
    """Scheme of the electronic address: a Peppol EAS code, such as `0204` for a German Leitweg-ID or `9930` for a
    German VAT number."""
    electronic_address: Annotated[str, Field(min_length=1, max_length=ELECTRONIC_ADDRESS_MAX)] | None = Field(
        default=None, examples=["DE136695976"]
    )
    """Electronic address for invoices in its scheme, such as a Peppol participant ID."""

    @model_validator(mode="after")
    def _has_valid_numbers(self) -> Self:
        if self.tax_number is not None:
            _require("tax_number_invalid", self.tax_number, normalize_tax_number(self.tax_number, self.country))
        if (self.electronic_scheme is None) != (self.electronic_address is None):
            raise PydanticCustomError("electronic_address_incomplete", "scheme and address are given together")
        if self.electronic_scheme is not None and self.electronic_scheme not in ELECTRONIC_SCHEMES:
            raise PydanticCustomError("electronic_scheme_unknown", "no EAS code", {"given": self.electronic_scheme})
        if self.electronic_scheme and self.electronic_address:
            valid = is_electronic_address(self.electronic_scheme, self.electronic_address)
            given = {"given": self.electronic_address, "scheme": self.electronic_scheme}
            if not valid:
                raise PydanticCustomError("electronic_address_invalid", "not an address of the scheme", given)
        return self


class SetBillingIdentity(PartyIdentity):
    """Legal identity of the business. Omitted fields are cleared."""

    contact_name: Line | None = None
    """Contact for questions about invoices."""
    contact_phone: Code | None = None
    """Phone number of the contact."""
    contact_email: EmailText | None = None
    """Email address of the contact."""
    iban: Iban | None = Field(default=None, examples=["DE89370400440532013000"])
    """Bank account that customers pay to (IBAN)."""
    bic: Bic | None = None
    """Bank of the account (BIC)."""


class CustomerIdentityRef(Request):
    """Customer whose identity is meant."""

    customer_id: RecordId
    """ID of the customer."""


class SetCustomerBillingIdentity(PartyIdentity, CustomerIdentityRef):
    """Legal identity of a customer. Omitted fields are cleared."""

    buyer_reference: Line | None = Field(default=None, examples=["Dept. 12"])
    """Reference that the customer requires on invoices, such as a department or purchase order."""


class PartyIdentityRecord(Answer):
    """Legal identity of a party of an invoice."""

    result: bool = True
    legal_name: str | None
    street: str | None
    city: str | None
    postal_code: str | None
    region: str | None
    country: str | None
    vat_number: Annotated[str | None, doc("VAT number with its country prefix.", "DE136695976")]
    tax_number: Annotated[str | None, doc("Other tax registration number.")]
    company_number: str | None
    electronic_scheme: Annotated[str | None, doc("Scheme of the electronic address: a Peppol EAS code.", "9930")]
    electronic_address: str | None


class BillingIdentityRecord(PartyIdentityRecord):
    """Legal identity of the business."""

    contact_name: str | None
    contact_phone: str | None
    contact_email: str | None
    iban: str | None
    bic: str | None


class CustomerBillingIdentityRecord(PartyIdentityRecord):
    """Legal identity of a customer."""

    customer_id: int
    buyer_reference: str | None
