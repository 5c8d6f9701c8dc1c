"""Which passwords are too weak. Length counts most; composition rules are not asked for (NIST SP 800-63B, section 3.1.1)."""

from haulier.kernel.errors import INVALID_REQUEST, Fault

LENGTH_MIN = 10
LENGTH_MAX = 256
_DIFFERENT_MIN = 4


def weakness(password: str, email: str, name: str) -> str | None:
    """The message id that says why a password is too weak for a user, or None when it will do."""
    told = password.casefold()
    if len(password) < LENGTH_MIN:
        return "password_too_short"
    if len(set(told)) < _DIFFERENT_MIN:
        return "password_too_simple"
    if any(len(part) >= 3 and part in told for part in (email.casefold(), email.casefold().partition("@")[0])):
        return "password_is_personal"
    if len(name) >= 3 and told == name.casefold():
        return "password_is_personal"
    return None


def demand_strength(password: str, email: str, name: str, *, field: str) -> None:
    """Refuse a weak password. Raises `INVALID_REQUEST` at the field."""
    if reason := weakness(password, email, name):
        raise INVALID_REQUEST.at(Fault(field, reason, {"least": LENGTH_MIN}))
