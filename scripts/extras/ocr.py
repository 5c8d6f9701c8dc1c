"""Use the extra `ocr`: a picture of a label is read, its bars and its text, by models that came with the package."""

from scripts.label_reading import read_label_of_the_demo

parsed, order = read_label_of_the_demo()
read = {field["name"]: field["value"] for field in parsed["fields"]}
assert parsed["engine"] == "ocr", parsed
assert read["consignee.name"] == order["name"], (read, order)
print("a picture of a label was read, its bars and its text")
