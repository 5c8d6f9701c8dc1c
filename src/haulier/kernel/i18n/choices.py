"""The words of a contract as people read them: `NEW_ORDER` is “new”, and the descriptions of fields in other languages."""

from functools import cache

from haulier.kernel.i18n.languages import DEFAULT_LANGUAGE, SUPPORTED_LANGUAGES, Catalogues


def choice_messages(value: str) -> tuple[str, str]:
    """The messages that may name a choice, the better first."""
    return f"choice.{value.lower()}", f"value.status.{value.lower()}"


def choice_name(catalogues: Catalogues, language: str, value: str) -> str | None:
    """The name of a choice in a language; None where it has none, and its code says all."""
    words = catalogues.words(language)
    return next((str(words[each]) for each in choice_messages(value) if each in words), None)


def choice_names(catalogues: Catalogues, value: str) -> dict[str, str]:
    """The name of a choice in every language that has one."""
    found = {language: choice_name(catalogues, language, value) for language in SUPPORTED_LANGUAGES}
    return {language: name for language, name in found.items() if name is not None}


@cache
def hint_messages() -> dict[str, str]:
    """The message of each description of a field that has been translated, by its English sentence.

    A sentence that a contract words anew has no translation until the catalogues follow; a test finds those left behind.
    """
    words = Catalogues().words(DEFAULT_LANGUAGE)
    return {str(text): id for id, text in words.items() if id.startswith("field_hint.")}
