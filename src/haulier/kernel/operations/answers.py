"""The base types of answers, and the marks of fields that are prices or sums of prices.

Answers are msgspec records: we made them, so they need no validation, and they encode in microseconds. A field that may be
absent is typed `X | UnsetType = UNSET` and is then left out of the document; `None` is a value and is sent as null.
"""

from collections.abc import Collection
from functools import reduce
from operator import or_
from types import UnionType
from typing import Any, Literal, Union, dataclass_transform, get_args, get_origin, get_type_hints

from msgspec import UNSET, Meta, Struct, StructMeta, UnsetType, field
from pydantic import BaseModel

from haulier.kernel.operations.enums import PriceFamily


@dataclass_transform(kw_only_default=True, field_specifiers=(field,))
class _AnswerMeta(StructMeta):
    """Every answer takes its fields by keyword, so that a record may add required fields to those it inherits."""

    def __new__(
        cls,
        name: str,
        bases: tuple[type, ...],
        namespace: dict[str, Any],
        *,
        fields_of: type[BaseModel] | None = None,
        without: Collection[str] = (),
        **config: Any,
    ) -> Any:
        config.setdefault("kw_only", True)
        if fields_of:
            declared: dict[str, Any] = namespace.get("__annotations__", {})
            inherited = {field for base in bases for field in getattr(base, "__struct_fields__", ())}
            names = fields_of.model_fields.keys() - inherited - declared.keys() - set(without)
            kinds = get_type_hints(fields_of)
            namespace["__annotations__"] = declared | {
                field: _answer_type(kinds[field]) for field in fields_of.model_fields if field in names
            }
        return super().__new__(cls, name, bases, namespace, **config)


def _answer_type(kind: Any) -> Any:
    """The plain type in which an answer shows what a request takes: its constraints are left out."""
    origin, parts = get_origin(kind), tuple(_answer_type(part) for part in get_args(kind))
    if not parts or origin is Literal:
        return kind
    return reduce(or_, parts) if origin in (Union, UnionType) else origin[parts]


class Answer(Struct, metaclass=_AnswerMeta):
    """An answer, or a record inside one.

    `class OrderDetail(OrderRecord, fields_of=OrderTerms)` also has each field of a request, required and without its
    constraints, save those that it declares or inherits and those named in `without`.
    """


class Priced(Answer):
    """A record with price fields. When the caller may not see them they are absent and `price_hidden` is true."""

    price_hidden: bool | UnsetType = UNSET


def doc(description: str, *examples: Any) -> Meta:
    """Describe a field: `Annotated[int, doc("Weight in grams", 1200)]`."""
    return Meta(description=description, examples=list(examples) or None)


AGENTS_GET = "agents_get"
"""The key of `Meta.extra` that says when an agent gets a field: a host pays for each, and most say nothing to a model."""


def for_agents(when: Literal["detail", "filled"], description: str | None = None, *examples: Any) -> Meta:
    """Mark a field that tools leave out: `detail` unless full detail is asked for, `filled` where it is empty."""
    return Meta(description=description, examples=list(examples) or None, extra={AGENTS_GET: when})


AGENTS_SEE = "agents_see"
"""The key of `Meta.extra` that says which members of a record, or of the records of a list, an agent gets."""


def brief_for_agents(*members: str, about: str | None = None) -> Meta:
    """Mark a field of a record or a list of records: tools tell only these members unless full detail is asked for."""
    return Meta(description=about, extra={AGENTS_SEE: members})


def price(family: PriceFamily, description: str) -> Meta:
    """Mark a field as a price of a family: it vanishes for callers from whom the family is hidden.

    The field must be typed `X | UnsetType = UNSET`, in a record that extends `Priced`.
    """
    return Meta(description=description, extra={"price": family})


def price_by(field: str, description: str) -> Meta:
    """Mark a field as a price whose family another field of the record says, such as `price_family`. Otherwise as `price`."""
    return Meta(description=description, extra={"price": field})


SUMS_PRICE = "sums_price"
"""The key of `Meta.extra` that marks a sum of prices."""


def sums_price(description: str) -> Meta:
    """Mark a field as a sum that prices of any family are part of, such as a balance.

    It vanishes for callers from whom any family is hidden: the difference of two sums is a price. Typed as for `price`.
    """
    return Meta(description=description, extra={SUMS_PRICE: True})


class Done(Answer):
    """The answer of an operation that returns no data."""

    result: bool = True
    message: str
