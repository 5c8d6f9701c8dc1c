"""Guides, read from data that the tests run step by step."""

import tomllib
from functools import lru_cache
from importlib.resources import files
from typing import Any

import msgspec
from msgspec import UNSET, Struct

from haulier.contexts.integrations.developer_portal.contract import IntegrationGuide, IntegrationGuideStep


class _GuideStepData(Struct, frozen=True, kw_only=True):
    title: str
    instructions: str
    method: str
    path: str
    headers: dict[str, str] = {}
    body: dict[str, Any] | None = None
    remember: dict[str, str] = {}
    anonymous: bool = False


class _GuideData(Struct, frozen=True):
    title: str
    steps: list[_GuideStepData]


@lru_cache(maxsize=1)
def _load_guide() -> _GuideData:
    text = files("haulier.contexts.integrations.developer_portal").joinpath("guide.toml").read_text()
    return msgspec.convert(tomllib.loads(text), _GuideData)


def build_integration_guide(topic: str, base_url: str) -> IntegrationGuide:
    """The guide with the addresses of this platform."""
    guide = _load_guide()
    steps = [_guide_step(step, base_url) for step in guide.steps]
    return IntegrationGuide(topic=topic, title=guide.title, text=_guide_markdown(guide.title, steps), steps=steps)


def _guide_step(step: _GuideStepData, base_url: str) -> IntegrationGuideStep:
    token = {} if step.anonymous or "token" in step.remember else {"Authorization": "Bearer {token}"}
    return IntegrationGuideStep(
        title=step.title,
        instructions=step.instructions,
        method=step.method,
        url=f"{base_url}{step.path}",
        headers={**token, **step.headers},
        body=UNSET if step.body is None else step.body,
        remember=step.remember or UNSET,
    )


def _guide_markdown(title: str, steps: list[IntegrationGuideStep]) -> str:
    parts = [f"# {title}\n"]
    for number, step in enumerate(steps, start=1):
        lines = [f"{step.method} {step.url}", *(f"{name}: {value}" for name, value in step.headers.items())]
        if step.body is not UNSET:
            lines += [
                "Content-Type: application/json",
                "",
                msgspec.json.format(msgspec.json.encode(step.body)).decode(),
            ]
        request = "\n".join(lines)
        parts.append(f"## {number}. {step.title}\n\n{step.instructions}\n\n```http\n{request}\n```\n")
        if step.remember is not UNSET:
            remembered = ", ".join(f"`{path}` as `{name}`" for name, path in step.remember.items())
            parts.append(f"Keep {remembered} from the answer.\n")
    return "\n".join(parts)
