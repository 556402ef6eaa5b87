
"use strict";
// Show a vertical line at the pointer, and above it the page and the value of each curve there.
for (const frame of document.querySelectorAll(".frame")) {
  const plot = frame.querySelector("svg.plot[data-x]");
  if (!plot) continue;
  const cursor = plot.querySelector(".cursor");
  const [page, ...values] = frame.querySelectorAll(".reading span");
  const curves = [...plot.querySelectorAll("polyline")].map((curve) =>
    curve.getAttribute("points").split(" ").map((point) => point.split(",").map(Number)));
  const whole = (number) => Math.round(number).toLocaleString("en");
  const written = (height) => {
    const value = (1 - height / 1000) * plot.dataset.y;
    return plot.dataset.percent === "1" ? (100 * value).toFixed(1) + "%" : whole(value);
  };
  const clear = () => {
    cursor.setAttribute("visibility", "hidden");
    for (const span of [page, ...values]) span.textContent = "";
  };
  frame.addEventListener("pointermove", (event) => {
    const box = plot.getBoundingClientRect();
    const at = (1000 * (event.clientX - box.left)) / box.width;
    if (at < 0 || at > 1000) return clear();
    cursor.setAttribute("x1", at / 10 + "%");
    cursor.setAttribute("x2", at / 10 + "%");
    cursor.setAttribute("visibility", "visible");
    page.textContent = "page " + whole((at / 1000) * plot.dataset.x);
    curves.forEach((points, number) => {
      const inside = points[0][0] <= at + 5 && at <= points[points.length - 1][0] + 5;
      const nearest = points.reduce((a, b) => (Math.abs(b[0] - at) < Math.abs(a[0] - at) ? b : a));
      values[number].textContent = inside ? written(nearest[1]) : "";
    });
  });
  frame.addEventListener("pointerleave", clear);
}
