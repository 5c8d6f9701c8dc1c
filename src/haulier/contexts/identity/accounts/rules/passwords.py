"""Which passwords are too weak. Length counts most; no composition rules (NIST SP 800-63B, section 3.1.1)."""

from haulier.kernel.operations.errors import INVALID_REQUEST, FieldError

LENGTH_MIN = 10
_DISTINCT_CHARACTERS_MIN = 4


def password_weakness(password: str, email: str, name: str) -> str | None:
    """The id of the message that says why a password is too weak for a user, or None when it is strong enough."""
    folded = password.casefold()
    if len(password) < LENGTH_MIN:
        return "password_too_short"
    if len(set(folded)) < _DISTINCT_CHARACTERS_MIN:
        return "password_too_simple"
    if any(len(part) >= 3 and part in folded for part in (email.casefold(), email.casefold().partition("@")[0])):
        return "password_is_personal"
    if len(name) >= 3 and folded == name.casefold():
        return "password_is_personal"
    return None


def require_strong_password(password: str, email: str, name: str, *, field: str) -> None:
    """Refuse a weak password. Raises `INVALID_REQUEST` at the field."""
    if reason := password_weakness(password, email, name):
        raise INVALID_REQUEST.for_fields(FieldError(field, reason, {"least": LENGTH_MIN}))
