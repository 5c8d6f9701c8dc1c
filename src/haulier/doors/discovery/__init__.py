"""The discovery door: documents by which agents and their builders find out what this house can do. All from the registry."""
