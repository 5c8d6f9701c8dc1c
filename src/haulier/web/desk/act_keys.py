"""Stable keyboard shortcuts for the actions of a record."""

from collections.abc import Iterable, Iterator, Mapping
from string import ascii_lowercase

from haulier.kernel.operations.enums import Effect
from haulier.kernel.operations.resources import Resource
from haulier.web.desk.places import Places, declarations

LIST_KEYS = frozenset("jkxoz")
"""Keys that the desk reserves everywhere: rows, selection, undo."""


def act_keys(places: Places, noun: Resource) -> dict[str, str]:
    """Return the keys of a noun's actions by operation; frequent actions choose first.

    All actions get keys, also those not allowed today, so that a key never changes.
    """
    acts = [act.name for act in noun.acts if act.effect is Effect.WRITE]
    made = [make.name for inner in places.nouns if inner.parents == noun.ids for make in inner.makes]
    foremost = [name for name in declarations().foremost.get(noun.key, []) if name in acts or name in made]
    return assign_keys([*foremost, *acts, *made], declarations().keys)


def assign_keys(names: Iterable[str], fixed: Mapping[str, str] | None = None) -> dict[str, str]:
    """Assign a letter to each name; some have a fixed one.

    Prefers initials, then letters of the name, then any letter, then letters with Shift.
    """
    each_once = dict.fromkeys(names)
    keys = {name: key for name, key in (fixed or {}).items() if name in each_once}
    taken = {*LIST_KEYS, *keys.values()}
    for name in [each for each in each_once if each not in keys]:
        key = next((letter for letter in _letters(name) if letter not in taken), None)
        if key is None:
            break
        keys[name] = key
        taken.add(key)
    return keys


def _letters(name: str) -> Iterator[str]:
    initials = [word[:1] for word in name.split("_")]
    for letters in (initials, name.replace("_", ""), ascii_lowercase):
        yield from (letter for letter in letters if letter in ascii_lowercase)
    yield from (letter.upper() for letter in [*initials, *ascii_lowercase])
