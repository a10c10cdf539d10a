const info = read($("info"));
const WAIT = 500; // milliseconds after the last key before the answer is checked again
let view = null;
let ticket = 0;
let timer = 0;

/** Ask the server that this page came from. */
async function ask(path, body, signal) {
  const headers = { Accept: "application/json" };
  if (body) headers["Content-Type"] = "application/json";
  if ($("key").value) headers["x-faithmeter-key"] = $("key").value;
  const reply = await fetch(path, { method: body ? "POST" : "GET", headers, body: body && JSON.stringify(body), signal, credentials: "omit" });
  const found = await reply.json().catch(() => ({}));
  if (!reply.ok) throw new Error(found.detail || `the server says ${reply.status}`);
  return found;
}

// --- what is to be checked ---------------------------------------------------------------------

function passage(text = "") {
  const fieldset = $("contexts");
  const area = h("textarea", { rows: "4", spellcheck: "false", on: { input: changed } });
  area.value = text;
  const remove = () => { box.remove(); number_passages(); changed(); $("add").focus(); };
  const box = h("div", { class: "passage" }, h("label", null), h("button", { type: "button", class: "quiet", on: { click: remove } }, "Remove", sr("")), area);
  fieldset.append(box);
  number_passages();
  return area;
}

function number_passages() {
  [...$("contexts").querySelectorAll(".passage")].forEach((box, index) => {
    const area = box.querySelector("textarea");
    area.id = `context-${index + 1}`;
    box.querySelector("label").textContent = `Context ${index + 1}`;
    box.querySelector("label").htmlFor = area.id;
    box.querySelector(".sr").textContent = ` context ${index + 1}`;
  });
}

const passages = () => [...$("contexts").querySelectorAll("textarea")].map((area) => area.value).filter((text) => text.trim());

function fill(sample) {
  $("question").value = sample.question || "";
  $("answer").value = sample.answer || "";
  $("contexts").querySelectorAll(".passage").forEach((box) => box.remove());
  const given = (sample.contexts || []).map((item) => (typeof item === "string" ? item : item.text));
  (given.length ? given : [""]).forEach((text) => passage(text));
}

function sample() {
  const found = { answer: $("answer").value, contexts: passages() };
  if ($("question").value.trim()) found.question = $("question").value;
  return found;
}

// --- checking ----------------------------------------------------------------------------------

function changed() {
  clearTimeout(timer);
  if (!view) return;
  $("sample").classList.add("stale");
  if ($("live").checked) timer = setTimeout(() => check(), WAIT);
}

let running = null;

async function check({ fix = false, focus = false } = {}) {
  clearTimeout(timer);
  const asked = sample();
  if (!asked.answer.trim()) return trouble("There is no answer yet: paste one, drop a file, or choose an example.");
  const mine = ++ticket;
  running?.abort();
  running = new AbortController();
  $("status").textContent = fix ? "Fixing …" : "Checking …";
  try {
    const found = await ask("page/check", { ...asked, verifier: $("verifier").value || null, fix }, running.signal);
    if (mine !== ticket) return;
    show(found);
    if (focus) $("sample").focus({ preventScroll: true });
  } catch (error) {
    if (mine !== ticket || error.name === "AbortError") return;
    $("status").textContent = "";
    trouble(`Not checked: ${error.message}`);
  }
}

function trouble(words) {
  $("trouble").textContent = words;
  $("trouble").hidden = !words;
}

function show(found) {
  trouble("");
  const { row, details } = found;
  view = new SampleView(row, details, { signatures: [found.signature] });
  $("sample").classList.remove("stale");
  $("sample").replaceChildren(title(row), ...view.build().filter(Boolean));
  const seconds = details.usage.seconds || 0;
  const score = row.score === null ? "no score" : `score ${number(row.score)}`;
  $("status").textContent = `${plural(details.outcomes.length, "claim")}, ${score}, ${Math.max(1, Math.round(seconds * 1000)).toLocaleString("en")} ms`;
  $("fix").hidden = !info.fix || !row.counts.slice(1, 4).some((count) => count > 0);
}

function title(row) {
  const counts = LABELS.map((label, index) => row.counts[index] > 0 && h("span", { class: `badge ${label.name}` },
    h("span", { "aria-hidden": "true" }, label.mark), ` ${row.counts[index]} ${label.word}`));
  return h("header", { class: "sample-head" }, h("h2", { id: "sample-title" }, "Verdicts"),
    h("p", { class: "verdict" }, sr("score "), h("span", { class: "figure big" }, number(row.score)),
      row.status === "ok" ? null : h("span", { class: `status ${row.status}` }, STATUSES[row.status]), h("span", { class: "counts" }, ...counts)));
}

// --- files, examples, rows ---------------------------------------------------------------------

async function take(files) {
  const added = [];
  for (const file of files) {
    const text = await file.text();
    const found = parsed(text);
    if (found) {
      fill(found);
      return check();
    }
    added.push(text);
  }
  const empty = [...$("contexts").querySelectorAll("textarea")].filter((area) => !area.value.trim());
  if (!$("answer").value.trim() && added.length === 1) $("answer").value = added[0];
  else added.forEach((text) => ((empty.shift() || passage()).value = text));
  changed();
}

/** A sample in a file: JSON, or the first line of JSON lines; also a line of a results file. */
function parsed(text) {
  for (const source of [text, text.trim().split("\n")[0]]) {
    try {
      const found = JSON.parse(source);
      const one = Array.isArray(found) ? found[0] : found;
      const sample = one?.sample || one;
      if (typeof sample?.answer === "string" && Array.isArray(sample.contexts)) return sample;
    } catch { /* not JSON: a text */ }
  }
  return null;
}

