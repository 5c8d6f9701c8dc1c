"""Use the extra `barcodes`: of a label's picture its bars are read, and it is said plainly that its text is not."""

from scripts.label_reading import read_label_of_the_demo

parsed, _ = read_label_of_the_demo()
assert parsed["engine"] == "barcodes", parsed
assert parsed["notice"], parsed
print("the bars of a label were read, and nothing else was claimed")
