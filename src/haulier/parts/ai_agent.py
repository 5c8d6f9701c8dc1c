"""AI agent: the model that answers, and the tools that it uses."""

from haulier.adapters.agent_models import agent_model_for
from haulier.api.mcp.agent_tools import RegistryAgentTools
from haulier.contexts.control_tower.agent.rules.clerk.clerk import BESIDE_TOOLS, Clerk
from haulier.contexts.control_tower.ports import AgentModel, AgentTools
from haulier.parts import Adapters, Part, Shared


def _adapters(shared: Shared) -> Adapters:
    settings = shared.settings
    return {
        AgentModel: agent_model_for(settings.agent_model, settings.agent_key, Clerk(shared.catalogues)),
        AgentTools: RegistryAgentTools(beside=BESIDE_TOOLS),
    }


def _simulated(shared: Shared, adapters: Adapters) -> Adapters:
    return {AgentModel: Clerk(shared.catalogues)}


PART = Part(adapters=_adapters, simulated=_simulated)
