"""Errors of load plans."""

from haulier.kernel.operations.errors import declare_error

LOAD_SPACE_CODE_TAKEN = declare_error("load_space_code_taken", 409)
NO_LOAD_SPACES = declare_error("no_load_spaces", 409)
TOO_MANY_PIECES_TO_LOAD = declare_error("too_many_pieces_to_load", 409)
LOAD_PLAN_STALE = declare_error("load_plan_stale", 409)
LOADING_RULES_BROKEN = declare_error("loading_rules_broken", 409)
