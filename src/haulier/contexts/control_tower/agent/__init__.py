"""Operations AI agent: answers dispatchers, limited to their own permissions.

Terms: session (a user's conversation), turn (a question and the work for its answer), event (a piece of a turn: text, a
tool call, its outcome, a proposal), clerk (the answerer without a model), cap (turns a day).
"""

from haulier.kernel.operations.enums import Area, Module

AREA = Area.OPERATIONS_AI_AGENT
MODULE = Module.AI_AGENT
