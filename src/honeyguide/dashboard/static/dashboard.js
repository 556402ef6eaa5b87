"use strict";
// Keeps the first view up to date, lets one move and mark pages by keyboard. Everything works without it, but nothing
// moves then, and every mark loads the view again.
const KEPT = 20; // pages in the stream
const SAID = 8000; // milliseconds for which it is shown what became of a mark

function parsed(html) {
  const template = document.createElement("template");
  template.innerHTML = html; // made by the server, which escapes everything that comes from a page
  return template.content.firstElementChild;
}

// A row that is new, or that has changed: then its page was marked or judged again.
const shown = new Map(); // the markup of rows that came as events, by their numbers
function show(stream, html) {
  const row = parsed(html);
  const number = row.dataset.seq;
  const old = stream.querySelector(`[data-seq="${number}"]`);
  if (!old) {
    row.classList.add("new");
    stream.prepend(row);
  } else if (old.contains(document.activeElement) || sending.has(old) || shown.get(number) === html) {
    return;
  } else {
    old.replaceWith(row);
  }
  shown.set(number, html);
  if (shown.size > 10 * KEPT) shown.delete(shown.keys().next().value);
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
    for (const html of changed.rows || []) show(stream, html);
    const old = [...stream.children].slice(KEPT).filter((row) => !row.contains(document.activeElement));
    for (const row of old) row.remove();
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
  // From any part of a row one comes to the next row.
  const row = document.activeElement.closest(".rows li, tr");
  const at = row ? links.findIndex((link) => row.contains(link)) : -1;
  links[Math.max(0, Math.min(at + step, links.length - 1))].focus();
}

// ---- marks: what a page is marked with is what its pressed button says ----

const sending = new Map(); // rows whose mark is on its way
const markOf = (place) => place.querySelector(".marks [aria-pressed=true]")?.dataset.answer ?? "";

let silence = 0;
function say(text) {
  document.getElementById("said").textContent = text;
  clearTimeout(silence);
  if (text) silence = setTimeout(say, SAID, "");
}

function press(place, answer) {
  for (const button of place.querySelectorAll(".marks button")) {
    const own = button.dataset.answer;
    button.setAttribute("aria-pressed", String(own === answer));
    button.value = `${own === answer ? "forget" : own} ${button.value.slice(button.value.indexOf(" ") + 1)}`;
  }
}

// Marks a page as "yes" or "no", or takes that back with "". The view stays as it is, and says what became of it.
function mark(place, answer) {
  const before = markOf(place);
  if (answer === before) return;
  const chosen = place.querySelector(`.marks [data-answer="${answer || before}"]`);
  const body = new URLSearchParams(new FormData(chosen.form, chosen));
  press(place, answer);
  const title = document.getElementById(chosen.parentElement.getAttribute("aria-labelledby")).textContent;
  const what = { yes: "Marked as relevant", no: "Marked as not relevant", "": "The mark is taken back" }[answer];
  say(`${what}: ${title}`);
  const own = (sending.get(place) ?? Promise.resolve()).then(() => send(chosen.form.action, body)).then((problem) => {
    if (sending.get(place) !== own) return; // a later mark of the same page decides
    sending.delete(place);
    if (!problem) return;
    press(place, before);
    say(problem);
  });
  sending.set(place, own);
}

// Sends a mark. Gives what went wrong; "" if nothing did.
async function send(address, body) {
  try {
    const answer = await fetch(address, { method: "POST", body, headers: { Accept: "application/json" } });
    if (!answer.ok) return `The dashboard has refused it (${answer.status}): load this view again.`;
    const told = await answer.json();
    return told.ok ? "" : told.text;
  } catch {
    return "The dashboard does not answer: nothing is marked.";
  }
}

function markSelected(answer) {
  const place = document.activeElement.closest(".markable") ?? document.querySelector(".markable.alone");
  if (place?.querySelector(".marks")) mark(place, answer);
  else if (document.querySelector(".markable")) say("Choose a page first: j and k go from one to the next.");
}

// Forms are sent by script: under the policy "no-referrer" a browser gives the origin of such a request only.
document.addEventListener("submit", async (event) => {
  const form = event.target;
  if (form.method !== "post") return;
  event.preventDefault();
  if (event.submitter?.name === "mark") {
    const [answer] = event.submitter.value.split(" ");
    mark(event.submitter.closest(".markable"), answer === "forget" ? "" : answer);
    return;
  }
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
  } else if (/^Arrow(Down|Up)$/.test(event.key)) {
    if (!event.target.closest(".rows")) return; // the view moves
    event.preventDefault();
    move(event.key === "ArrowDown" ? 1 : -1);
  } else if (event.key === "j") move(1);
  else if (event.key === "k") move(-1);
  else if (event.key === "g") going = true;
  else if (event.key === "y") markSelected("yes");
  else if (event.key === "n") markSelected("no");
  else if (event.key === "u") markSelected("");
});

if (document.body.dataset.live) watch(document.body.dataset.live);
