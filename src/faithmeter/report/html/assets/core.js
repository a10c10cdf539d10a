"use strict";

// Text from the data reaches the page only as text nodes: `h` never parses markup, and no attribute
// that could run or load anything (href, src, style, on…) is ever set from data.

const LABELS = [
  { name: "supported", word: "supported", mark: "✓" },
  { name: "partially_supported", word: "partially supported", mark: "◐" },
  { name: "contradicted", word: "contradicted", mark: "✗" },
  { name: "not_enough_info", word: "not enough info", mark: "?" },
  { name: "not_judged", word: "not judged", mark: "!" },
];
const BY_NAME = Object.fromEntries(LABELS.map((label) => [label.name, label]));
const WORST_FIRST = ["contradicted", "not_enough_info", "not_judged", "partially_supported", "supported"];
const BLAME = {
  missing: "not in the contexts", retrieval_missed: "not retrieved", made_up: "made up", misread: "misread", mixed: "mixed up",
};
const STATUSES = { ok: "ok", no_claims: "no claims", partial: "partly judged", failed: "failed" };

const $ = (id) => document.getElementById(id);
const read = (element) => JSON.parse(element.textContent);
const number = (value) => (value === null || value === undefined ? "–" : value.toFixed(2));
const plural = (count, noun) => `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;

$("no-script")?.remove(); // it says that scripts are off

/** Make an element: attributes by name, `on` for listeners, then children; a string is a text node. */
function h(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (name === "on") Object.entries(value).forEach(([type, listener]) => element.addEventListener(type, listener));
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(name, value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

/** Words for screen readers only. */
const sr = (text) => h("span", { class: "sr" }, text);

/** A label as people read it: mark and word, so that it never hangs on the colour. */
const badge = (name) =>
  h("span", { class: `badge ${name}` }, h("span", { "aria-hidden": "true" }, BY_NAME[name].mark), " ", BY_NAME[name].word);

/** Cut a text where spans begin and end: each piece with the spans that cover it. */
function segments(text, spans) {
  const cuts = new Set([0, text.length]);
  for (const { start, end } of spans) cuts.add(Math.min(start, text.length)).add(Math.min(end, text.length));
  const edges = [...cuts].sort((a, b) => a - b);
  return edges.slice(1).map((end, index) => {
    const start = edges[index];
    const covering = spans.filter((span) => span.start <= start && end <= span.end);
    return { text: text.slice(start, end), start, end, covering };
  });
}

/** The text with every occurrence of `needle` (lower case) marked. */
function highlighted(text, needle) {
  if (!needle) return [text];
  const parts = [];
  const lower = text.toLowerCase();
  // Where lower-casing changes the length (İ), offsets would be off: leave the text unmarked.
  if (lower.length !== text.length) return [text];
  let from = 0;
  for (let at = lower.indexOf(needle); at >= 0; at = lower.indexOf(needle, from)) {
    parts.push(text.slice(from, at), h("mark", { class: "hit" }, text.slice(at, at + needle.length)));
    from = at + needle.length;
  }
  parts.push(text.slice(from));
  return parts;
}

/** Remember a choice where the browser lets a page from disk do so. */
const memory = {
  get(key) {
    try { return localStorage.getItem(`faithmeter.${key}`); } catch { return null; }
  },
  set(key, value) {
    try { localStorage.setItem(`faithmeter.${key}`, value); } catch { /* a private window: forget */ }
  },
};

function setUpTheme() {
  const order = ["auto", "light", "dark"];
  const button = $("theme-button");
  let theme = order.includes(memory.get("theme")) ? memory.get("theme") : "auto";
  const apply = () => {
    document.documentElement.dataset.theme = theme;
    button.textContent = `Theme: ${theme}`;
  };
  button.addEventListener("click", () => {
    theme = order[(order.indexOf(theme) + 1) % order.length];
    memory.set("theme", theme);
    apply();
  });
  apply();
}

/** Put a text into the clipboard; pages from disk may have to do it the old way. */
async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const field = h("textarea", { class: "sr" });
    field.value = text;
    document.body.append(field);
    field.select();
    const done = document.execCommand("copy");
    field.remove();
    return done;
  }
}

/** A button that copies what `make` gives, and says so. */
function copyButton(words, make) {
  const button = h("button", { type: "button", class: "quiet" }, words);
  button.addEventListener("click", async () => {
    button.textContent = (await copyText(make())) ? "Copied" : "Cannot copy";
    setTimeout(() => { button.textContent = words; }, 1500);
  });
  return button;
}

/** Save a text as a file; nothing leaves the machine. */
function download(name, text, type) {
  const link = h("a", { download: name });
  link.href = URL.createObjectURL(new Blob([text], { type }));
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

const shortcuts = { on: memory.get("shortcuts") !== "off" };

function setUpHelp() {
  const box = $("shortcuts");
  box.checked = shortcuts.on;
  box.addEventListener("change", () => {
    shortcuts.on = box.checked;
    memory.set("shortcuts", shortcuts.on ? "on" : "off");
  });
  $("help-button").addEventListener("click", showHelp);
}

function showHelp() {
  $("help").showModal();
  $("help-close").focus();
}

/** Whether a key press is meant for a field, or for the browser. */
const typing = (event) =>
  event.ctrlKey || event.metaKey || event.altKey || $("help").open || event.target.matches("input, select, textarea");
