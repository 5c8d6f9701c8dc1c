"""Datasets: lists that a client makes for itself, of whatever it likes.

A *dataset* is a list of *records* whose *values* fit its *schema* (JSON Schema); a *group* holds datasets and says who reads
them; an *import* brings many records at once from a file; *indexed fields* are those by which records are filtered and sorted.
"""
