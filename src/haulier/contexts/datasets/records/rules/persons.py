"""What records of datasets say of a person: how it is recognised in values that anybody may have named, and taken out."""

from collections.abc import Iterator
from typing import Any

from haulier.kernel.data.personal_data import ERASED, PersonKey, PersonKeys, phone_digits
from haulier.kernel.values.words import fold, fold_words

_TEXT_KEYS = (PersonKey.NAME, PersonKey.EMAIL)


def names_of(keys: PersonKeys) -> list[str]:
    """The texts by which a person is recognised: names, e-mail addresses, and the last digits of telephone numbers."""
    texts = [str(value) for key in _TEXT_KEYS for value in keys.get(key, ())]
    return [*texts, *_digits(keys)]


def _digits(keys: PersonKeys) -> list[str]:
    return sorted(filter(None, (phone_digits(str(value)) for value in keys.get(PersonKey.PHONE, ()))))


def tells_of(text: str, keys: PersonKeys) -> bool:
    """Whether a text has the name, the e-mail address or the telephone number of a person."""
    folded, digits = fold(text), "".join(c for c in text if c.isdecimal())
    names = (fold(str(value)) for key in _TEXT_KEYS for value in keys.get(key, ()))
    return any(name in folded for name in names) or any(number in digits for number in _digits(keys))


def values_tell_of(value: Any, keys: PersonKeys) -> bool:
    """Whether any text within some values does."""
    return any(tells_of(text, keys) for text in texts_within(value))


def texts_within(value: Any) -> Iterator[str]:
    """Every text within some values."""
    if isinstance(value, str):
        yield value
    for member in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from texts_within(member)


def without_person(value: Any, keys: PersonKeys) -> Any:
    """The same values, in which each text that tells of a person is replaced."""
    if isinstance(value, dict):
        return {name: without_person(member, keys) for name, member in value.items()}
    if isinstance(value, list):
        return [without_person(member, keys) for member in value]
    return ERASED if isinstance(value, str) and tells_of(value, keys) else value


def words_without_person(words: str, keys: PersonKeys) -> str:
    """The words of a record without those by which a person would be found."""
    gone = set(fold_words(*names_of(keys)))
    return " ".join(word for word in words.split() if word.partition("_")[2] not in gone)
