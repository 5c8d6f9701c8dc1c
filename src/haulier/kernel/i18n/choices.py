"""Translations of enum values and field descriptions."""

from functools import cache

from haulier.kernel.i18n.languages import DEFAULT_LANGUAGE, SUPPORTED_LANGUAGES, Catalogues


def choice_messages(value: str) -> tuple[str, str]:
    """Return the messages that may name a choice, in order of preference."""
    return f"choice.{value.lower()}", f"value.status.{value.lower()}"


def choice_name(catalogues: Catalogues, language: str, value: str) -> str | None:
    """Return the name of a choice in a language, or None if only its code exists."""
    words = catalogues.words(language)
    return next((str(words[each]) for each in choice_messages(value) if each in words), None)


def choice_names(catalogues: Catalogues, value: str) -> dict[str, str]:
    """Return the name of a choice in every language that has one."""
    found = {language: choice_name(catalogues, language, value) for language in SUPPORTED_LANGUAGES}
    return {language: name for language, name in found.items() if name is not None}


@cache
def hint_messages() -> dict[str, str]:
    """Return the message ids of translated field descriptions by their English text.

    A reworded description has no translation until the catalogues follow; a test finds those.
    """
    words = Catalogues().words(DEFAULT_LANGUAGE)
    return {str(text): id for id, text in words.items() if id.startswith("field_hint.")}
