// A worker that reads barcodes in pictures of the camera, beside the page, so that the page stays quick on a slow device.
// Why it is served below the address of each app: the worker that keeps a page for offline use keeps what this one loads, too.
importScripts("/static/vendor/zxing-reader.js");

const reader = ZXingWASM.prepareZXingModule({
  overrides: { locateFile: () => "/static/vendor/zxing-reader.wasm" },
  fireImmediately: true,
});
// The codes that goods, parcels and shelves carry; the fewer there are, the less is misread.
const OPTIONS = {
  formats: ["EAN13", "EAN8", "UPCA", "UPCE", "Code128", "Code39", "ITF14", "DataBar", "DataBarExpanded", "QRCode", "DataMatrix"],
  maxNumberOfSymbols: 1,
  textMode: "Plain",
};

addEventListener("message", async ({ data: image }) => {
  try {
    await reader;
    const [found] = await ZXingWASM.readBarcodes(image, OPTIONS);
    postMessage({ code: found && (found.contentType === "GS1" ? `${found.symbologyIdentifier}${found.text}` : found.text) });
  } catch (error) {
    postMessage({ fault: String(error) });
  }
});
