"""What the authorisation server keeps."""
