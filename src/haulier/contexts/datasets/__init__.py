"""Datasets: a client's own lists of any kind.

A *dataset* is a list of *records* whose *values* fit its *schema* (JSON Schema); a *group* contains datasets and
defines who reads them; an *import* adds many records from a file; *indexed fields* are used to filter and sort records.
"""

from haulier.kernel.operations.enums import Module

MODULE = Module.DATASETS
