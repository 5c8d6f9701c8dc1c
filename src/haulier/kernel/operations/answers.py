"""What operations answer with, and how a field says that it is a price.

Answers are msgspec records: we made them, so they need no validation, and they encode in microseconds. A field that may be
absent is typed `X | UnsetType = UNSET` and is then left out of the document; `None` is a value and is sent as null.
"""

from typing import Any, dataclass_transform

from msgspec import UNSET, Meta, Struct, StructMeta, UnsetType, field

from haulier.kernel.operations.enums import PriceFamily


@dataclass_transform(kw_only_default=True, field_specifiers=(field,))
class _KeywordOnlyMeta(StructMeta):
    """Makes every answer take its fields by keyword, so that a record may add required fields to those it inherits."""

    def __new__(cls, name: str, bases: tuple[type, ...], namespace: dict[str, Any], **config: Any) -> Any:
        config.setdefault("kw_only", True)
        return super().__new__(cls, name, bases, namespace, **config)


class Answer(Struct, metaclass=_KeywordOnlyMeta):
    """An answer, or a record inside one."""


class Priced(Answer):
    """A record with price fields. When the caller may not see them they are absent and `price_hidden` is true."""

    price_hidden: bool | UnsetType = UNSET


def doc(description: str, *examples: Any) -> Meta:
    """Describe a field: `Annotated[int, doc("Weight in grams", 1200)]`."""
    return Meta(description=description, examples=list(examples) or None)


def price(family: PriceFamily, description: str) -> Meta:
    """Mark a field as a price of a family: it vanishes for callers from whom the family is hidden.

    The field must be typed `X | UnsetType = UNSET`, in a record that extends `Priced`.
    """
    return Meta(description=description, extra={"price": family})


class Done(Answer):
    """The answer of an operation that has nothing more to say."""

    result: bool = True
    message: str
