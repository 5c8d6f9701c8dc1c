"""Documents: proofs, uploaded files and issued documents.

A *file* is an uploaded picture or PDF, stored byte for byte; its *subject* is a record of another context.
"""
