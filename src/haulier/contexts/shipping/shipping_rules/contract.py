"""Request and response models of shipping rules."""

from datetime import datetime
from typing import Annotated, Any, Literal, Self

from pydantic import Field, StringConstraints, model_validator
from pydantic_core import PydanticCustomError

from haulier.contexts.orders.delivery_orders.contract.items import ItemSku
from haulier.contexts.orders.delivery_orders.contract.orders import OrderType
from haulier.contexts.shipping.accounts.contract import MAX_MINOR, MAX_WEIGHT_G, ServiceCode
from haulier.contexts.shipping.labels.contract import FormatOfLabel
from haulier.kernel.operations.answers import Answer, doc
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.fields import REASON_MAX, Name, OneLine, RecordId
from haulier.kernel.values.countries import CountryCode
from haulier.kernel.values.currencies import Currency
from haulier.kernel.values.pagination import PagedAnswer, PageRequest
from haulier.kernel.values.postal_codes import DISTINCT_PREFIXES, PostalPrefix

MAX_RULES = 200
DRY_RUN_DAYS_MAX = 90
DRY_RUN_ORDERS_MAX = 1_000
LOG_MAX = 2_000
"""Log entries stored per business; older ones are deleted."""
WeightLimit = Annotated[int, Field(ge=0, le=MAX_WEIGHT_G)]
ValueLimit = Annotated[int, Field(ge=0, le=MAX_MINOR)]
PackageLimit = Annotated[int, Field(ge=1, le=200)]
OrderServiceCode = Annotated[str, StringConstraints(min_length=1, max_length=30, pattern="^[a-z0-9_]+$")]
FieldName = Annotated[str, StringConstraints(min_length=1, max_length=40, pattern="^[a-z][a-z0-9_]*$")]
FieldText = Annotated[
    str, StringConstraints(strip_whitespace=True, min_length=1, max_length=200, pattern=r"^[^\x00]+$")
]
HoldReason = Annotated[str, Field(min_length=1, max_length=REASON_MAX, pattern=r"^[^\x00]*$"), OneLine]
ListVersion = Annotated[int, Field(ge=0, le=2**53 - 1)]


class CustomFieldCondition(Request):
    """Accepted values of a custom field of orders."""

    name: FieldName = Field(examples=["fragile"])
    """Name of the custom field."""
    values: list[FieldText] = Field(min_length=1, max_length=50, examples=[["true"]])
    """Accepted values as text. Case is ignored; one element of a list is enough."""


class ShippingConditions(Request):
    """Conditions of a rule. An order must meet all that are set.

    Without any, the rule applies to every order.
    """

    countries: list[CountryCode] = Field(default=[], max_length=250, examples=[["DE", "AT"]])
    """Countries of the recipient."""
    postal_prefixes: Annotated[list[PostalPrefix], Field(max_length=200), DISTINCT_PREFIXES] = []
    """Prefixes of the recipient's postal code."""
    weight_from_g: WeightLimit | None = Field(default=None, examples=[1000])
    """Minimum weight of the order in grams, inclusive."""
    weight_to_g: WeightLimit | None = Field(default=None, examples=[5000])
    """Maximum weight of the order in grams, inclusive."""
    value_from_minor: ValueLimit | None = Field(default=None, examples=[10000])
    """Minimum goods value in minor units of `value_currency`, inclusive."""
    value_to_minor: ValueLimit | None = Field(default=None, examples=[50000])
    """Maximum goods value in minor units of `value_currency`, inclusive."""
    value_currency: Currency | None = None
    """Currency of the goods value limits (ISO 4217). Default: the business's currency."""
    packages_from: PackageLimit | None = Field(default=None, examples=[2])
    """Minimum number of packages."""
    packages_to: PackageLimit | None = Field(default=None, examples=[10])
    """Maximum number of packages."""
    order_types: list[OrderType] = Field(default=[], max_length=3, examples=[["D"]])
    """Order types. D: delivery from the depot. P: pickup to the depot. P2P: point to point."""
    services: list[OrderServiceCode] = Field(default=[], max_length=30, examples=[["express"]])
    """Services of the order, as set when it was created."""
    customer_ids: list[RecordId] = Field(default=[], max_length=100)
    """Customers of the order."""
    skus: list[ItemSku] = Field(default=[], max_length=200, examples=[["MUG-BLUE"]])
    """SKUs. One item of the order with one of them is enough."""
    custom_fields: list[CustomFieldCondition] = Field(default=[], max_length=10)
    """Custom fields of the order. All must match."""

    @model_validator(mode="after")
    def _ascending(self) -> Self:
        for low, high in (
            ("weight_from_g", "weight_to_g"),
            ("value_from_minor", "value_to_minor"),
            ("packages_from", "packages_to"),
        ):
            least, most = getattr(self, low), getattr(self, high)
            if least is not None and most is not None and least > most:
                raise PydanticCustomError("limits_inverted", "{low} is above {high}", {"low": low, "high": high})
        return self

    @property
    def limits_value(self) -> bool:
        """True if the goods value is compared."""
        return self.value_from_minor is not None or self.value_to_minor is not None


