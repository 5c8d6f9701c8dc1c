"""Every protocol message exists in every language."""

from string import Formatter

import pytest
from tests.contexts.otep.validation.finding_hints import FINDING_HINTS
from tests.support.every_case import for_every

from haulier.contexts.otep.protocol.serializers import GUIDE_SECTIONS
from haulier.contexts.otep.timeline.rules.merge import HANDED_TO, HandedTo
from haulier.contexts.otep.validation.rules.value_checks import FINDING_RULES
from haulier.contexts.otep.vocabulary.rules import INCIDENT_REASONS, PHASE_RANK, PROFILES, SOURCE_TYPES, STATUS_CODES
from haulier.kernel.i18n.languages import DEFAULT_LANGUAGE, SUPPORTED_LANGUAGES, Catalogues, PluralMessage

CATALOGUES = Catalogues()
WORDS = [
    *(f"otep.status.{row.code}" for row in STATUS_CODES),
    *(f"otep.phase.{phase}" for phase in PHASE_RANK),
    *(f"otep.profile.{profile}" for profile in PROFILES),
    *(f"otep.reason.{code}" for code in INCIDENT_REASONS),
    *(f"otep.source.{code}" for code in SOURCE_TYPES),
    *(f"otep.guide.{section}" for section in GUIDE_SECTIONS),
    *(f"otep.outcome.{code}" for code in HANDED_TO if code != HandedTo.RECIPIENT),
]
SENTENCES = {
    **{f"otep.validate.{code}": set(rule.params) for code, rule in FINDING_RULES.items()},
    **{f"otep.hint.{code}": set(params) for code, params in FINDING_HINTS.items()},
    **{f"otep.guide.{section}.text": {"reasons"} for section in GUIDE_SECTIONS},
    "otep.guide.introduction": set[str](),
    "otep.outcome.in_part": {"outcome", "delivered", "of"},
    "unknown_otep_version": {"version", "supported"},
}
PATTERNS = {"otep.outcome.at": {"outcome", "place"}, "otep.outcome.by_name": {"outcome", "name"}}
"""Texts without words: only their punctuation depends on the language."""
every_language = for_every("language", SUPPORTED_LANGUAGES)


def words(language: str, id: str) -> str:
    said = CATALOGUES.words(language)[id]
    assert not isinstance(said, PluralMessage)
    return said


@every_language
def test_every_message_has_a_text(language: str) -> None:
    assert [id for id in [*WORDS, *SENTENCES, *PATTERNS] if id not in CATALOGUES.words(language)] == []


@every_language
def test_every_text_belongs_to_a_message(language: str) -> None:
    kept = {id for id in CATALOGUES.words(language) if id.startswith("otep.")}
    assert kept - {*WORDS, *SENTENCES, *PATTERNS} == set()


@for_every("language", [language for language in SUPPORTED_LANGUAGES if language != DEFAULT_LANGUAGE])
def test_sentences_are_translated_and_not_copied(language: str) -> None:
    assert [id for id in SENTENCES if words(language, id) == words(DEFAULT_LANGUAGE, id)] == []


@pytest.mark.parametrize(("one", "other"), [("zh-Hans", "zh-Hant"), ("fr", "es"), ("de", "fr")])
def test_no_two_languages_share_a_sentence(one: str, other: str) -> None:
    assert [id for id in SENTENCES if words(one, id) == words(other, id)] == []


@every_language
@for_every("id", [*SENTENCES, *PATTERNS])
def test_a_sentence_uses_only_available_values(language: str, id: str) -> None:
    shown = {field for _, field, _, _ in Formatter().parse(words(language, id)) if field}
    assert shown <= (SENTENCES | PATTERNS)[id]


@every_language
def test_no_two_codes_of_a_profile_have_the_same_text(language: str) -> None:
    said = [words(language, f"otep.status.{row.code}") for row in STATUS_CODES]
    assert sorted({each for each in said if said.count(each) > 1}) == []
