"""Permissions, preferences and customers' settings: requests and answers."""

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
"""A customer as people speak of one."""


class RoleRecord(Answer):
    """A named set of scopes."""

    name: str
    scopes: list[str]


class RoleList(Answer):
    """Every role."""

    result: bool = True
    roles: list[RoleRecord]


class SetPermissions(UserRef):
    """What a user may do. Without a role and scopes they may do all that their account may."""

    role: Role | None = None
    """A named set of scopes; the user gets those of them that their account can have."""
    scopes: Annotated[frozenset[Scope], EachOnce, Field(max_length=len(Scope))] = frozenset()
    """Scopes beside those of the role."""


class UserPermissions(Answer):
    """What a user may do."""

    result: bool = True
    user_id: UserId
    role: Annotated[str | None, doc("The role they were given; null when none was", "dispatcher")]
    scopes: Annotated[list[str], doc("What they may do now", ["orders:read"])]
    always: Annotated[
        list[str], doc("Those among `scopes` that nobody is without, whatever is set: for one's own account")
    ]
    possible: Annotated[list[str], doc("What an account of their kind can be given")]


class UpdateMe(Request):
    """Changes of one's own preferences; what is left out stays."""

    name: Name | None = None
    """The name that others see."""
    language: Language | None = None
    """The language of e-mails. Answers follow the Accept-Language header instead."""
    time_zone: TimeZone | None = None
    """The time zone in which one reads times, an IANA name."""


class UserPreferences(Answer):
    """One's own preferences."""

    result: bool = True
    name: str
    language: Annotated[str | None, doc("Null follows the business", "fr")]
    time_zone: Annotated[str | None, doc("Null follows the business", "America/Toronto")]


class UpdateCustomerSettings(CustomerRef):
    """What to change about a customer; what is left out stays."""

    name: Name | None = None
    """The name that others see."""
    customer_code: CustomerCode | None = None
    """The customer's code at the business, unique among its customers."""
    phone: Phone | None = None
    """Telephone number in international form."""
    note: Annotated[str, Field(max_length=NOTE_MAX)] | None = None
    """For the office; the customer does not see it."""
    language: Language | None = None
    """The language of e-mails to the customer."""
    time_zone: TimeZone | None = None
    """The customer's time zone, an IANA name."""
    custom_fields: Annotated[FieldValues, values_of("customer")] = {}
    """Values of the client's own fields of customers; what is left out stays, null empties it."""


class CustomerSettings(Answer):
    """What the business set about a customer."""

    result: bool = True
    customer_id: int
    name: str
    email: str
    active: bool
    customer_code: str | None
    phone: Annotated[str | None, doc("E.164", "+14165550123")]
    note: str | None
    language: str | None
    time_zone: str | None
    hidden_prices: Annotated[list[str], doc("Order families whose prices the customer does not see")]
    custom_fields: ShownValues


class CustomerFilters(Request):
    """Which customers."""

    query: CustomerText = None
    """Part of a name, e-mail address or telephone number; or a customer's code, or `#` and an id. Everybody when left out."""
    custom_fields: FieldFilters = []
    """By the client's own fields: `name:value`, `name>=value` or `name<=value`; all must fit."""


class FindCustomers(CustomerFilters, PageRequest):
    """Which customers."""


class ExportCustomers(CustomerFilters, TableRequest):
    """Which customers, and in which form."""


class CustomerRecord(Answer):
    """A customer, and what the business knows them by."""

    customer_id: int
    name: str
    email: str
    phone: Annotated[str | None, doc("E.164", "+14165550123")]
    customer_code: str | None
    active: bool
    custom_fields: ShownValues


class CustomerList(PagedAnswer):
    """A page of customers, by name."""

    customers: list[CustomerRecord]
