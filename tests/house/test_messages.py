"""Every refusal can be said in every language."""

import pytest

from haulier.app import registry
from haulier.kernel.errors import Problem, declared_problems
from haulier.kernel.languages import SUPPORTED, Catalogues

registry()  # importing every context declares every problem
CATALOGUES = Catalogues()


@pytest.mark.parametrize("problem", list(declared_problems()), ids=lambda problem: problem.id)
@pytest.mark.parametrize("language", SUPPORTED)
def test_a_refusal_has_words_in_every_language(problem: Problem, language: str) -> None:
    words = CATALOGUES.say(language, problem.id)
    assert words != problem.id
    if language != "en":
        assert words != CATALOGUES.say("en", problem.id)
