"""Base types of answers, and marks for fields that are prices or sums of prices.

Answers are msgspec records. They need no validation and encode in microseconds. An optional field is typed `X |
UnsetType = UNSET` and omitted if unset. `None` is a value and is sent as null.
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
    """Metaclass of answers.

    Fields are keyword-only, so that a subclass can add required fields.
    """

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
    """Return the type of a request field without constraints, for an answer."""
    origin, parts = get_origin(kind), tuple(_answer_type(part) for part in get_args(kind))
    if not parts or origin is Literal:
        return kind
    return reduce(or_, parts) if origin in (Union, UnionType) else origin[parts]


class Answer(Struct, metaclass=_AnswerMeta):
    """An answer, or a record inside one.

    `class OrderDetail(OrderRecord, fields_of=OrderTerms)` also has each field of a request, required and without
    constraints, except those that it declares or inherits and those named in `without`.
    """


class Priced(Answer):
    """A record with price fields.

    Hidden prices are omitted, and `price_hidden` is then true.
    """

    price_hidden: bool | UnsetType = UNSET


def doc(description: str, *examples: Any) -> Meta:
    """Describe a field, as in `Annotated[int, doc("Weight in grams", 1200)]`."""
    return Meta(description=description, examples=list(examples) or None)


AGENTS_GET = "agents_get"
"""Key of `Meta.extra` that limits when agents get a field, because every field costs tokens."""


def for_agents(when: Literal["detail", "filled"], description: str | None = None, *examples: Any) -> Meta:
    """Mark a field that tools may omit.

    `detail` omits it unless full detail is requested, `filled` omits it if it is empty.
    """
    return Meta(description=description, examples=list(examples) or None, extra={AGENTS_GET: when})


AGENTS_SEE = "agents_see"
"""Key of `Meta.extra` that limits the members of a record, or of a list of records, that agents get."""


def brief_for_agents(*members: str, about: str | None = None) -> Meta:
    """Mark a field as shortened: tools return only these members of its records.

    Full detail returns all members.
    """
    return Meta(description=about, extra={AGENTS_SEE: members})


def price(family: PriceFamily, description: str) -> Meta:
    """Mark a field as a price. It is removed for callers who may not see its family.

    The field must be typed `X | UnsetType = UNSET`, in a record that extends `Priced`.
    """
    return Meta(description=description, extra={"price": family})


def price_by(field: str, description: str) -> Meta:
    """Mark a field as a price whose family is in another field.

    `field` is, for example, `price_family`. See `price`.
    """
    return Meta(description=description, extra={"price": field})


SUMS_PRICE = "sums_price"
"""Key of `Meta.extra` that marks a sum of prices."""


def sums_price(description: str) -> Meta:
    """Mark a field as a sum of prices of any family, such as a balance.

    It is removed if any family is hidden, because the difference of two sums is a price. Typed as for `price`.
    """
    return Meta(description=description, extra={SUMS_PRICE: True})


class Done(Answer):
    """Answer of an operation that returns no data."""

    result: bool = True
    message: str
