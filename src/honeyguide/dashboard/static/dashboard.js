"use strict";
// Keeps the first view up to date, and lets one move by keyboard. Everything works without it, but nothing moves then.
const KEPT = 20; // pages in the stream

function parsed(html) {
  const template = document.createElement("template");
  template.innerHTML = html; // made by the server, which escapes everything that comes from a page
  return template.content.firstElementChild;
}

function watch(address) {
  const source = new EventSource(address);
  const stream = document.getElementById("stream");
  source.addEventListener("message", (event) => {
    const changed = JSON.parse(event.data);
    for (const [name, html] of Object.entries(changed.fragments || {})) {
      const old = document.getElementById(name);
      if (old && !old.contains(document.activeElement)) old.replaceWith(parsed(html));
    }
    for (const html of changed.rows || []) {
      const row = parsed(html);
      if (stream.querySelector(`[data-seq="${row.dataset.seq}"]`)) continue;
      row.classList.add("new");
      stream.prepend(row);
    }
    while (stream.children.length > KEPT && !stream.lastElementChild.contains(document.activeElement)) {
      stream.lastElementChild.remove();
    }
    document.body.dataset.seen = "yes";
  });
  source.addEventListener("error", () => {
    const state = document.getElementById("state");
    if (state && !state.querySelector(".lost")) {
      const note = document.createElement("p");
      note.className = "notice lost";
      note.textContent = "The connection to the dashboard is lost: what is shown may be old.";
      state.append(note);
    }
  });
}

function move(step) {
  const links = [...document.querySelectorAll(".rows .title a, .scroll td:first-child a")];
  if (!links.length) return;
  const at = links.indexOf(document.activeElement);
  links[Math.max(0, Math.min(at + step, links.length - 1))].focus();
}

// Forms are sent by script: under the policy "no-referrer" a browser gives the origin of such a request only.
document.addEventListener("submit", async (event) => {
  const form = event.target;
  if (form.method !== "post") return;
  event.preventDefault();
  const body = new URLSearchParams(new FormData(form, event.submitter));
  for (const button of form.querySelectorAll("button")) button.disabled = true;
  const answer = await fetch(form.action, { method: "POST", body });
  location.assign(answer.url);
});

let going = false;
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (/^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName)) {
    if (event.key === "Escape") event.target.blur();
    return;
  }
  if (going) {
    going = false;
    const link = document.querySelector(`nav a[data-key="${CSS.escape(event.key.toLowerCase())}"]`);
    if (link) link.click();
    return;
  }
  if (event.key === "/") {
    event.preventDefault();
    document.querySelector("input[type=search]").focus();
  } else if (event.key === "j") move(1);
  else if (event.key === "k") move(-1);
  else if (event.key === "g") going = true;
});

if (document.body.dataset.live) watch(document.body.dataset.live);
