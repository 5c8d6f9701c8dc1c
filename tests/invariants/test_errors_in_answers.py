"""Errors of single orders and events within an answer, in all languages."""

import json
from collections.abc import Iterator
from typing import Any

from tests.invariants.error_scenarios.in_answers import make_scene, told
from tests.invariants.error_scenarios.runner import said_as, share_a_message
from tests.support.app import App

from haulier.kernel.i18n.languages import SUPPORTED_LANGUAGES
from haulier.kernel.operations.codec import encode_json
from haulier.kernel.operations.errors import list_error_types


def said(document: Any) -> Iterator[tuple[str, str]]:
    """Yield every code beside a message, anywhere within an answer."""
    if isinstance(document, dict):
        if isinstance(document.get("code"), str) and document.get("message"):
            yield document["code"], document["message"]
        for each in document.values():
            yield from said(each)
    if isinstance(document, list):
        for each in document:
            yield from said(each)


async def test_reasons_for_skipped_records_are_translated(app: App) -> None:
    problems = {problem.code: problem for problem in list_error_types()}
    wrong: list[Any] = []
    for code, (who, operation, asked) in told(app, await make_scene(app)).items():
        heard: dict[str, str] = {}
        for language in SUPPORTED_LANGUAGES:
            answer = await app.answer(who, operation, asked, accept_language=language)
            words = dict(said(json.loads(encode_json(answer)))).get(code, "")
            heard[language] = words
            if not said_as(language, problems[code], words):
                wrong.append((code, language, words, answer))
        if share_a_message(heard):
            wrong.append((code, heard))
    assert wrong == []