class ShippingOutcome(Request):
    """Settings that a rule makes. At least one is required."""

    account_id: RecordId | None = Field(default=None, examples=[1])
    """Carrier account. Required if `service` is set."""
    service: ServiceCode | None = Field(default=None, examples=["ground"])
    """Service of the carrier. Default: the cheapest service of the account."""
    package_preset_id: RecordId | None = None
    """Package preset with the size and empty weight of the package."""
    insurance: Literal["on", "off"] | None = None
    """Insure the goods value, or not."""
    insurance_from_minor: ValueLimit | None = Field(default=None, examples=[50000])
    """Minimum goods value to insure, in minor units of `insurance_currency`. Requires `insurance` to be `on`."""
    insurance_currency: Currency | None = None
    """Currency of `insurance_from_minor` (ISO 4217). Default: the business's currency."""
    signature_required: bool | None = None
    """Require the recipient's signature, or not."""
    hold_reason: HoldReason | None = Field(default=None, examples=["Check the export papers."])
    """Hold the order for review, for this reason."""
    label_format: FormatOfLabel | None = None
    """Format of the label."""

    @model_validator(mode="after")
    def _complete(self) -> Self:
        if self.service is not None and self.account_id is None:
            raise PydanticCustomError("service_without_account", "service needs account_id")
        if self.insurance_from_minor is not None and self.insurance != "on":
            raise PydanticCustomError("insurance_is_off", "insurance_from_minor needs insurance on")
        if not any(getattr(self, name) is not None for name in DECIDED):
            raise PydanticCustomError("outcome_is_empty", "a rule decides something")
        return self


DECIDED = (
    "account_id",
    "package_preset_id",
    "insurance",
    "signature_required",
    "hold_reason",
    "label_format",
)
"""Settings that rules make, each by the first matching rule that has it. The service belongs to the account."""


class CreateShippingRule(Request):
    """A new rule, added at the end of the list."""

    name: Name = Field(examples=["Small parcels to Germany"])
    """Name of the rule."""
    enabled: bool = True
    """If true, the rule is applied."""
    conditions: ShippingConditions = ShippingConditions()
    """Conditions of the rule."""
    outcome: ShippingOutcome = Field(examples=[{"account_id": 1, "service": "ground", "signature_required": True}])
    """Settings that the rule makes."""


class ShippingRuleRef(Request):
    """Reference to a shipping rule."""

    shipping_rule_id: RecordId
    """ID of the rule."""


class UpdateShippingRule(ShippingRuleRef):
    """Fields to change. Omitted fields keep their values."""

    name: Name | None = Field(default=None, examples=["Small parcels to Germany"])
    """Name of the rule."""
    enabled: bool | None = None
    """If true, the rule is applied."""
    conditions: ShippingConditions | None = None
    """New conditions; replaces all of them."""
    outcome: ShippingOutcome | None = None
    """New settings; replaces all of them."""


