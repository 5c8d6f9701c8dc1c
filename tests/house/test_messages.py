"""Every refusal can be said in every language."""

import pytest

from haulier.app import registry
from haulier.kernel.errors import declared_problems
from haulier.kernel.languages import SUPPORTED, Catalogues

registry()  # importing every context declares every problem
CATALOGUES = Catalogues()


@pytest.mark.parametrize("language", SUPPORTED)
def test_every_refusal_has_words_of_its_own_in_a_language(language: str) -> None:
    words = {problem.id: CATALOGUES.say(language, problem.id) for problem in declared_problems()}
    assert len(words) > 200
    assert [id for id, said in words.items() if said == id] == []
    assert language == "en" or [id for id, said in words.items() if said == CATALOGUES.say("en", id)] == []