async function list_rows() {
  if (!info.rows) return;
  try {
    const { rows } = await ask("page/rows");
    $("rows").append(...rows.map((row) => h("option", { value: row.place }, `${row.id} (${number(row.score)})`)));
    $("rows-label").hidden = false;
  } catch { /* without the key there is no list: it comes with the first check */ }
}

async function open_row(place) {
  try {
    const found = await ask(`page/rows/${place}`);
    ticket += 1;
    fill(found.sample);
    show(found);
  } catch (error) {
    trouble(`Not opened: ${error.message}`);
  }
}

// --- copying -----------------------------------------------------------------------------------

const quoted = (text) => JSON.stringify(text); // a JSON string is a Python string, too
const listed = (texts) => `[\n${texts.map((text) => `    ${quoted(text)},\n`).join("")}]`;
const in_shell = (text) => `'${text.replaceAll("'", "'\\''")}'`;

const COPIES = {
  python({ answer, contexts, question }) {
    const asked = question ? `, question=${quoted(question)}` : "";
    return `from faithmeter import Client\n\nclient = Client(${quoted(location.origin)})\nresult = client.check(\n    ${quoted(answer)},\n    ${listed(contexts).replaceAll("\n", "\n    ")}${asked ? `,\n    ${asked.slice(2)}` : ""},\n)\nprint(result)\n`;
  },
  curl(body) {
    const chosen = $("verifier").value ? { ...body, verifier: $("verifier").value } : body;
    const key = info.keys ? " -H \"Authorization: Bearer $FAITHMETER_SERVER_KEY\"" : "";
    return `curl ${location.origin}/v1/check -H 'Content-Type: application/json'${key} \\\n  -d ${in_shell(JSON.stringify(chosen))}\n`;
  },
  pytest({ answer, contexts, question }) {
    const asked = question ? `, question=${quoted(question)}` : "";
    return `from faithmeter.pytest_plugin import assert_faithful\n\n\ndef test_answer_is_faithful():\n    answer = ${quoted(answer)}\n    contexts = ${listed(contexts).replaceAll("\n", "\n    ")}\n    assert_faithful(answer, contexts${asked}, min_score=1.0)\n`;
  },
};

function copy_as(kind) {
  $("code-title").textContent = `As ${kind === "python" ? "Python" : kind}`;
  $("code-text").textContent = COPIES[kind](sample());
  $("code-done").textContent = "";
  $("code").showModal();
  $("code-copy").focus();
}

async function copy() {
  try {
    await navigator.clipboard.writeText($("code-text").textContent);
    $("code-done").textContent = "Copied.";
  } catch {
    getSelection().selectAllChildren($("code-text"));
    $("code-done").textContent = "Selected: press Ctrl+C.";
  }
}

// --- keys --------------------------------------------------------------------------------------

function key(event) {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && !document.querySelector("dialog[open]")) {
    event.preventDefault();
    check({ focus: true });
    return;
  }
  if (event.key === "Escape" && view?.back()) event.preventDefault();
  if (typing(event) || $("code").open) return;
  const letter = shortcuts.on ? event.key : event.key.length === 1 ? "" : event.key;
  const step = { j: 1, ArrowDown: 1, k: -1, ArrowUp: -1 }[letter];
  if (letter === "?") showHelp();
  else if (step && view && !event.target.closest(".contexts, .scroll")) view.step(step);
  else if (letter === "Enter" && view && event.target.matches(".card-head")) {
    const { selected, outcomes } = view;
    if (selected !== Number(event.target.parentElement.dataset.claim) || !outcomes[selected].evidence.length) return;
    view.follow(selected, 0);
  } else return;
  event.preventDefault();
}

// --- the start ---------------------------------------------------------------------------------

setUpTheme();
setUpHelp();
$("verifier").append(...info.verifiers.map((name) => h("option", { value: name }, name)));
$("example").append(...info.examples.map((item, index) => h("option", { value: index }, item.name)));
$("key-label").hidden = !info.keys;
$("ask").addEventListener("submit", (event) => { event.preventDefault(); check({ focus: true }); });
$("fix").addEventListener("click", () => check({ fix: true, focus: true }));
$("add").addEventListener("click", () => passage().focus());
$("example").addEventListener("change", (event) => {
  if (event.target.value === "") return;
  fill(info.examples[event.target.value]);
  check();
});
$("rows").addEventListener("change", (event) => { if (event.target.value !== "") open_row(event.target.value); });
$("verifier").addEventListener("change", () => { if (view) check(); });
$("key").addEventListener("change", () => { $("rows").options.length < 2 && list_rows(); });
["question", "answer"].forEach((id) => $(id).addEventListener("input", changed));
document.querySelectorAll("[data-copy]").forEach((button) => button.addEventListener("click", () => copy_as(button.dataset.copy)));
$("code-copy").addEventListener("click", copy);
document.addEventListener("keydown", key);
document.addEventListener("dragover", (event) => { event.preventDefault(); $("ask").classList.add("over"); });
document.addEventListener("dragleave", () => $("ask").classList.remove("over"));
document.addEventListener("drop", (event) => {
  event.preventDefault();
  $("ask").classList.remove("over");
  if (event.dataTransfer.files.length) take([...event.dataTransfer.files]);
});
passage();
list_rows();
document.documentElement.dataset.ready = "";