class ReorderShippingRules(Request):
    """The order in which rules are checked."""

    rule_ids: list[RecordId] = Field(min_length=1, max_length=MAX_RULES, examples=[[2, 1]])
    """IDs of all rules in their new order."""
    expected_version: ListVersion | None = Field(default=None, examples=[4])
    """Version of the list that the order was made from. A changed list is not reordered."""


class EvaluateShippingRules(Request):
    """An order, or facts of an order to try. Facts override those of the order."""

    order_id: RecordId | None = Field(default=None, examples=[12])
    """ID of the order to evaluate."""
    country: CountryCode | None = Field(default=None, examples=["DE"])
    """Country of the recipient."""
    postal_code: Annotated[str, Field(max_length=20, pattern=r"^[^\x00]*$")] | None = Field(
        default=None, examples=["10115"]
    )
    """Postal code of the recipient."""
    weight_g: WeightLimit | None = Field(default=None, examples=[2500])
    """Weight of the order in grams."""
    goods_value_minor: ValueLimit | None = Field(default=None, examples=[12000])
    """Goods value in minor units of `goods_currency`."""
    goods_currency: Currency | None = None
    """Currency of the goods value (ISO 4217). Default: the business's currency."""
    package_count: PackageLimit | None = None
    """Number of packages."""
    type: OrderType | None = None
    """Type of order."""
    service: OrderServiceCode | None = Field(default=None, examples=["express"])
    """Service of the order."""
    customer_id: RecordId | None = None
    """Customer of the order."""
    skus: list[ItemSku] | None = Field(default=None, max_length=200, examples=[["MUG-BLUE"]])
    """SKUs of the items."""
    custom_fields: dict[FieldName, Any] | None = Field(default=None, max_length=40, examples=[{"fragile": True}])
    """Custom field values of the order."""


class DryRunShippingRules(Request):
    """Period of the dry run, and optionally conditions to try instead of the rules."""

    days: int = Field(default=7, ge=1, le=DRY_RUN_DAYS_MAX, examples=[7])
    """Days back from now. The newest 1,000 orders created in them are evaluated."""
    conditions: ShippingConditions | None = None
    """Conditions of an unsaved rule: counts the orders that meet them."""


class ListShippingRuleLog(PageRequest):
    """Filters; an entry must match all that are given."""

    shipping_rule_id: RecordId | None = None
    """Filter by rule."""
    order_id: RecordId | None = None
    """Filter by order."""


class CustomFieldConditionRecord(Answer):
    """Accepted values of a custom field of orders."""

    name: str
    values: list[str]


class ShippingConditionsRecord(Answer):
    """Conditions in the form in which they are set."""

    countries: list[str]
    postal_prefixes: list[str]
    weight_from_g: int | None
    weight_to_g: int | None
    value_from_minor: Annotated[int | None, doc("Minimum goods value, in minor units.")]
    value_to_minor: Annotated[int | None, doc("Maximum goods value, in minor units.")]
    value_currency: Annotated[str | None, doc("ISO 4217.", "EUR")]
    packages_from: int | None
    packages_to: int | None
    order_types: list[str]
    services: list[str]
    customer_ids: list[int]
    skus: list[str]
    custom_fields: list[CustomFieldConditionRecord]


class ShippingOutcomeRecord(Answer):
    """Settings in the form in which they are made."""

    account_id: int | None
    service: str | None
    package_preset_id: int | None
    insurance: Annotated[str | None, doc("on or off.")]
    insurance_from_minor: Annotated[int | None, doc("Minimum goods value to insure, in minor units.")]
    insurance_currency: Annotated[str | None, doc("ISO 4217.", "EUR")]
    signature_required: bool | None
    hold_reason: str | None
    label_format: str | None


class ShippingRule(Answer):
    """A shipping rule."""

    id: int
    position: Annotated[int, doc("Number of the rule in the list, from 1.")]
    name: str
    enabled: bool
    conditions: ShippingConditionsRecord
    outcome: ShippingOutcomeRecord
    conditions_text: Annotated[str, doc("Conditions in words.", "When the country is Germany")]
    outcome_text: Annotated[str, doc("Settings in words.", "DHL Paket, with signature")]
    problem: Annotated[str | None, doc("Reason why the rule is skipped: its account or service no longer exists.")]
    times_matched: Annotated[int, doc("Number of shipped orders that the rule decided about.")]
    last_matched_at: datetime | None
    created_at: datetime
    updated_at: datetime


