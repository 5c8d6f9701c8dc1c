"""Errors of no particular operation, met in all languages where they arise."""

from typing import Any

import pytest
from tests.invariants.error_scenarios.at_doors import MEETINGS
from tests.invariants.error_scenarios.runner import said_as
from tests.support.app import App

from haulier.kernel.i18n.languages import SUPPORTED_LANGUAGES
from haulier.kernel.operations.errors import list_error_types


@pytest.mark.parametrize("code", MEETINGS)
async def test_the_message_is_translated_into_every_language(app: App, code: str) -> None:
    problem = next(each for each in list_error_types() if each.code == code)
    wrong: list[Any] = []
    for language in SUPPORTED_LANGUAGES:
        status, told, message = await MEETINGS[code](app, language)
        if (status, told) != (problem.status, code) or not said_as(language, problem, message):
            wrong.append((language, status, told, message))
    assert wrong == []
