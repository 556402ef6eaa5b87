
"use strict";
// Under the pointer: a line in the chart, and in the legend the value of each curve there.
for (const figure of document.querySelectorAll("figure")) {
  const plot = figure.querySelector("svg.plot[data-x]");
  if (!plot) continue;
  const cursor = plot.querySelector(".cursor");
  const outputs = figure.querySelectorAll("output");
  const curves = [...plot.querySelectorAll("polyline")].map((curve) =>
    curve.getAttribute("points").split(" ").map((point) => point.split(",").map(Number)));
  const written = (height) => {
    const value = (1 - height / 1000) * plot.dataset.y;
    return plot.dataset.percent === "1" ? (100 * value).toFixed(1) + "%" : Math.round(value).toLocaleString("en");
  };
  const clear = () => {
    cursor.setAttribute("visibility", "hidden");
    for (const output of outputs) output.textContent = "";
  };
  plot.parentElement.addEventListener("pointermove", (event) => {
    const box = plot.getBoundingClientRect();
    const at = (event.clientX - box.left) / box.width;
    if (at < 0 || at > 1) return clear();
    cursor.setAttribute("x1", 100 * at + "%");
    cursor.setAttribute("x2", 100 * at + "%");
    cursor.setAttribute("visibility", "visible");
    curves.forEach((points, number) => {
      const inside = points[0][0] <= 1000 * at + 5 && 1000 * at <= points[points.length - 1][0] + 5;
      const nearest = points.reduce((a, b) => (Math.abs(b[0] - 1000 * at) < Math.abs(a[0] - 1000 * at) ? b : a));
      outputs[number].textContent = inside ? written(nearest[1]) : "";
    });
  });
  plot.parentElement.addEventListener("pointerleave", clear);
}
