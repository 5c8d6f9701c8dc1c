"""Request and response models of permissions, preferences and customer settings."""

from typing import Annotated, Literal

from pydantic import AfterValidator, Field, StringConstraints

from haulier.contexts.custom_fields.fields import FieldFilters, FieldValues, ShownValues, values_of
from haulier.contexts.identity.accounts.contract import CustomerRef, UserRef
from haulier.contexts.identity.accounts.rules import CUSTOMER_CODE_MAX, NOTE_MAX
from haulier.contexts.identity.fields import Language, Name, TimeZone, validate_phone
from haulier.kernel.operations.answers import Answer, doc
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.enums import Scope
from haulier.kernel.operations.fields import EachOnce
from haulier.kernel.operations.ids import UserId
from haulier.kernel.values.pagination import PagedAnswer, PageRequest
from haulier.kernel.values.table_exports import TableRequest

Role = Literal["viewer", "support", "dispatcher", "shipper", "warehouse", "integrator", "everything"]
Phone = Annotated[str, Field(max_length=30, examples=["+14165550123"]), AfterValidator(validate_phone)]
CustomerCode = Annotated[
    str, StringConstraints(strip_whitespace=True, min_length=1, max_length=CUSTOMER_CODE_MAX, pattern=r"^[\w.\-/ ]+$")
]
CustomerText = Annotated[
    Annotated[
        str, StringConstraints(strip_whitespace=True, min_length=2, max_length=100, pattern=r"^[^\x00-\x1f\x7f]+$")
    ]
    | None,
    Field(examples=["ada@example.com"]),
]
"""A text that matches a customer."""


class RoleRecord(Answer):
    """A named set of scopes."""

    name: str
    scopes: list[str]


class RoleList(Answer):
    """Every role."""

    result: bool = True
    roles: list[RoleRecord]


class SetPermissions(UserRef):
    """Permissions of a user. Without a role and scopes they have all of their account."""

    role: Role | None = None
    """Named set of scopes. The user gets those that the account type allows."""
    scopes: Annotated[frozenset[Scope], EachOnce, Field(max_length=len(Scope))] = frozenset()
    """Additional scopes."""


class UserPermissions(Answer):
    """Permissions of a user."""

    result: bool = True
    user_id: UserId
    role: Annotated[str | None, doc("Assigned role; null if none.", "dispatcher")]
    scopes: Annotated[list[str], doc("Current scopes.", ["orders:read"])]
    always: Annotated[list[str], doc("Scopes that cannot be withheld, for the user's own account.")]
    possible: Annotated[list[str], doc("Scopes that an account of this kind can have.")]


class UpdateMe(Request):
    """Changes of your preferences. Omitted fields keep their values."""

    name: Name | None = None
    """Display name."""
    language: Language | None = None
    """Language of emails. API responses follow the Accept-Language header instead."""
    time_zone: TimeZone | None = None
    """Time zone (IANA name)."""


class UserPreferences(Answer):
    """Your preferences."""

    result: bool = True
    name: str
    language: Annotated[str | None, doc("Language; null follows the business.", "fr")]
    time_zone: Annotated[str | None, doc("Time zone; null follows the business.", "America/Toronto")]


class UpdateCustomerSettings(CustomerRef):
    """Fields of a customer to change. Omitted fields keep their values."""

    name: Name | None = None
    """Display name."""
    customer_code: CustomerCode | None = None
    """The customer's code at the business, unique among its customers."""
    phone: Phone | None = None
    """Telephone number in international form."""
    note: Annotated[str, Field(max_length=NOTE_MAX)] | None = None
    """Note for staff, hidden from the customer."""
    language: Language | None = None
    """Language of emails to the customer."""
    time_zone: TimeZone | None = None
    """The customer's time zone, an IANA name."""
    custom_fields: Annotated[FieldValues, values_of("customer")] = {}
    """Custom field values of customers. Omitted fields are kept; null removes a value."""


class CustomerSettings(Answer):
    """Settings of a customer."""

    result: bool = True
    customer_id: int
    name: str
    email: str
    active: bool
    customer_code: str | None
    phone: Annotated[str | None, doc("Telephone number, E.164.", "+14165550123")]
    note: str | None
    language: str | None
    time_zone: str | None
    hidden_prices: Annotated[list[str], doc("Order families whose prices the customer does not see.")]
    custom_fields: ShownValues


class CustomerFilters(Request):
    """Filters for customers."""

    search: CustomerText = None
    """Part of a name, email or phone number, a customer code, or `#` and an ID. Defaults to all customers."""
    custom_fields: FieldFilters = []
    """By the client's own fields: `name:value`, `name>=value` or `name<=value`; all must fit."""


class FindCustomers(CustomerFilters, PageRequest):
    """Filters and paging for customers."""


class ExportCustomers(CustomerFilters, TableRequest):
    """Filters and format of a customer export."""


class CustomerRecord(Answer):
    """A customer with identifying data."""

    customer_id: int
    name: str
    email: str
    phone: Annotated[str | None, doc("E.164", "+14165550123")]
    customer_code: str | None
    active: bool
    hidden_prices: Annotated[list[str], doc("Order families whose prices the customer does not see.")]
    custom_fields: ShownValues


class CustomerList(PagedAnswer):
    """A page of customers, by name."""

    customers: list[CustomerRecord]
