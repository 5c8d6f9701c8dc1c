"""Documents: files that prove something and files to read.

A *file* is a picture or a PDF that somebody handed in, kept byte for byte; what it is *about* is a record of another context.
"""
