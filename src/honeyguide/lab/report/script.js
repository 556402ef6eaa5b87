"use strict";
// Chooses which of the drawn curves is seen, hides lines, and reads values off under the pointer.
for (const section of document.querySelectorAll(".curves")) {
  const figures = [...section.querySelectorAll("figure")];
  const entries = [...section.querySelectorAll(".entry")];
  const where = section.querySelector(".where");
  const select = section.querySelector("select");
  const metrics = [...section.querySelectorAll(".switch button")];
  const titles = { recall: "Target recall", harvest: "Harvest rate", sites: "Site recall" };
  const chosen = { view: "0", metric: "recall" };
  const shown = () => figures.find((figure) => !figure.hidden);

  // The mean and half the height of the band of each line, by the line's number.
  const read = (figure) => {
    const plot = figure.querySelector("svg.plot");
    const points = (shape) => shape.getAttribute("points").split(" ").map((point) => point.split(",").map(Number));
    const lines = new Map();
    for (const curve of plot.querySelectorAll("polyline")) {
      const line = [...curve.classList].find((name) => name.startsWith("line-"));
      const band = plot.querySelector("polygon." + line);
      lines.set(line.slice(5), { curve: points(curve), band: band && points(band) });
    }
    return { plot, lines };
  };
  const drawings = new Map(figures.map((figure) => [figure, read(figure)]));
  const percent = (units, plot) => (units / 10) * plot.dataset.y;

  const say = (at) => {
    const { plot, lines } = drawings.get(shown());
    const cursor = plot.querySelector(".cursor");
    cursor.setAttribute("visibility", at === null ? "hidden" : "visible");
    const share = plot.dataset.share === "1";
    let place = null;
    for (const entry of entries) {
      const line = lines.get(entry.dataset.line);
      const output = entry.querySelector("output");
      if (!line) {
        output.textContent = "\u2013";
        continue;
      }
      let number = line.curve.length - 1;
      if (at !== null) {
        line.curve.forEach((point, index) => {
          if (Math.abs(point[0] - at) < Math.abs(line.curve[number][0] - at)) number = index;
        });
      }
      place = line.curve[number][0];
      const value = percent(1000 - line.curve[number][1], plot).toFixed(1);
      const error = line.band
        ? " \u00b1 " + percent((line.band[line.band.length - 1 - number][1] - line.band[number][1]) / 2, plot).toFixed(1)
        : "";
      output.textContent = value + error + "%";
    }
    if (place === null) return;
    cursor.setAttribute("x1", place / 10 + "%");
    cursor.setAttribute("x2", place / 10 + "%");
    const reached = (place / 1000) * plot.dataset.x;
    const said = share ? Math.round(100 * reached) + "% of the budget" : Math.round(reached).toLocaleString("en") + " pages";
    where.textContent = titles[chosen.metric] + " at " + said;
  };

  const choose = () => {
    for (const figure of figures) {
      figure.hidden = figure.dataset.view !== chosen.view || figure.dataset.metric !== chosen.metric;
    }
    for (const button of metrics) button.setAttribute("aria-pressed", String(button.dataset.metric === chosen.metric));
    say(null);
  };
  for (const button of metrics) {
    button.addEventListener("click", () => {
      chosen.metric = button.dataset.metric;
      choose();
    });
  }
  if (select) {
    select.value = "0"; // a browser keeps the choice over a reload, but not what it led to
    select.addEventListener("change", () => {
      chosen.view = select.value;
      choose();
    });
  }

  for (const entry of entries) {
    const shapes = section.querySelectorAll("figure .line-" + entry.dataset.line);
    const emphasise = (on) => {
      section.classList.toggle("one", on && entry.getAttribute("aria-pressed") === "true");
      for (const shape of shapes) shape.classList.toggle("chosen", on);
    };
    entry.addEventListener("click", () => {
      const on = entry.getAttribute("aria-pressed") !== "true";
      entry.setAttribute("aria-pressed", String(on));
      for (const shape of shapes) shape.classList.toggle("off", !on);
      emphasise(on);
    });
    entry.addEventListener("pointerenter", () => emphasise(true));
    entry.addEventListener("pointerleave", () => emphasise(false));
  }

  for (const figure of figures) {
    const frame = figure.querySelector(".frame");
    frame.addEventListener("pointermove", (event) => {
      const box = figure.querySelector("svg.plot").getBoundingClientRect();
      const at = (1000 * (event.clientX - box.left)) / box.width;
      say(at < 0 || at > 1000 ? null : at);
    });
    frame.addEventListener("pointerleave", () => say(null));
  }

  section.querySelector(".controls").hidden = false;
  choose();
}
