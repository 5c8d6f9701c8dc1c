// Barcodes by the camera, where the browser can read them itself.
const LOOK_EVERY_MS = 150;

export const canSee = () => "BarcodeDetector" in window && Boolean(navigator.mediaDevices?.getUserMedia);

export function makeCamera(sight, onCode) {
  let stream;

  async function look(detector) {
    if (!stream) return;
    const [found] = await detector.detect(sight).catch(() => []);
    if (found) {
      stop();
      onCode(found.rawValue);
    } else {
      setTimeout(() => look(detector), LOOK_EVERY_MS);
    }
  }

  async function start() {
    stream = await navigator.mediaDevices.getUserMedia({ video: { facingMode: "environment" } });
    sight.srcObject = stream;
    sight.hidden = false;
    await sight.play();
    look(new BarcodeDetector());
  }

  function stop() {
    stream?.getTracks().forEach((track) => track.stop());
    stream = undefined;
    sight.hidden = true;
  }

  return { toggle: () => (stream ? stop() : start()) };
}
