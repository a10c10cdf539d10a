/** The table: filters, order, pages. */
class List {
  static PAGE = 50;
  static SCREEN = 15; // rows that are there at once

  /** `open` goes to a sample, `changed` hears of every change of what is shown, `texts` gives a row's contexts. */
  constructor(rows, { open, changed, texts }) {
    this.rows = rows;
    this.open = open;
    this.changed = changed;
    this.texts = texts;
    this.buttons = [];
    this.page = 0;
    this.current = 0; // the row of the page that the keyboard is on
    this.order = { key: "score", down: false };
    this.filters = List.nothing();
    this.columns = [
      { key: "score", name: "Score", value: (row) => (row.score === null ? -1 : row.score) },
      { key: "id", name: "Sample", value: (row) => row.id },
      { key: "claims", name: "Claims", value: (row) => row.claims },
      { key: "bad", name: "Flagged", value: (row) => row.claims - row.counts[0] },
    ];
    this.orders = new Map();
    this.collator = new Intl.Collator("en", { numeric: true });
    rows.forEach((row, index) => {
      row.index = index;
      row.claims = row.counts.reduce((sum, count) => sum + count, 0);
    });
    // Of conversations, turns stand together unless the reader wants them otherwise.
    this.usual = rows.some((row) => conversationOf(row) !== null && Number(row.meta.turn) > 1) ? "conversation" : "";
    this.filters.group = this.usual;
    this.build();
    this.apply();
    // The text to search in is made while nobody waits, and so is the order that takes longest.
    (window.requestIdleCallback || setTimeout)(() => {
      rows.forEach((row) => this.haystack(row));
      this.sorted({ key: "id", down: false });
    });
  }

  static nothing() {
    return { query: "", contexts: false, labels: new Set(), statuses: new Set(), kinds: new Set(), blame: new Set(), low: null, high: null, group: "", values: new Set() };
  }

  haystack(row) {
    return (row.text ??= `${row.id}\n${row.question}\n${row.answer}`.toLowerCase());
  }

  build() {
    for (const name of WORST_FIRST) {
      const place = LABELS.indexOf(BY_NAME[name]);
      const total = this.rows.filter((row) => row.counts[place]).length;
      if (total) $("label-filter").append(this.chip("labels", name, [badge(name)], total));
    }
    this.chips("kinds", "kind-filter", (kind) => kind);
    this.chips("blame", "blame-filter", (name) => BLAME[name]);
    for (const [status, word] of Object.entries(STATUSES)) {
      const total = this.rows.filter((row) => row.status === status).length;
      if (total) $("status-filter").append(this.chip("statuses", status, [word], total));
    }
    $("status-filter").hidden = $("status-filter").querySelectorAll("button").length < 2;
    $("query").addEventListener("input", () => this.change({ query: $("query").value.trim().toLowerCase() }));
    $("in-contexts").addEventListener("change", () => this.searchContexts($("in-contexts").checked));
    $("download").addEventListener("click", () => download("samples.csv", this.csv(), "text/csv"));
    this.buildGroups();
    for (const side of ["low", "high"]) {
      $(side).addEventListener("input", () => {
        const value = $(side).valueAsNumber;
        this.change({ [side]: Number.isNaN(value) ? null : value });
      });
    }
    $("filters").addEventListener("submit", (event) => event.preventDefault());
    $("filters").addEventListener("reset", () => this.clear());
    document.querySelectorAll(".bin").forEach((bin) => bin.addEventListener("click", () => this.range(bin.dataset)));
    this.buildColumns();
  }

  /** A chip for each value that any row has in a list, the most frequent first. */
  chips(key, place, word) {
    const totals = new Map();
    for (const row of this.rows) for (const name of row[key] ?? []) totals.set(name, (totals.get(name) ?? 0) + 1);
    for (const [name, total] of [...totals].sort((a, b) => b[1] - a[1])) $(place)?.append(this.chip(key, name, [word(name)], total));
    if ($(place)) $(place).hidden = !totals.size;
  }

  chip(kind, name, content, total, more = "") {
    const toggle = () => {
      const chosen = this.filters[kind];
      if (!chosen.delete(name)) chosen.add(name);
      this.change({});
    };
    const count = h("span", { class: "count" }, total.toLocaleString("en"));
    const pressed = String(this.filters[kind].has(name));
    const button = h("button", { type: "button", class: "chip", "aria-pressed": pressed, on: { click: toggle } },
      ...content, " ", count, sr(" samples"), more && h("span", { class: "count" }, more));
    this.buttons.push({ kind, name, button });
    return button;
  }

