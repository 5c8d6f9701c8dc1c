// What lies under every map of a page: land, borders, lakes and towns of Natural Earth, shipped with the pages, so that no map is empty
// without the internet; above them the tiles of the operator's own server, where one is set.
// A script of its own, not a module: the tracking page is whole with the oldest browsers.
(function () {
  const settings = document.currentScript.dataset;
  const TOWNS = 25;
  // The buttons of every map are named in the language of the page.
  if (settings.zoomIn) window.L?.Control.Zoom.mergeOptions({ zoomInTitle: settings.zoomIn, zoomOutTitle: settings.zoomOut });
  const OUTLINES_UNTIL_ZOOM = 12; // beyond, outlines that are a kilometre off say more than is known

  // Adds the ground to a map of Leaflet. `colours()` gives { land, border, water }; it is asked again when `repaint` is called.
  window.drawGround = async function drawGround(map, colours) {
    map.createPane("ground").style.zIndex = 150;
    const credit = L.control.attribution({ prefix: false, position: "bottomleft" }).addTo(map);
    credit.addAttribution("Natural Earth");
    if (settings.tiles) {
      L.tileLayer(settings.tiles, { maxZoom: map.getMaxZoom(), attribution: settings.credit, keepBuffer: 1 }).addTo(map);
      if (settings.credit) credit.addAttribution(settings.credit);
    }
    const renderer = L.canvas({ pane: "ground", padding: 0.3 });
    const [world, more] = await Promise.all([read("countries-50m.json"), read("natural-earth-50m.json")]);
    const countries = topojson.feature(world, world.objects.countries).features.filter((each) => each.geometry);
    const parts = [
      ...countries.map((each) => part("land", each, renderer)),
      ...more.lakes.map((each) => part("water", each, renderer)),
    ];
    const shown = L.layerGroup().addTo(map);
    const ground = {
      repaint() {
        const now = colours();
        const border = map.getZoom() < OUTLINES_UNTIL_ZOOM;
        for (const part of parts) {
          part.layer.setStyle({ fillColor: now[part.kind], fillOpacity: 1, stroke: border, color: now.border, weight: part.kind === "land" ? 0.8 : 0.4 });
        }
      },
    };
    const names = L.layerGroup().addTo(map);
    const look = () => {
      const seen = map.getBounds().pad(0.5);
      names.clearLayers();
      for (const town of largest(more.towns, map)) names.addLayer(label(town));
      for (const part of parts) {
        const near = seen.intersects(part.bounds);
        if (near && !shown.hasLayer(part.layer)) shown.addLayer(part.layer);
        else if (!near && shown.hasLayer(part.layer)) shown.removeLayer(part.layer);
      }
    };
    map.on("moveend", look);
    map.on("zoomend", ground.repaint);
    ground.repaint();
    look();
    return ground;
  };

  // Where a town of this name is, the most populous of them; undefined for one that is not drawn.
  window.findTown = async function findTown(name) {
    const sought = name.trim().toLocaleLowerCase();
    const found = sought && (await read("natural-earth-50m.json")).towns.find(([town]) => town.toLocaleLowerCase() === sought);
    return found && found.slice(1);
  };

  async function read(file) {
    const answer = await fetch(`/static/vendor/${file}`);
    if (!answer.ok) throw new Error(answer.statusText);
    return answer.json();
  }

  // A layer for each country or lake, so that those in sight alone are drawn.
  function part(kind, geometry, renderer) {
    const layer = L.geoJSON(geometry, { renderer, pane: "ground", interactive: false });
    return { layer, kind, bounds: layer.getBounds() };
  }

  // The most populous towns in sight, as many as can be read: towns come sorted.
  function largest(towns, map) {
    const seen = map.getBounds();
    const found = [];
    for (const [name, lat, lng] of towns) {
      const at = seen.contains([lat, lng]) && map.latLngToContainerPoint([lat, lng]);
      if (at && found.every((other) => Math.abs(other.at.x - at.x) > 90 || Math.abs(other.at.y - at.y) > 24)) found.push({ name, lat, lng, at });
      if (found.length >= TOWNS) break;
    }
    return found;
  }

  function label(town) {
    const text = document.createElement("span");
    text.textContent = town.name;
    return L.marker([town.lat, town.lng], { pane: "ground", interactive: false, keyboard: false, icon: L.divIcon({ className: "town", html: text, iconSize: null }) });
  }
})();
