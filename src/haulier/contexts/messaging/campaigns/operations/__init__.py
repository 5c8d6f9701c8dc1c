"""What people and programs ask of SMS Marketing."""
