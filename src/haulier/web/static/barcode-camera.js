// Barcodes by camera. The browser reads them if it can (BarcodeDetector, such as in Chrome on Android); otherwise, as in
// Firefox and Safari, the bundled reader does. Both work without a network.
const LOOK_EVERY_MS = 100;
// Some browsers have a BarcodeDetector that only reads QR codes, or nothing.
const NEEDED = ["code_128", "ean_13", "itf", "qr_code"];
const SIGHT = { facingMode: "environment", width: { ideal: 1280 }, height: { ideal: 720 } };

// Cameras are only available over HTTPS, or on the device itself.
export const hasCamera = () => Boolean(navigator.mediaDevices?.getUserMedia);

async function browserReader() {
  const known = await window.BarcodeDetector?.getSupportedFormats?.().catch(() => []);
  if (!known || !NEEDED.every((format) => known.includes(format))) return undefined;
  const detector = new BarcodeDetector();
  return (sight) => detector.detect(sight).then(([found]) => found?.rawValue);
}

function ownReader(app) {
  const worker = new Worker(`/${app}/reader.js`);
  const canvas = document.createElement("canvas");
  const context = canvas.getContext("2d", { willReadFrequently: true });
  return (sight) =>
    new Promise((resolve, reject) => {
      [canvas.width, canvas.height] = [sight.videoWidth, sight.videoHeight];
      context.drawImage(sight, 0, 0);
      const image = context.getImageData(0, 0, canvas.width, canvas.height);
      worker.onmessage = ({ data }) => (data.fault ? reject(new Error(data.fault)) : resolve(data.code));
      worker.onerror = () => reject(new Error("the reader did not start"));
      worker.postMessage(image, [image.data.buffer]);
    });
}

// Files of the bundled reader; none if the browser reads barcodes or there is no camera.
export async function loadedByReader(app) {
  const own = hasCamera() && !(await browserReader());
  return own ? [`/${app}/reader.js`, "/static/vendor/zxing-reader.js", "/static/vendor/zxing-reader.wasm"] : [];
}

let reading = null;

export async function makeCamera(app, sight, { onCode, onSeeing, onTrouble }) {
  // All cameras of a page share it.
  reading ??= browserReader().then((reader) => reader ?? ownReader(app));
  const read = await reading;
  let stream;
  let opening = false;

  async function look() {
    if (!stream) return;
    const code = sight.videoWidth ? await read(sight) : undefined;
    if (!stream) return;
    if (code) {
      stop();
      onCode(code);
    } else {
      setTimeout(() => look().catch(fail), LOOK_EVERY_MS);
    }
  }

  async function start() {
    stream = await navigator.mediaDevices.getUserMedia({ video: SIGHT });
    sight.srcObject = stream;
    sight.hidden = false;
    onSeeing(true);
    await sight.play();
    await look();
  }

  function stop() {
    stream?.getTracks().forEach((track) => track.stop());
    stream = undefined;
    sight.srcObject = null;
    sight.hidden = true;
    onSeeing(false);
  }

  function fail(error) {
    stop();
    onTrouble(error);
  }

  async function toggle() {
    if (stream) return stop();
    if (opening) return;
    opening = true;
    await start().catch(fail);
    opening = false;
  }

  return { toggle };
}
