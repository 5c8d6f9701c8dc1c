"""`python -m haulier`: the command line."""

from haulier.cli import main

main()
