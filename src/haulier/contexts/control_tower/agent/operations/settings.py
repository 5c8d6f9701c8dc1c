"""What the agent may spend, and what it has."""

from haulier.contexts.control_tower.agent.contract import AgentPolicy, AgentUsage, SetAgentPolicy
from haulier.contexts.control_tower.agent.operations.sessions import OPTIONS
from haulier.contexts.control_tower.agent.rules.limits import AgentLimits
from haulier.contexts.control_tower.agent.store import sessions as store
from haulier.contexts.control_tower.ports import AgentModel
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import EmptyRequest, GraphQL, Rest, reads, writes
from haulier.kernel.operations.enums import Account, Feature, Risk, Scope
from haulier.kernel.operations.records import record

PATH = "/v1/agent/policy"


@reads("get_agent_usage", doors=(Rest("GET", "/v1/agent/usage"), GraphQL("agentUsage")), **OPTIONS)
async def get_agent_usage(call: Call, request: EmptyRequest) -> AgentUsage:
    """How many turns the business has left today, and what the agent cost this month."""
    cap = (await store.get_limits(call.work)).daily_turns
    today = await store.sum_usage(call.work, call.today, call.today)
    month = await store.sum_usage(call.work, call.today.replace(day=1), call.today)
    return AgentUsage(
        day=call.today,
        daily_turns=cap,
        turns=int(today.turns),
        remaining=max(0, cap - int(today.turns)),
        input_tokens=int(today.input_tokens),
        output_tokens=int(today.output_tokens),
        cost_micro_usd=int(today.cost_micro_usd),
        month_turns=int(month.turns),
        month_cost_micro_usd=int(month.cost_micro_usd),
        model=call.adapter(AgentModel).name,
    )


@reads("get_agent_policy", doors=(Rest("GET", PATH), GraphQL("agentPolicy")), **OPTIONS)
async def get_agent_policy(call: Call, request: EmptyRequest) -> AgentPolicy:
    """Show what the business lets its agent spend: turns a day, and steps, tokens, seconds and money in a turn."""
    return record(AgentPolicy, await store.get_limits(call.work))


@writes(
    "set_agent_policy",
    audience={Account.CLIENT_ADMIN},
    scopes={Scope.APPROVALS_WRITE},
    risk=Risk.HIGH,
    feature=Feature.OPERATIONS_AI_AGENT,
    doors=(Rest("PUT", PATH), GraphQL("setAgentPolicy")),
)
async def set_agent_policy(call: Call, request: SetAgentPolicy) -> AgentPolicy:
    """Set what the business lets its agent spend. Turns that run keep the limits they began with; 0 a day stops the agent."""
    limits = AgentLimits(**request.model_dump())
    await store.save_limits(call.work, limits)
    return record(AgentPolicy, limits)
