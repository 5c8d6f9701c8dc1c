"""Language models of the operations agent.

Supports two HTTP APIs, and the built-in clerk, which needs no model.
"""

from urllib.parse import parse_qs, urlsplit

from haulier.adapters.agent_models.anthropic_messages import AnthropicMessages
from haulier.adapters.agent_models.chat_completions import ChatCompletions
from haulier.adapters.agent_models.endpoint import ModelEndpoint
from haulier.contexts.control_tower.ports import AgentModel

MICRO_USD_PER_USD = 1_000_000


def agent_model_for(address: str | None, key: str | None, clerk: AgentModel) -> AgentModel:
    """Return the model at a URL, or the clerk without a URL.

    The format is `anthropic+https://host?model=…` or `openai+http://host/v1?model=…`.
    """
    if address is None:
        return clerk
    parts = urlsplit(address)
    form, _, scheme = parts.scheme.partition("+")
    values = {name: texts[-1] for name, texts in parse_qs(parts.query).items()}
    endpoint = ModelEndpoint(
        base=f"{scheme}://{parts.netloc}{parts.path}".rstrip("/"),
        model=values["model"],
        key=key,
        input_micro_usd_per_million=_price(values.get("input_usd")),
        output_micro_usd_per_million=_price(values.get("output_usd")),
    )
    return AnthropicMessages(endpoint) if form == "anthropic" else ChatCompletions(endpoint)


def _price(text: str | None) -> int:
    return round(float(text or 0) * MICRO_USD_PER_USD)