  /** What answers can be grouped by: the kind of error, and what the metadata says of few enough groups. */
  buildGroups() {
    const values = new Map([["kind of error", new Set(this.rows.flatMap((row) => row.kinds || []))]]);
    for (const row of this.rows) {
      for (const [key, value] of Object.entries(row.meta || {})) {
        if (!values.has(key)) values.set(key, new Set());
        values.get(key).add(value);
      }
    }
    const least = (key) => (key === "kind of error" || key === "conversation" ? 0 : 1);
    this.groups = [...values].filter(([key, found]) => found.size > least(key) && (found.size <= 40 || key === "conversation")).map(([key]) => key);
    $("group-filter").hidden = !this.groups.length;
    $("group").append(...this.groups.map((key) => h("option", { value: key }, key)));
    $("group").value = this.filters.group;
    this.showGroups();
    $("group").addEventListener("change", () => { this.filters.values.clear(); this.change({ group: $("group").value }); this.showGroups(); });
  }

  valuesOf(row) {
    if (this.filters.group === "kind of error") return row.kinds || [];
    const value = (row.meta || {})[this.filters.group];
    return value === undefined ? [] : [value];
  }

  /** The groups as chips, the lowest mean first: each filters. */
  showGroups() {
    this.buttons = this.buttons.filter((chip) => chip.kind !== "values");
    const found = new Map();
    for (const row of this.filters.group ? this.rows : []) {
      for (const value of this.valuesOf(row)) {
        const group = found.get(value) || { count: 0, scored: 0, sum: 0 };
        group.count += 1;
        if (row.score !== null) { group.scored += 1; group.sum += row.score; }
        found.set(value, group);
      }
    }
    const mean = ({ sum, scored }) => (scored ? sum / scored : 2);
    const order = found.size > 40 ? [] : [...found].sort((a, b) => mean(a[1]) - mean(b[1]));
    $("groups").replaceChildren(...order.map(([value, group]) =>
      this.chip("values", value, [h("bdi", null, value.replaceAll("_", " "))], group.count, group.scored ? ` · mean ${number(mean(group))}` : "")));
    $("groups").hidden = !order.length;
  }

  /** Search in the contexts too: their text is read when first asked for, a few at a time. */
  async searchContexts(on) {
    this.change({ contexts: on });
    if (!on || this.indexed) return;
    this.indexed = true;
    for (let index = 0; index < this.rows.length; index += 1) {
      const row = this.rows[index];
      row.contexts = this.texts(row.index).join("\n");
      row.lower = row.contexts.toLowerCase();
      if (index % 400 === 399) {
        $("found").textContent = `reading contexts: ${index + 1} of ${this.rows.length}`;
        await new Promise((resume) => setTimeout(resume));
      }
    }
    this.apply();
  }

  /** What is shown, for the address: only what differs from the beginning. */
  address() {
    const { query, contexts, labels, statuses, kinds, blame, low, high, group, values } = this.filters;
    const found = new URLSearchParams();
    if (query) found.set("q", query);
    if (contexts) found.set("in", "contexts");
    labels.forEach((name) => found.append("label", name));
    statuses.forEach((name) => found.append("status", name));
    kinds.forEach((name) => found.append("kind", name));
    blame.forEach((name) => found.append("blame", name));
    if (low !== null) found.set("from", low);
    if (high !== null) found.set("to", high);
    if (group !== this.usual) found.set("group", group);
    values.forEach((name) => found.append("value", name));
    if (this.order.key !== "score" || this.order.down) found.set("sort", (this.order.down ? "-" : "") + this.order.key);
    if (this.page) found.set("page", this.page + 1);
    return found;
  }

