"""Every error has a message in every language."""

import re

import pytest

from haulier.app import registry
from haulier.kernel.i18n.languages import SUPPORTED_LANGUAGES, Catalogues
from haulier.kernel.operations.errors import list_error_types

registry()  # importing every context declares every problem
CATALOGUES = Catalogues()
ONLY_QUOTES = re.compile(r"^\{\w+\}$")
"""A message that is nothing but what another program said, in its language."""


@pytest.mark.parametrize("language", SUPPORTED_LANGUAGES)
def test_every_error_has_its_own_message_in_each_language(language: str) -> None:
    words = {problem.id: CATALOGUES.translate(language, problem.id) for problem in list_error_types()}
    assert len(words) > 200
    assert [id for id, said in words.items() if said == id] == []
    english = {
        id for id, said in words.items() if said == CATALOGUES.translate("en", id) and not ONLY_QUOTES.match(said)
    }
    assert language == "en" or english == set()
