"""Files: pictures and PDFs that somebody handed in, and who may open them."""
