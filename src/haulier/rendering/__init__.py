"""Labels and documents as PDF, ZPL and PNG, from typed content to bytes.

A *page* is a list of text, bars, symbols and pictures, placed in dots at 203 dpi. It is laid out once and painted by
`pdf`, `zpl` and `bitmap`. Everything here is a pure function without clock, database or business rules. See
docs/decisions/documents.md.
"""
