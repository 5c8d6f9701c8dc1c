"""Which passwords are too weak. Length counts most; composition rules are not asked for (NIST SP 800-63B, section 3.1.1)."""

from haulier.kernel.operations.errors import INVALID_REQUEST, FieldError

LENGTH_MIN = 10
_DISTINCT_CHARACTERS_MIN = 4


def password_weakness(password: str, email: str, name: str) -> str | None:
    """The message id that says why a password is too weak for a user, or None when it will do."""
    told = password.casefold()
    if len(password) < LENGTH_MIN:
        return "password_too_short"
    if len(set(told)) < _DISTINCT_CHARACTERS_MIN:
        return "password_too_simple"
    if any(len(part) >= 3 and part in told for part in (email.casefold(), email.casefold().partition("@")[0])):
        return "password_is_personal"
    if len(name) >= 3 and told == name.casefold():
        return "password_is_personal"
    return None


def require_strong_password(password: str, email: str, name: str, *, field: str) -> None:
    """Refuse a weak password. Raises `INVALID_REQUEST` at the field."""
    if reason := password_weakness(password, email, name):
        raise INVALID_REQUEST.for_fields(FieldError(field, reason, {"least": LENGTH_MIN}))
