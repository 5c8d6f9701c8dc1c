"""Limits of the agent per day and turn. Pure."""

from msgspec import Struct

DAILY_TURNS, DAILY_TURNS_MAX = 200, 100_000
STEPS, STEPS_MAX = 8, 30
TOKENS, TOKENS_MAX = 400_000, 5_000_000
SECONDS, SECONDS_MAX = 90, 600
COST_MICRO_USD, COST_MICRO_USD_MAX = 500_000, 1_000_000_000
CALLS_MAX = 8
"""Maximum tool calls of one step; others are skipped."""


class AgentLimits(Struct, frozen=True, kw_only=True):
    """Spending limits of the agent. Cost is in millionths of a US dollar."""

    daily_turns: int = DAILY_TURNS
    max_steps: int = STEPS
    max_tokens: int = TOKENS
    max_seconds: int = SECONDS
    max_cost_micro_usd: int = COST_MICRO_USD
    shows_prices: bool = False


class Spent(Struct, frozen=True, kw_only=True):
    """Usage of a turn so far."""

    steps: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost_micro_usd: int = 0

    def with_step(self, input_tokens: int, output_tokens: int, cost_micro_usd: int) -> "Spent":
        """Return the usage with another model answer."""
        return Spent(
            steps=self.steps + 1,
            input_tokens=self.input_tokens + input_tokens,
            output_tokens=self.output_tokens + output_tokens,
            cost_micro_usd=self.cost_micro_usd + cost_micro_usd,
        )


def used_up(limits: AgentLimits, spent: Spent, seconds: float) -> str | None:
    """Return the name of the limit that a turn reached, or None."""
    if spent.steps >= limits.max_steps:
        return "steps"
    if spent.input_tokens + spent.output_tokens >= limits.max_tokens:
        return "tokens"
    if spent.cost_micro_usd and spent.cost_micro_usd >= limits.max_cost_micro_usd:
        return "cost"
    return "seconds" if seconds >= limits.max_seconds else None
