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

  // Marks: two buttons for each page, and the commands for all that are changed, to be pasted into a terminal.
  const command = document.querySelector("[data-command]")?.dataset.command;
  const KEYS = { y: "yes", n: "no", u: "" };
  const marking = (page, changed) => {
    const saved = page.dataset.marked ?? "";
    const set = (answer) => {
      for (const button of buttons) button.ariaPressed = String(button.textContent === answer);
      changed(page.dataset.url, answer === saved ? "" : answer || "forget");
    };
    const buttons = ["yes", "no"].map((answer) => {
      const button = make("button", { type: "button", ariaPressed: String(answer === saved) }, answer);
      button.addEventListener("click", () => set(button.ariaPressed === "true" ? "" : answer));
      return button;
    });
    const title = page.querySelector(".title").textContent;
    const group = make("p", { className: "mark quiet", role: "group", ariaLabel: `Relevant? ${title}` }, "Relevant? ", ...buttons);
    page.append(group);
    page.addEventListener("keydown", (event) => {
      if (event.key in KEYS && !event.ctrlKey && !event.metaKey && !event.altKey) set(KEYS[event.key]);
    });
  };
  for (const box of document.querySelectorAll(".sortable.pages")) {
    const marks = new Map();
    const output = make("textarea", { readOnly: true, rows: 2, ariaLabel: "Commands for a terminal" });
    const copy = make("button", { type: "button" }, "Copy");
    const status = make("span", { role: "status" });
    const about = make("p", { className: "quiet" }, "Run this in a terminal to save the marks: ", copy, " ", status);
    const area = make("div", { className: "commands", hidden: true }, about, output);
    copy.addEventListener("click", () => {
      output.select();
      status.textContent = document.execCommand("copy") ? "copied" : "selected: press Ctrl-C";
    });
    const changed = (url, answer) => {
      if (answer) marks.set(url, answer);
      else marks.delete(url);
      area.hidden = !marks.size;
      status.textContent = "";
      output.value = [...marks].map(([one, said]) => `${command} ${one} ${said}`).join("\n");
      output.rows = Math.min(Math.max(marks.size, 2), 5);
    };
    for (const page of box.querySelectorAll("[data-url]")) marking(page, changed);
    box.after(area);
  }
}
