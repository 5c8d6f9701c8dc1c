"""Runner that meets errors in real REST calls, in all six languages."""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tests.support.app import App
from tests.support.databases import CHOSEN

from haulier.app import registry
from haulier.kernel.i18n.languages import SUPPORTED_LANGUAGES, Catalogues
from haulier.kernel.operations.declaration import Operation, Rest
from haulier.kernel.operations.errors import ErrorType, list_error_types

CATALOGUES = Catalogues()
Values = dict[str, Any] | Callable[[str], dict[str, Any]]
"""Values of a request, by language if a request uses something up."""
Attempt = tuple[str | None, Values] | tuple[str | None, Values, dict[str, str]]
"""Caller, values and additional headers of a request."""
Attempts = Mapping[tuple[str, str], Attempt]
"""By operation and code."""


async def list_unmet_errors(app: App, attempts: Attempts) -> list[Any]:
    """Return attempts without the declared error or its message in every language."""
    wrong: list[Any] = []
    languages = spoken_languages(app)
    problems = {problem.code: problem for problem in list_error_types()}
    for (name, code), (who, values, *more) in attempts.items():
        operation, problem = registry()[name], problems[code]
        heard: dict[str, str] = {}
        for language in languages:
            asked = values(language) if callable(values) else values
            headers = {"accept-language": language, **(more[0] if more else {})}
            status, error = await call_and_read_error(app, operation, who, asked, headers)
            heard[language] = error.get("message", "")
            if (status, error.get("code")) != (problem.status, code) or not said_as(
                language, problem, error.get("message", "")
            ):
                wrong.append(
                    (name, code, language, status, error.get("code"), error.get("errors"), error.get("message"))
                )
        if share_a_message(heard):
            wrong.append((name, code, heard))
    return wrong


def share_a_message(heard: Mapping[str, str]) -> bool:
    """Return True if two languages have one message.

    The scripts of Chinese can share one, because many words have the same characters in both.
    """
    of_languages = {language.partition("-")[0]: message for language, message in heard.items()}
    return len(set(of_languages.values())) != len(of_languages)


def spoken_languages(app: App) -> Sequence[str]:
    """Return every language for the first database of a run, and one for another.

    The refusal may depend on the database, but its wording does not.
    """
    first = app.database_url.startswith(CHOSEN[0])
    return SUPPORTED_LANGUAGES if first else SUPPORTED_LANGUAGES[-1:]


async def call_and_read_error(
    app: App, operation: Operation[Any, Any], who: str | None, values: dict[str, Any], headers: dict[str, str]
) -> tuple[int, dict[str, Any]]:
    """Return status and body of a REST call, or of a direct call without a REST route."""
    rest = next((interface for interface in operation.interfaces if isinstance(interface, Rest)), None)
    if rest is None:
        outcome = await app.call(who, operation.name, values, accept_language=headers["accept-language"])
        return outcome.status, outcome.error or {}
    left, path = dict(values), rest.path
    for name in [name for name in left if f"{{{name}}}" in path]:
        path = path.replace(f"{{{name}}}", str(left.pop(name)))
    body_less = rest.method in {"GET", "DELETE"}
    query = left if body_less else {name: left.pop(name) for name in rest.query if name in left}
    bearer = {"authorization": f"Bearer {app.tokens[who]}"} if who else {}
    headers = {"content-type": "application/json", **bearer, **headers}
    document = values[""] if "" in values else json.dumps(left.get(rest.body) if rest.body else left)
    content = None if body_less else document
    answer = await app.http.request(rest.method, f"/api{path}", params=query, headers=headers, content=content)
    return answer.status_code, answer.json() if answer.content else {}


def said_as(language: str, problem: ErrorType, message: str) -> bool:
    """Return True if a message matches the catalogue, with all placeholders filled."""
    words = CATALOGUES.words(language)[problem.id]
    forms = (words,) if isinstance(words, str) else words.forms
    patterns = (re.sub(r"\\{\w+\\}", "[^{}]+", re.escape(form)) for form in forms)
    return any(re.fullmatch(pattern, message) for pattern in patterns)
