"""In which language a client writes to people who chose none."""

from collections.abc import Mapping
from typing import Any

from haulier.kernel.i18n.languages import DEFAULT_LANGUAGE

LANGUAGE_SETTING = "language"


def client_language(settings: Mapping[str, Any]) -> str:
    """The language of e-mails to people who chose none: the client's, else English."""
    return settings.get(LANGUAGE_SETTING, DEFAULT_LANGUAGE)
