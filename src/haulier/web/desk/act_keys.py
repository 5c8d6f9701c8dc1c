"""A key for each act of a record: the same for everybody, on every record of its kind and in every language."""

from collections.abc import Iterable, Iterator
from string import ascii_lowercase

from haulier.kernel.operations.enums import Effect
from haulier.kernel.operations.nouns import Noun
from haulier.web.desk.places import Places, declarations

LIST_KEYS = frozenset("jkxoz")
"""What the desk does with these keys everywhere: rows, ticks, undo."""


def act_keys(places: Places, noun: Noun) -> dict[str, str]:
    """The keys of the acts of a noun by their operations; what people come for chooses first.

    Why of all acts and not of those that are shown: hands remember a key, whatever a record allows today.
    """
    acts = [act.name for act in noun.acts if act.effect is Effect.WRITE]
    made = [make.name for inner in places.nouns if inner.parents == noun.ids for make in inner.makes]
    foremost = [name for name in declarations().foremost.get(noun.key, []) if name in acts or name in made]
    return assign_keys([*foremost, *acts, *made])


def assign_keys(names: Iterable[str]) -> dict[str, str]:
    """A letter for each name: the first of its words' initials and its letters that is free; then any, then with Shift."""
    keys: dict[str, str] = {}
    taken = set(LIST_KEYS)
    for name in dict.fromkeys(names):
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
