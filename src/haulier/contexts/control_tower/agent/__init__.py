"""Operations AI Agent: an agent in the house that answers dispatchers, and acts only through what they may call themselves.

Words: session (one conversation of one person), turn (a question and all that is done for its answer), event (a piece of a turn
as it happens: text, a tool that is called, its outcome, a proposal), clerk (the answerer without a model), cap (turns a day).
"""

from haulier.kernel.operations.enums import Area

AREA = Area.OPERATIONS_AI_AGENT
