"""What goes in and out of devices: what people say of them, and the frames that they send and get."""
