const CHOICES = [
  { key: "1", name: "supported", help: "the contexts say so" },
  { key: "2", name: "partially_supported", help: "part of it is supported" },
  { key: "3", name: "contradicted", help: "the contexts say otherwise" },
  { key: "4", name: "not_enough_info", help: "the contexts do not tell" },
  { key: "0", name: "unclear", help: "cannot be decided" },
];
BY_NAME.unclear = { name: "unclear", word: "unclear", mark: "–" };

let state = null;
let busy = false;

/** Ask the server, which is on this machine; `body` makes it a POST. */
async function ask(path, body) {
  const options = body ? { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) } : {};
  const reply = await fetch(path, options);
  const found = reply.headers.get("Content-Type") === "application/json" ? await reply.json() : {};
  if (!reply.ok) throw new Error(found.error || `the server says ${reply.status}`);
  return found;
}

async function act(path, body) {
  if (busy) return;
  busy = true;
  try {
    show(await ask(path, body));
    $("trouble").hidden = true;
  } catch (error) {
    $("trouble").textContent = `Not saved: ${error.message}. Is \`faithmeter label\` still running?`;
    $("trouble").hidden = false;
  } finally {
    busy = false;
  }
}

function show(next) {
  state = next;
  $("bar").value = next.total ? next.done / next.total : 1;
  $("progress").textContent = `${next.done} of ${next.total} labelled by ${next.by || "you"}`;
  const over = next.place === null;
  $("work").hidden = over;
  $("end").hidden = !over;
  if (over) return finish("All done");
  $("question").textContent = next.question;
  $("question").hidden = !next.question;
  $("claim").textContent = next.claim;
  $("answer").replaceChildren(next.answer[0], h("mark", { class: "spot" }, next.answer[1]), next.answer[2]);
  const words = new Set(next.claim.toLowerCase().match(/[\p{L}\p{N}]{4,}|\d+/gu) || []);
  $("contexts").replaceChildren(...next.contexts.map((each, number) => context(each, number, words)));
  $("note").value = "";
  $("back").disabled = next.place === 0;
  for (const button of $("buttons").children) button.setAttribute("aria-pressed", String(button.dataset.name === next.label));
  $("claim").focus({ preventScroll: true });
  const mark = document.querySelector(".contexts .looked");
  if (mark) mark.scrollIntoView({ block: "nearest" });
}

/** A context, with the claim's own words set off: they help to find the place and say nothing of the judge. */
function context({ id, parts }, number, words) {
  const shared = (text) => text.split(/([\p{L}\p{N}]+)/u).map((part) => (words.has(part.toLowerCase()) ? h("b", null, part) : part));
  const text = parts.flatMap(([part, looked]) => (looked ? [h("mark", { class: "looked" }, ...shared(part))] : shared(part)));
  return h("li", {}, h("h3", { class: "eyebrow" }, id || `context ${number + 1}`), h("p", { class: "prose" }, ...text));
}

function finish(words) {
  $("work").hidden = true;
  $("end").hidden = false;
  $("end-title").textContent = words;
  $("end-words").textContent = `${plural(state.done, "label")} in ${state.path}. You can close this page.`;
  $("next").replaceChildren(...state.next.map(([what, command]) => h("li", null, what, " ", h("code", null, command), " ", copyButton("Copy", () => command))));
  $("end-title").focus();
}

const label = (name) => act("label", { place: state.place, label: name, note: $("note").value });
const back = () => state.place > 0 && act(`state/${state.place - 1}`);

setUpTheme();
$("buttons").append(
  ...CHOICES.map(({ key, name, help }) =>
    h("button", { type: "button", class: `choice ${name}`, "data-name": name, "aria-pressed": "false", on: { click: () => label(name) } },
      h("kbd", {}, key), " ", h("span", { "aria-hidden": "true" }, BY_NAME[name].mark), h("span", { class: "word" }, BY_NAME[name].word),
      h("span", { class: "unit" }, help))),
);
$("back").addEventListener("click", back);
$("finish").addEventListener("click", async () => {
  try { await ask("finish", {}); } catch { /* it may stop before it answers */ }
  finish("Finished");
});
document.addEventListener("keydown", (event) => {
  if (!state || state.place === null || typing(event)) return;
  const choice = CHOICES.find(({ key }) => key === event.key);
  if (choice) { event.preventDefault(); label(choice.name); }
  if (event.key === "b") back();
});
act("state").then(() => { document.documentElement.dataset.ready = "true"; });
