"""Check of the extra `barcodes`: reads the bars of a label, but not its text."""

from scripts.label_reading import read_label_of_the_demo

parsed, _ = read_label_of_the_demo()
assert parsed["engine"] == "barcodes", parsed
assert parsed["notice"], parsed
print("bars of a label read, no text")
