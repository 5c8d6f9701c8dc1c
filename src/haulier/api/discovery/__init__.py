"""The discovery door: documents that tell agents and their builders what this application can do, all from the registry."""
