"""What is done with deliveries into lockers."""