class ShippingRuleAnswer(Answer):
    """One shipping rule."""

    result: bool = True
    rule: ShippingRule


class ShippingRuleList(Answer):
    """All shipping rules, in the order in which they are checked."""

    result: bool = True
    rules: list[ShippingRule]
    version: Annotated[int, doc("Version of the list, increased by every change. See `expected_version`.")]


class ShippingConditionResult(Answer):
    """A condition of a rule, checked."""

    condition: Annotated[str, doc("Name of the condition.", "weight")]
    met: bool
    text: Annotated[str, doc("Actual value in words.", "the order weighs 12 kg")]


class ShippingRuleResult(Answer):
    """A rule, checked."""

    shipping_rule_id: int
    position: Annotated[int, doc("Number of the rule in the list, from 1.")]
    name: str
    result: Annotated[
        Literal["matched", "not_matched", "disabled", "skipped"],
        doc("Skipped: its account, service or package preset no longer exists."),
    ]
    decided: Annotated[list[str], doc("Settings that the rule made; earlier rules made the others.", ["account_id"])]
    explanation: Annotated[str, doc("Result in words.", "Rule 3 chose UPS Ground because the order weighs 12 kg.")]
    conditions: list[ShippingConditionResult]


class ShippingChoice(Answer):
    """Settings that the rules made for an order. Null: no rule made it."""

    account_id: int | None
    account: Annotated[str | None, doc("Name of the account.")]
    carrier: Annotated[str | None, doc("Carrier.", "HOUSE")]
    service: Annotated[str | None, doc("Service of the carrier. Null for the cheapest one.", "ground")]
    service_name: str | None
    package_preset_id: int | None
    insurance: Annotated[bool | None, doc("True if the goods value is insured.")]
    signature_required: bool | None
    hold_reason: Annotated[str | None, doc("Reason to hold the order for review.")]
    label_format: Annotated[str | None, doc("pdf, zpl or png.")]


class ShippingRulesTest(Answer):
    """Settings that the rules made, and why."""

    result: bool = True
    choice: ShippingChoice
    matched_rule_ids: list[int]
    explanation: Annotated[list[str], doc("Reason for each setting, in the caller's language.")]
    rules: list[ShippingRuleResult]


class ShippingRuleCount(Answer):
    """A rule in a dry run."""

    shipping_rule_id: int
    position: Annotated[int, doc("Number of the rule in the list, from 1.")]
    name: str
    matched: Annotated[int, doc("Orders that met its conditions.")]
    decided: Annotated[int, doc("Orders for which it made a setting.")]
    order_ids: Annotated[list[int], doc("Up to 5 of these orders, newest first.")]


class ShippingRulesDryRun(Answer):
    """Result of a dry run."""

    result: bool = True
    orders: Annotated[int, doc("Orders that were evaluated.")]
    matched: Annotated[int, doc("Orders that at least one rule decided about, or that meet the given conditions.")]
    without_service: Annotated[int, doc("Orders for which no rule chose a carrier account.")]
    truncated: Annotated[bool, doc("True if the period has more orders than were evaluated.")]
    text: Annotated[str, doc("Result in words.", "41 of 200 orders would have matched.")]
    rules: Annotated[list[ShippingRuleCount], doc("Every rule, in order. Empty for given conditions.")]


class ShippingRuleLogEntry(Answer):
    """Settings that a rule made for an order."""

    id: int
    shipping_rule_id: int
    rule_name: str
    order_id: int
    decided: Annotated[list[str], doc("Settings that the rule made.", ["account_id"])]
    outcome_text: Annotated[str, doc("Settings in words.", "DHL Paket, with signature")]
    created_at: datetime


class ShippingRuleLog(PagedAnswer):
    """A page of the log, newest first."""

    entries: list[ShippingRuleLogEntry]
