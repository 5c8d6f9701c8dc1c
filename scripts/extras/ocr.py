"""Check of the extra `ocr`: reads bars and text of a label."""

from scripts.label_reading import read_label_of_the_demo

parsed, order = read_label_of_the_demo()
read = {field["name"]: field["value"] for field in parsed["fields"]}
assert parsed["engine"] == "ocr", parsed
assert read["consignee.name"] == order["name"], (read, order)
print("bars and text of a label read")