  /** Show what an address says. */
  restore(wanted) {
    const numeric = (name) => (wanted.has(name) && Number.isFinite(Number(wanted.get(name))) ? Number(wanted.get(name)) : null);
    const group = [...this.groups, ""].find((name) => name === wanted.get("group")) ?? this.usual;
    this.filters = {
      query: (wanted.get("q") || "").toLowerCase(), contexts: wanted.get("in") === "contexts",
      labels: new Set(wanted.getAll("label")), statuses: new Set(wanted.getAll("status")),
      kinds: new Set(wanted.getAll("kind")), blame: new Set(wanted.getAll("blame")),
      low: numeric("from"), high: numeric("to"), group, values: new Set(group ? wanted.getAll("value") : []),
    };
    const sort = wanted.get("sort") || "score";
    const key = sort.replace("-", "");
    if (this.columns.some((column) => column.key === key)) this.order = { key, down: sort.startsWith("-") };
    $("query").value = wanted.get("q") || "";
    $("in-contexts").checked = this.filters.contexts;
    $("low").value = this.filters.low ?? "";
    $("high").value = this.filters.high ?? "";
    $("group").value = group;
    this.buildColumns();
    this.showGroups();
    this.apply();
    this.page = Math.min(this.pages - 1, Math.max(0, (numeric("page") || 1) - 1));
    if (this.page) this.render();
    if (this.filters.contexts) this.searchContexts(true);
  }

  csv() {
    const quoted = (value) => `"${String(value ?? "").replace(/^([=+\-@\t\r])/, "'$1").replaceAll('"', '""')}"`;
    const lines = this.found.map((row) => [quoted(row.id), row.score ?? "", row.status, row.claims, row.claims - row.counts[0],
      ...(row.worst || ["", "", "", ""]).slice(1).map(quoted), quoted(row.question), quoted(row.answer)].join(","));
    return ["id,score,status,claims,flagged,worst_label,worst_claim,reason,question,answer", ...lines].join("\r\n");
  }

  buildColumns() {
    $("columns").replaceChildren(...this.columns.map((column) => {
      const sorted = this.order.key === column.key;
      const direction = sorted ? (this.order.down ? "descending" : "ascending") : "none";
      const arrow = h("span", { class: "arrow", "aria-hidden": "true" }, sorted ? (this.order.down ? "↓" : "↑") : "");
      const click = () => {
        this.order = { key: column.key, down: sorted ? !this.order.down : column.key === "bad" || column.key === "claims" };
        this.buildColumns();
        this.apply();
        this.changed();
        [...$("columns").querySelectorAll("button")][this.columns.indexOf(column)].focus();
      };
      return h("th", { role: "columnheader", scope: "col", class: column.key, "aria-sort": direction },
        h("button", { type: "button", on: { click } }, column.name, " ", arrow));
    }));
  }

  range({ low, high }) {
    $("low").value = low;
    $("high").value = high;
    this.change({ low: Number(low), high: Number(high) });
    $("samples").scrollIntoView({ block: "start" });
  }

  clear() {
    this.change({ ...List.nothing(), group: this.usual });
    setTimeout(() => { $("group").value = this.filters.group; }); // once the browser has emptied the form
    this.showGroups();
  }

  change(filters) {
    Object.assign(this.filters, filters);
    this.apply();
    this.changed();
  }

  matches(row) {
    const { query, contexts, labels, statuses, kinds, blame, low, high, values } = this.filters;
    if (kinds.size && !row.kinds?.some((kind) => kinds.has(kind))) return false;
    if (blame.size && !row.blame?.some((name) => blame.has(name))) return false;
    if (statuses.size && !statuses.has(row.status)) return false;
    if (low !== null && (row.score === null || row.score < low - 1e-9)) return false;
    // "0.3 to 0.4" leaves 0.4 to the next step, as the plot does; up to 1 includes 1.
    if (high !== null && (row.score === null || (high > (low ?? 0) && high < 1 ? row.score >= high : row.score > high))) return false;
    if (labels.size && !LABELS.some((label, index) => labels.has(label.name) && row.counts[index])) return false;
    if (values.size && !this.valuesOf(row).some((value) => values.has(value))) return false;
    return !query || this.haystack(row).includes(query) || Boolean(contexts && row.lower?.includes(query));
  }

  /** All rows in an order: sorted once, so that a filter need not sort. */
  sorted({ key, down }) {
    const name = `${key} ${down}`;
    if (!this.orders.has(name)) {
      const { value } = this.columns.find((column) => column.key === key);
      const sign = down ? -1 : 1;
      const compare = key === "id"
        ? (a, b) => sign * this.collator.compare(a.id, b.id) || a.index - b.index
        : (a, b) => sign * (value(a) - value(b)) || b.claims - a.claims || a.index - b.index;
      this.orders.set(name, [...this.rows].sort(compare));
    }
    return this.orders.get(name);
  }

