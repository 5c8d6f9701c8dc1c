"""Example of a package that extends Haulier."""
