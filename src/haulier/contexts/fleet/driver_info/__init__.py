"""What a driver's app needs on opening: who they are, their skills, the status of their documents."""
