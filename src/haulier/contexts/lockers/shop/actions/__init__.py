"""What is done in the locker shop, in the transaction of the caller."""
