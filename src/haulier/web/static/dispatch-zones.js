// The active zones, as areas of the board's map. A checkbox in the legend hides them.
import { ask } from "./dispatch-ask.js";

const COLOURS = {
  none: "#6b7280", service_area: "#2a9d8f", no_go: "#c1121f", surcharge: "#b45309", driver_territory: "#4361ee", depot_catchment: "#7b2cbf",
};
const WAIT_MS = 250;

export function followZones(map, box) {
  let due = 0;
  let asked = 0;

  async function draw() {
    const mine = ++asked;
    if (!box.checked) return map.show({ areas: [] });
    const seen = map.bounds();
    const within = (degrees, most) => Math.max(-most, Math.min(most, degrees));
    const answer = await ask("draw_zones", {
      west: within(seen.getWest(), 180), south: within(seen.getSouth(), 90), east: within(seen.getEast(), 180), north: within(seen.getNorth(), 90),
    });
    if (mine !== asked) return;
    box.closest("li").hidden = box.closest("li").hidden && !answer.zones.length;
    // The highest priority comes first and is drawn last.
    map.show({ areas: answer.zones.reverse().map((zone) => ({ geometry: zone.geometry, colour: zone.colour ?? COLOURS[zone.rule], title: zone.name })) });
  }
  const soon = () => { clearTimeout(due); due = setTimeout(() => draw().catch(() => {}), WAIT_MS); };
  map.onMoved(soon);
  box.addEventListener("change", soon);
  soon();
}
