"""Every operation, field and text named in `server_features.toml` exists."""

import re
from collections.abc import Mapping
from functools import cache
from typing import Any, get_args, get_type_hints

import pytest

from haulier.api.mcp.server_features import server_features, uri_template
from haulier.api.mcp.tool_list import tool_list
from haulier.app import registry
from haulier.kernel.i18n.languages import SUPPORTED_LANGUAGES, Catalogues
from haulier.kernel.operations.declaration import Operation, Rest
from haulier.kernel.operations.enums import Effect, McpServer

FEATURES, REGISTRY, WORDS = server_features(), registry(), Catalogues()
A_TOOL = re.compile(r"[a-z]+(?:_[a-z]+)+")


@cache
def tools() -> Mapping[str, Operation[Any, Any]]:
    """The operations of the server's tools, by the tools' names."""
    return tool_list(REGISTRY, McpServer.USER).operations


def fields(operation: str) -> set[str]:
    """The fields of a request, as they stand in an address and in JSON."""
    model = REGISTRY[operation].request
    return {name for key, field in model.model_fields.items() for name in (key, field.alias) if name}


def member(operation: str, path: str) -> Any:
    """The type of a member of an answer, or of a record of one of its lists."""
    kind: Any = REGISTRY[operation].answer
    for name in path.split("."):
        written = dict(zip(kind.__struct_encode_fields__, kind.__struct_fields__, strict=True))
        kind = get_type_hints(kind)[written.get(name, name)]
        kind = get_args(kind)[0] if get_args(kind) and hasattr(get_args(kind)[0], "__struct_fields__") else kind
    return kind


def test_resources_are_responses_of_reads() -> None:
    for each in (*FEATURES.resources, *FEATURES.templates):
        assert REGISTRY[each.operation].effect is Effect.READ
        assert set(uri_template(each.uri).variable_names) <= fields(each.operation)
        assert each.answer is None or member(each.operation, each.answer)
    names = [each.name for each in (*FEATURES.resources, *FEATURES.templates)]
    assert len(set(names)) == len(names)


def test_templates_are_listed_followed_and_completed_from_existing_records() -> None:
    for template in FEATURES.templates:
        assert set(template.complete) <= set(uri_template(template.uri).variable_names)
        assert set(template.complete.values()) <= FEATURES.completions.keys()
        if listing := template.listing:
            for path in (listing.value, listing.label):
                assert member(listing.operation, f"{listing.records}.{path}")
        if follow := template.follow:
            assert any(
                isinstance(interface, Rest) and interface.event_stream
                for interface in REGISTRY[follow.stream].interfaces
            )
            assert (follow.by in uri_template(template.uri).variable_names) != bool(follow.by_answer)
            assert follow.by_answer is None or member(template.operation, follow.by_answer)


def test_completions_query_lists_for_their_members() -> None:
    for source in FEATURES.completions.values():
        assert REGISTRY[source.operation].effect is Effect.READ
        assert {name for name in (source.query, source.page) if name} <= fields(source.operation)
        for name in (source.value, *source.matches):
            assert member(source.operation, f"{source.records}.{name}")
        if source.otherwise:
            assert source.otherwise.page in fields(source.otherwise.operation)
            assert member(source.otherwise.operation, f"{source.records}.{source.value}")


def test_tasks_are_tools_with_jobs_that_can_be_read_and_cancelled() -> None:
    for task in FEATURES.tasks:
        assert member(tools()[task.tool].name, task.id)
        for path in (task.state, task.created_at, task.updated_at):
            assert member(task.read, path)
        assert task.field in fields(task.read) & fields(task.cancel)


@pytest.mark.parametrize("language", SUPPORTED_LANGUAGES)
def test_prompts_are_translated_and_name_exactly_their_tools(language: str) -> None:
    said = WORDS.words(language)
    for resource in (*FEATURES.resources, *FEATURES.templates):
        assert {f"mcp.resource.{resource.name}.{part}" for part in ("title", "description")} <= said.keys()
    for prompt in FEATURES.prompts:
        arguments = [argument.name for argument in prompt.arguments]
        assert {f"mcp.prompt.{prompt.name}.{part}" for part in ("title", "description", *arguments)} <= said.keys()
        text = str(said[f"mcp.prompt.{prompt.name}.text"])
        assert set(A_TOOL.findall(text)) == set(prompt.tools) <= tools().keys()
        assert set(re.findall(r"{(\w+)}", text)) == set(arguments)
        assert {argument.complete for argument in prompt.arguments} - {None} <= FEATURES.completions.keys()
        optional = [argument.name for argument in prompt.arguments if not argument.required]
        assert {f"mcp.prompt.without.{name}" for name in optional} <= said.keys()
