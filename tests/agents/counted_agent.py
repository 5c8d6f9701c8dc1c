"""An agent with counted calls and tokens, to measure the cost of a task."""

from typing import Any

from mcp import Client
from msgspec import Struct
from rs_bpe.bpe import openai

from haulier.kernel.operations import codec


class JobCost(Struct):
    """Cost of a task: calls, refused calls, and tokens.

    Tokens are those of arguments and responses as a model reads them, and of arguments only.
    """

    calls: int = 0
    refused: int = 0
    tokens: int = 0
    asked: int = 0


def tokens_of(document: Any) -> int:
    """The tokens of a JSON document."""
    return openai.o200k_base().count(codec.encode_json(document).decode())


class CountedAgent:
    """An agent for a user; several agents may share a count."""

    def __init__(self, client: Client, cost: JobCost) -> None:
        self._client, self.cost = client, cost

    async def does(self, tool: str, /, **arguments: Any) -> Any:
        """Call a tool and get what it answers, a refusal too."""
        result = await self._client.call_tool(tool, arguments)
        counter, asked = openai.o200k_base(), tokens_of({"name": tool, "arguments": arguments})
        texts = [part.text for part in result.content if part.type == "text"]
        self.cost.calls += 1
        self.cost.refused += bool(result.is_error)
        self.cost.asked += asked
        self.cost.tokens += asked + sum(counter.count(text) for text in texts)
        return result.structured_content
