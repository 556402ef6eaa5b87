// Tables that can be sorted by a click on a head, and searched; pages that can be marked. Without this script they are
// plain tables.
{
  const MANY = 15; // rows or pages, beyond which there is a field to search them
  const make = (name, properties, ...children) => {
    const made = Object.assign(document.createElement(name), properties);
    made.append(...children);
    return made;
  };

  const value = (cell) => {
    const text = cell.textContent.trim();
    const number = Number(text.replace(/[,%+]/g, ""));
    return text && !Number.isNaN(number) ? number : text === "\u2013" ? -Infinity : text.toLowerCase();
  };
  const compare = (a, b) =>
    typeof a === "number" && typeof b === "number" ? a - b || 0 : String(a).localeCompare(String(b), "en");

  const sort = (table, head, column) => {
    const isText = column === 0 || head.classList.contains("text");
    const before = head.getAttribute("aria-sort");
    const direction = before ? (before === "ascending" ? "descending" : "ascending") : isText ? "ascending" : "descending";
    for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", direction);
    const sign = direction === "ascending" ? 1 : -1;
    const rows = [...table.tBodies[0].rows].map((row) => [value(row.cells[column]), row]);
    rows.sort((a, b) => sign * compare(a[0], b[0]));
    table.tBodies[0].append(...rows.map(([, row]) => row));
  };

  const search = (place, items, title) => {
    const field = make("input", { type: "search", placeholder: "Search", ariaLabel: `Search: ${title}` });
    const status = make("span", { className: "quiet", role: "status" });
    const texts = items.map((item) => item.textContent.toLowerCase());
    field.addEventListener("input", () => {
      const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
      let shown = 0;
      items.forEach((item, number) => {
        item.hidden = !words.every((word) => texts[number].includes(word));
        shown += !item.hidden;
      });
      status.textContent = words.length ? `${shown} of ${items.length}` : "";
    });
    place.before(make("p", { className: "search" }, field, status));
  };

  const titleOf = (node) => node.closest("section")?.querySelector("h2")?.textContent ?? "";

  for (const box of document.querySelectorAll(".sortable")) {
    const table = box.querySelector("table");
    [...table.tHead.rows[0].cells].forEach((head, column) => {
      const button = make("button", { type: "button" }, ...head.childNodes);
      button.addEventListener("click", () => sort(table, head, column));
      head.append(button);
    });
    if (table.tBodies[0].rows.length > MANY) search(box, [...table.tBodies[0].rows], titleOf(box));
  }
  for (const list of document.querySelectorAll("ol.best")) {
    if (list.children.length > MANY) search(list, [...list.children], titleOf(list));
  }

  // Marks: two buttons for each page, and the commands for all that are pressed, to be pasted into a terminal.
  const command = document.querySelector("[data-command]")?.dataset.command;
  for (const box of document.querySelectorAll(".sortable.pages")) {
    const marks = new Map();
    const output = make("textarea", { readOnly: true, rows: 4, ariaLabel: "Commands for a terminal" });
    const area = make(
      "div", { className: "commands", hidden: true }, make("p", {}, "Run this in a terminal to save the marks:"), output);
    const show = () => {
      area.hidden = !marks.size;
      output.value = [...marks].map(([url, answer]) => `${command} ${url} ${answer}`).join("\n");
      output.rows = Math.min(Math.max(marks.size, 2), 12);
    };
    for (const page of box.querySelectorAll("[data-url]")) {
      const buttons = ["yes", "no"].map((answer) => {
        const button = make("button", { type: "button", ariaPressed: "false" }, answer);
        button.addEventListener("click", () => {
          const isOn = button.ariaPressed !== "true";
          for (const other of buttons) other.ariaPressed = String(isOn && other === button);
          if (isOn) marks.set(page.dataset.url, answer);
          else marks.delete(page.dataset.url);
          show();
        });
        return button;
      });
      page.append(make("p", { className: "mark quiet" }, "Relevant? ", ...buttons));
    }
    box.after(area);
  }
}