  apply() {
    this.found = this.sorted(this.order).filter((row) => this.matches(row));
    if (this.filters.group === "conversation") this.found = inConversations(this.found);
    this.page = 0;
    this.current = 0;
    this.render();
  }

  get pages() {
    return Math.max(1, Math.ceil(this.found.length / List.PAGE));
  }

  turn(step) {
    const page = Math.min(this.pages - 1, Math.max(0, this.page + step));
    if (page === this.page) return;
    this.page = page;
    this.current = 0;
    this.render();
    this.changed();
    $("samples").scrollIntoView({ block: "start" });
  }

  render() {
    const { query, labels, statuses, low, high, kinds, blame, values } = this.filters;
    const filtered = query || labels.size || statuses.size || kinds.size || blame.size || values.size || low !== null || high !== null;
    this.buttons.forEach(({ kind, name, button }) => button.setAttribute("aria-pressed", String(this.filters[kind].has(name))));
    const all = plural(this.rows.length, "sample");
    $("found").textContent = filtered ? `${this.found.length.toLocaleString("en")} of ${all}` : all;
    $("clear").hidden = !filtered;
    const first = this.page * List.PAGE;
    const page = this.found.slice(first, first + List.PAGE);
    const grouped = this.filters.group === "conversation";
    const shown = (grouped ? page : page.slice(0, List.SCREEN)).map((row) => this.row(row, query));
    this.rest = grouped ? [] : page.slice(List.SCREEN);
    if (grouped) this.headConversations(shown, first);
    if (!shown.length) {
      const nothing = h("td", { role: "cell", colspan: "4", class: "nothing" }, "No sample matches these filters.");
      shown.push(h("tr", { role: "row" }, nothing));
    }
    $("rows").replaceChildren(...shown);
    this.renderPager();
    clearTimeout(this.soon);
    this.soon = setTimeout(() => this.renderRest());
  }

  /** The rows below the first screen, which nobody sees at once. */
  renderRest() {
    $("rows").append(...this.rest.map((row) => this.row(row, this.filters.query)));
    this.rest = [];
  }

  /** A line above the turns of each conversation: how many are shown, and their mean. */
  headConversations(shown, first) {
    const rows = this.found.slice(first, first + List.PAGE);
    for (let index = rows.length - 1; index >= 0; index -= 1) {
      const name = conversationOf(rows[index]);
      if (index && conversationOf(rows[index - 1]) === name) continue;
      const scores = this.found.filter((row) => conversationOf(row) === name).map((row) => row.score);
      const scored = scores.filter((score) => score !== null);
      const mean = scored.length ? ` · mean ${number(scored.reduce((sum, score) => sum + score, 0) / scored.length)}` : "";
      const words = name === null ? ["No conversation"] : ["Conversation ", h("bdi", null, name)];
      shown.splice(index, 0, h("tr", { role: "row", class: "conversation" },
        h("th", { role: "rowheader", scope: "rowgroup", colspan: "4" }, ...words, h("span", { class: "unit" }, ` ${plural(scores.length, "turn")}${mean}`))));
    }
  }

  row(row, query) {
    const bad = row.claims - row.counts[0];
    const link = h("a", { class: "open", href: `#${new URLSearchParams({ sample: row.id })}` }, h("bdi", null, ...highlighted(row.id, query)));
    const preview = (row.question || row.answer).slice(0, 400);
    const hit = query && !preview.toLowerCase().includes(query) ? this.excerpt(row, query) : null;
    return h("tr", { role: "row", class: "entry", on: { click: (event) => event.target.closest("a") || this.open(row.id) } },
      h("td", { role: "cell", class: "score" }, scoreCell(row)),
      h("td", { role: "cell", class: "id" }, link, h("p", { class: "preview one", dir: "auto" }, ...highlighted(preview, query)),
        row.worst && worstLine(row.worst, query),
        hit && h("p", { class: "preview", dir: "auto" }, "… ", ...highlighted(hit, query), " …")),
      h("td", { role: "cell", class: "claims" }, composition(row)),
      h("td", { role: "cell", class: "bad" }, bad ? String(bad) : "–", h("span", { class: "unit" }, " flagged")));
  }

