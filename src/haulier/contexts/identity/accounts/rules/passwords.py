"""Which passwords are too weak. Length counts most; no composition rules (NIST SP 800-63B, section 3.1.1)."""

import re
from collections.abc import Collection, Iterable

from haulier.kernel.operations.errors import INVALID_REQUEST, FieldError

LENGTH_MIN = 10
PRODUCT = "haulier"
_DISTINCT_CHARACTERS_MIN = 4
_NAME_MIN = 3
_SEPARATORS = re.compile(r"[\W_]+")


def password_weakness(password: str, email: str, name: str, business: Collection[str] = ()) -> str | None:
    """The id of the message that says why a password is too weak for a user, or None when it is strong enough.

    `business` are the names of the user's business.
    """
    folded = password.casefold()
    if len(password) < LENGTH_MIN:
        return "password_too_short"
    if len(set(folded)) < _DISTINCT_CHARACTERS_MIN:
        return "password_too_simple"
    if _is_repetition(folded):
        return "password_repeats"
    if any(len(part) >= 3 and part in folded for part in (email.casefold(), email.casefold().partition("@")[0])):
        return "password_is_personal"
    if len(name) >= 3 and folded == name.casefold():
        return "password_is_personal"
    if _is_made_of_names(folded, (PRODUCT, *business)):
        return "password_is_name"
    return None


def _is_repetition(folded: str) -> bool:
    """Whether a password is one word again and again, whatever stands between: `freight freight`."""
    word = _SEPARATORS.sub("", folded)
    return bool(word) and word in (word + word)[1:-1]


def _is_made_of_names(folded: str, names: Iterable[str]) -> bool:
    """Whether little but digits and signs is left of a password without these names and their words: `haulier-2026`."""
    words = {word for name in names for word in (name.casefold(), *_SEPARATORS.split(name.casefold()))}
    left = whole = _SEPARATORS.sub("", folded)
    for part in sorted((_SEPARATORS.sub("", each) for each in words), key=len, reverse=True):
        left = left.replace(part, "") if len(part) >= _NAME_MIN else left
    return left != whole and len(left) < LENGTH_MIN and not any(character.isalpha() for character in left)


def require_strong_password(
    password: str, email: str, name: str, *, field: str, business: Collection[str] = ()
) -> None:
    """Refuse a weak password. Raises `INVALID_REQUEST` at the field."""
    if reason := password_weakness(password, email, name, business):
        raise INVALID_REQUEST.for_fields(FieldError(field, reason, {"least": LENGTH_MIN}))
