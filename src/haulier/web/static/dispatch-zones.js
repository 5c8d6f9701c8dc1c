// The zones in force, as a layer of the board's map. The box in the legend hides them.
import { ask } from "./dispatch-ask.js";

const COLOURS = {
  none: "#6b7280", service_area: "#2a9d8f", no_go: "#c1121f", surcharge: "#b45309", driver_territory: "#4361ee", depot_catchment: "#7b2cbf",
};
const WAIT_MS = 250;

export function followZones(map, box) {
  const layer = L.layerGroup().addTo(map);
  const renderer = L.canvas({ pane: map.createPane("zones"), padding: 0.3 });
  map.getPane("zones").style.zIndex = 250;
  let due = 0;
  let asked = 0;

  async function draw() {
    const mine = ++asked;
    if (!box.checked) return layer.clearLayers();
    const seen = map.getBounds();
    const within = (degrees, most) => Math.max(-most, Math.min(most, degrees));
    const answer = await ask("draw_zones", {
      west: within(seen.getWest(), 180), south: within(seen.getSouth(), 90), east: within(seen.getEast(), 180), north: within(seen.getNorth(), 90),
    });
    if (mine !== asked) return;
    layer.clearLayers();
    box.closest("li").hidden = box.closest("li").hidden && !answer.zones.length;
    for (const zone of answer.zones.reverse()) { // the highest priority comes first, and is drawn last
      const colour = zone.colour ?? COLOURS[zone.rule];
      L.geoJSON(zone.geometry, { renderer, pane: "zones", style: { color: colour, weight: 1.5, fillColor: colour, fillOpacity: 0.12, dashArray: zone.rule === "no_go" ? "4 3" : null } })
        .bindTooltip(zone.name, { sticky: true }).addTo(layer);
    }
  }
  const soon = () => { clearTimeout(due); due = setTimeout(() => draw().catch(() => {}), WAIT_MS); };
  map.on("moveend", soon);
  box.addEventListener("change", soon);
  soon();
}
