"""Errors of packing plans."""

from haulier.kernel.operations.errors import declare_error

CARTON_CODE_TAKEN = declare_error("carton_code_taken", 409)
FILLING_CODE_TAKEN = declare_error("filling_code_taken", 409)
NO_CARTONS = declare_error("no_cartons", 409)
PIECE_WITHOUT_SIZE = declare_error("piece_without_size", 409)
TOO_MANY_PIECES = declare_error("too_many_pieces_to_pack", 409)
PACKING_RULES_BROKEN = declare_error("packing_rules_broken", 409)
PACKING_NOT_FOUND_IN_TIME = declare_error("packing_not_found_in_time", 409)
