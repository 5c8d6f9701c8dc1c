// A worker that reads barcodes in camera pictures, so that the page stays fast on slow devices.
// It is served below the address of each app, so that the offline worker also caches the files loaded here.
importScripts("/static/vendor/zxing-reader.js");

const reader = ZXingWASM.prepareZXingModule({
  overrides: { locateFile: () => "/static/vendor/zxing-reader.wasm" },
  fireImmediately: true,
});
// Code types of goods, parcels and shelves. Fewer types mean fewer misreads.
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
