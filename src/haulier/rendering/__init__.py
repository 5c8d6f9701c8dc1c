"""Papers: labels and documents as PDF, ZPL and PNG, from typed content to bytes.

A *page* is a list of texts, bars, symbols and pictures, placed in dots of 203 to the inch; it is laid out once, and painted by
`pdf`, `zpl` and `bitmap`. Everything here is a pure function: no clock, no database, no business rule. See
docs/decisions/documents.md.
"""
