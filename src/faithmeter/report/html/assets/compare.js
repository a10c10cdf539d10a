/** The list of samples that changed: each opens to its claims, side by side. */
class Changes {
  static PAGE = 50;
  static DIRECTIONS = {
    worse: { word: "↓ worse", test: (row) => row.difference !== null && row.difference < -1e-9 },
    better: { word: "↑ better", test: (row) => row.difference !== null && row.difference > 1e-9 },
    level: { word: "same score, other claims", test: (row) => row.difference !== null && Math.abs(row.difference) <= 1e-9 },
    unscored: { word: "no score in one run", test: (row) => row.difference === null },
  };

  constructor() {
    this.summary = read($("summary"));
    this.rows = read($("index"));
    this.rows.forEach((row, index) => { row.index = index; });
    this.blocks = document.getElementsByClassName("block");
    this.chosen = new Set();
    this.query = "";
    this.page = 0;
    for (const [name, { word, test }] of Object.entries(Changes.DIRECTIONS)) {
      const total = this.rows.filter(test).length;
      if (total) $("direction-filter").append(this.chip(name, word, total));
    }
    $("query").addEventListener("input", () => { this.query = $("query").value.trim().toLowerCase(); this.apply(); });
    $("filters").addEventListener("submit", (event) => event.preventDefault());
    addEventListener("keydown", (event) => {
      if (event.key !== "/" || event.target.matches("input") || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      $("query").focus();
    });
    addEventListener("hashchange", () => this.route());
    this.apply();
    this.route();
  }

  chip(name, word, total) {
    const toggle = () => {
      if (!this.chosen.delete(name)) this.chosen.add(name);
      button.setAttribute("aria-pressed", String(this.chosen.has(name)));
      this.apply();
    };
    const button = h("button", { type: "button", class: "chip wide", "aria-pressed": "false", on: { click: toggle } },
      word, " ", h("span", { class: "count" }, total.toLocaleString("en")), sr(" samples"));
    return button;
  }

  matches(row) {
    if (this.chosen.size && ![...this.chosen].some((name) => Changes.DIRECTIONS[name].test(row))) return false;
    return !this.query || (row.text ??= `${row.id}\n${row.question}\n${row.answer}`.toLowerCase()).includes(this.query);
  }

  apply() {
    this.found = this.rows.filter((row) => this.matches(row));
    this.page = 0;
    this.render();
  }

  render() {
    const all = plural(this.rows.length, "sample");
    $("found").textContent = this.found.length === this.rows.length ? all : `${this.found.length.toLocaleString("en")} of ${all}`;
    const first = this.page * Changes.PAGE;
    const items = this.found.slice(first, first + Changes.PAGE).map((row) => this.item(row));
    if (!items.length) items.push(h("li", { class: "notice" }, this.rows.length ? "No sample matches." : "No sample changed."));
    $("changes").replaceChildren(...items);
    const pages = Math.max(1, Math.ceil(this.found.length / Changes.PAGE));
    const button = (words, step) => h("button", {
      type: "button", class: "quiet", disabled: this.page + step < 0 || this.page + step >= pages,
      on: { click: () => { this.page += step; this.render(); $("samples").scrollIntoView(); } },
    }, words);
    $("pager").hidden = pages < 2;
    $("pager").replaceChildren(button("← Previous page", -1), h("span", null, `Page ${this.page + 1} of ${pages}`), button("Next page →", 1));
  }

  item(row) {
    const details = h("details", { "data-sample": row.id, on: { toggle: () => details.open && details.children.length === 1 && details.append(this.body(row)) } },
      h("summary", null, delta(row.difference),
        h("span", { class: "scores" }, `${number(row.scores[0])} → ${number(row.scores[1])}`),
        h("span", { class: "change-name" }, h("bdi", { class: "change-id" }, ...highlighted(row.id, this.query)),
          h("span", { class: "preview", dir: "auto" }, ...highlighted((row.question || row.answer).slice(0, 300), this.query))),
        h("span", { class: "unit" }, plural(row.changes, "claim"), " changed")));
    return h("li", null, details);
  }

  body(row) {
    const details = read(this.blocks[Math.floor(row.index / this.summary.block)])[row.index % this.summary.block];
    const [before, after] = details.answers;
    const [gone, come] = wordDiff(before, after);
    const answers = before === after ? [pane("Answer of both runs", [after])] : [pane("Answer of the first run", gone), pane("Answer of the second run", come)];
    const changed = details.claims.filter(([one, two]) => one?.label !== two?.label || one?.text !== two?.text);
    return h("div", { class: "change-body" },
      before === after ? answers[0] : h("div", { class: "answers" }, ...answers),
      ...changed.map((pair) => sides(pair)),
      changed.length < details.claims.length && h("p", { class: "unit" }, `${plural(details.claims.length - changed.length, "claim")} the same in both runs`));
  }

  /** `#sample=ID` opens a sample. */
  route() {
    const id = new URLSearchParams(location.hash.slice(1)).get("sample");
    const at = id === null ? -1 : this.found.findIndex((row) => row.id === id);
    if (at < 0) return;
    if (Math.floor(at / Changes.PAGE) !== this.page) {
      this.page = Math.floor(at / Changes.PAGE);
      this.render();
    }
    const details = [...document.querySelectorAll("details")].find((element) => element.dataset.sample === id);
    details.open = true;
    details.scrollIntoView({ block: "start" });
    details.firstChild.focus({ preventScroll: true });
  }
}

function delta(difference) {
  if (difference === null) return h("span", { class: "delta" }, "no score");
  const kind = difference < -1e-9 ? "worse" : difference > 1e-9 ? "better" : "level";
  const arrow = { worse: "↓", better: "↑", level: "=" }[kind];
  return h("span", { class: `delta ${kind}` }, `${arrow} ${difference < 0 ? "−" : "+"}${Math.abs(difference).toFixed(2)}`);
}

const pane = (name, content) =>
  h("div", null, h("p", { class: "eyebrow" }, name), h("div", { class: "prose", dir: "auto" }, ...content));

/** Two texts with the words that only one of them has marked: gone in the first, added in the second. */
function wordDiff(before, after) {
  const one = before.match(/\s*\S+\s*?/g) || [], two = after.match(/\s*\S+\s*?/g) || []; // words, each with the space before it
  if (before === after || one.length * two.length > 4e6) return [[before], [after]];
  // the longest common subsequence of words, from the end
  const length = Array.from({ length: one.length + 1 }, () => new Uint16Array(two.length + 1));
  for (let i = one.length - 1; i >= 0; i -= 1) {
    for (let j = two.length - 1; j >= 0; j -= 1) {
      length[i][j] = one[i] === two[j] ? length[i + 1][j + 1] + 1 : Math.max(length[i + 1][j], length[i][j + 1]);
    }
  }
  const sides = [[], []];
  const put = (side, tag, text) => {
    const last = sides[side].at(-1);
    if (last && last.tag === tag) last.text += text;
    else sides[side].push({ tag, text });
  };
  let i = 0, j = 0;
  while (i < one.length || j < two.length) {
    if (i < one.length && j < two.length && one[i] === two[j]) { put(0, "span", one[i]); put(1, "span", two[j]); i += 1; j += 1; }
    else if (j >= two.length || (i < one.length && length[i + 1][j] >= length[i][j + 1])) { put(0, "del", one[i]); i += 1; }
    else { put(1, "ins", two[j]); j += 1; }
  }
  return sides.map((side) => side.filter(({ text }) => text).map(({ tag, text }) => h(text.trim() ? tag : "span", null, text)));
}

/** A claim with what the two runs say of it. */
function sides([before, after]) {
  const text = (after || before).text;
  const edited = before && after && before.text !== after.text && before.text !== undefined && after.text !== undefined;
  const [gone, come] = edited ? wordDiff(before.text, after.text) : [null, null];
  return h("div", { class: "side-by-side" }, !edited && h("p", { class: "card-text", dir: "auto" }, text === undefined ? "The whole answer" : text),
    h("div", { class: "sides" }, side("First run", before, gone), side("Second run", after, come)));
}

function side(name, outcome, words) {
  if (!outcome) return h("div", { class: "side" }, h("p", { class: "eyebrow" }, name), h("p", { class: "unit" }, "The answer makes no such claim."));
  const quotes = (outcome.evidence || []).map(([context, quote]) =>
    h("p", { class: "quote" }, h("span", { class: "where" }, `Context ${context + 1}`), h("q", { dir: "auto" }, quote)));
  return h("div", { class: `side ${outcome.label}` },
    h("p", { class: "eyebrow" }, name), words && h("p", { class: "card-text", dir: "auto" }, ...words), h("p", null, badge(outcome.label), outcome.wrong && h("span", { class: "kind" }, outcome.wrong), outcome.support === undefined ? null : h("span", { class: "unit" }, ` support ${number(outcome.support)}`)),
    ...quotes, outcome.reason && h("p", { class: "reason", dir: "auto" }, outcome.reason));
}

setUpTheme();
new Changes();
document.documentElement.dataset.ready = "true";