  excerpt(row, query) {
    let text = row.answer;
    let at = text.toLowerCase().indexOf(query);
    if (at < 0 && this.filters.contexts && row.lower) {
      text = row.contexts;
      at = row.lower.indexOf(query);
    }
    return at < 0 ? null : text.slice(Math.max(0, at - 60), at + query.length + 120);
  }

  renderPager() {
    const button = (words, step) =>
      h("button", { type: "button", class: "quiet", disabled: this.page + step < 0 || this.page + step >= this.pages, on: { click: () => this.turn(step) } }, words);
    $("pager").hidden = this.pages < 2;
    $("pager").replaceChildren(button("← Previous page", -1), h("span", null, `Page ${this.page + 1} of ${this.pages.toLocaleString("en")}`), button("Next page →", 1));
  }

  /** Put the keyboard on a row of this page. */
  focus(index) {
    this.renderRest();
    const links = $("rows").querySelectorAll("a.open");
    if (!links.length) return;
    this.current = Math.min(links.length - 1, Math.max(0, index));
    links[this.current].focus();
  }

  step(by) {
    this.renderRest();
    const links = [...$("rows").querySelectorAll("a.open")];
    const at = links.indexOf(document.activeElement);
    this.focus(at < 0 ? (by > 0 ? 0 : links.length - 1) : at + by);
  }

  /** The neighbour of a sample in the order of the table, over page borders. */
  neighbour(id, by) {
    const at = this.found.findIndex((row) => row.id === id);
    return at < 0 ? null : this.found[at + by] || null;
  }

  position(id) {
    return this.found.findIndex((row) => row.id === id);
  }

  /** Show the page with a sample, and put the keyboard on its row. */
  reveal(id) {
    const at = this.position(id);
    if (at < 0) return $("samples").focus();
    if (Math.floor(at / List.PAGE) !== this.page) {
      this.page = Math.floor(at / List.PAGE);
      this.render();
    }
    this.focus(at % List.PAGE);
  }
}

/** The name of the conversation that a row is a turn of; null if it is none. */
function conversationOf(row) {
  return row.meta?.conversation ?? null;
}

/** Rows with the turns of each conversation together and in order; conversations come as their first row would. */
function inConversations(rows) {
  const found = new Map();
  for (const row of rows) {
    const name = conversationOf(row);
    if (!found.has(name)) found.set(name, []);
    found.get(name).push(row);
  }
  const turn = (row) => Number(row.meta?.turn ?? 0);
  for (const turns of found.values()) turns.sort((a, b) => turn(a) - turn(b) || a.index - b.index);
  return [...found].sort((a, b) => (a[0] === null) - (b[0] === null)).flatMap(([, turns]) => turns);
}

/** The worst claim of a row, and why. */
function worstLine([, label, claim, why], query) {
  return h("p", { class: `worst ${label}`, dir: "auto" },
    h("span", { class: "mark", title: BY_NAME[label].word, "aria-hidden": "true" }, BY_NAME[label].mark), sr(`${BY_NAME[label].word}: `),
    h("span", null, ...highlighted(claim, query)), why && h("span", { class: "why" }, " ", why));
}

/** A score as a number and a bar. */
function scoreCell(row) {
  const bar = h("span", { class: "track", "aria-hidden": "true" }, h("span", { class: "fill" }));
  bar.firstChild.style.inlineSize = `${Math.max(0, Math.min(1, row.score ?? 0)) * 100}%`;
  const status = row.status === "ok" ? null : h("span", { class: `status ${row.status}` }, STATUSES[row.status]);
  return h("span", { class: "score-box" }, h("span", { class: "figure" }, number(row.score)), bar, status);
}

/** A sample's claims by label: a bar, and the same in marks and numbers. */
function composition(row) {
  if (!row.claims) return h("span", { class: "unit" }, "no claims");
  const bar = h("span", { class: "stack", "aria-hidden": "true" });
  const words = h("span", { class: "tallies" });
  LABELS.forEach((label, index) => {
    if (!row.counts[index]) return;
    const piece = h("span", { class: `piece ${label.name}` });
    piece.style.flexGrow = row.counts[index];
    bar.append(piece);
    words.append(h("span", { class: `tally ${label.name}`, title: label.word },
      h("span", { "aria-hidden": "true" }, label.mark), sr(`${label.word}: `), String(row.counts[index])));
  });
  return h("span", { class: "composition" }, bar, words);
}
