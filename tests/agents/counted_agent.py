"""An agent whose calls and tokens are counted: what a job costs, beside whether it can be done."""

from typing import Any

from mcp import Client
from msgspec import Struct
from rs_bpe.bpe import openai

from haulier.kernel.operations import codec


class JobCost(Struct):
    """What a job took: calls, refused ones among them, and tokens of arguments and answers as a model reads them."""

    calls: int = 0
    refused: int = 0
    tokens: int = 0


class CountedAgent:
    """An agent that is connected as somebody; several may share what is counted."""

    def __init__(self, client: Client, cost: JobCost) -> None:
        self._client, self.cost = client, cost

    async def does(self, tool: str, /, **arguments: Any) -> Any:
        """Call a tool and get what it answers, a refusal too."""
        result = await self._client.call_tool(tool, arguments)
        counter = openai.o200k_base()
        asked = codec.encode_json({"name": tool, "arguments": arguments}).decode()
        texts = [part.text for part in result.content if part.type == "text"]
        self.cost.calls += 1
        self.cost.refused += bool(result.is_error)
        self.cost.tokens += sum(counter.count(text) for text in (asked, *texts))
        return result.structured_content
