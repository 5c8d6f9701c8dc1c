"""Control tower: views over all other contexts, and the approvals of their writes.

Words: audit timeline (what people and programs did to an order, as the audit trail has it).
"""
