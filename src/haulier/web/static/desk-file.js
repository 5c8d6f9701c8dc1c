// Puts a chosen file into the form as base64. Without this script, users paste rows.
const form = document.getElementById("order-file");
const file = document.getElementById("file");

function asBase64(chosen) {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.addEventListener("load", () => resolve(reader.result.slice(reader.result.indexOf(",") + 1)));
    reader.addEventListener("error", () => reject(reader.error));
    reader.readAsDataURL(chosen);
  });
}

if (file) {
  document.getElementById("choose-file").hidden = false;
  file.addEventListener("change", async () => {
    const chosen = file.files[0];
    form.elements.document.value = chosen ? await asBase64(chosen) : "";
    form.elements.format.value = chosen?.name.toLowerCase().endsWith(".xlsx") ? "xlsx" : "csv";
  });
}
