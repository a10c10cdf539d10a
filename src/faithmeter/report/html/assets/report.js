/** The page: reads its data, and moves between the table and a sample. */
class App {
  constructor() {
    this.summary = read($("summary"));
    this.blocks = document.getElementsByClassName("block");
    this.opened = new Map(); // parsed blocks, the last few
    const rows = read($("index"));
    this.byId = new Map(rows.map((row, index) => [row.id, index]));
    this.view = null;
    this.came = null; // the sample to go back to in the table
    this.list = new List(rows, {
      open: (id) => this.go(id),
      changed: () => this.remember(),
      texts: (index) => this.details(index).contexts.map((context) => context.text),
    });
    this.shown = this.list.address().toString(); // the table as the address has it
    addEventListener("hashchange", () => this.route());
    addEventListener("keydown", (event) => this.key(event));
    this.route();
  }

  /** A sample's details: blocks are parsed when first needed. */
  details(index) {
    const number = Math.floor(index / this.summary.block);
    if (!this.opened.has(number)) {
      if (this.opened.size > 8) this.opened.delete(this.opened.keys().next().value);
      this.opened.set(number, read(this.blocks[number]));
    }
    return this.opened.get(number)[index % this.summary.block];
  }

  go(id) {
    const found = this.list.address();
    if (id !== null) found.set("sample", id);
    location.hash = found.toString();
  }

  /** Keep filters, order, page, sample and claim in the address, without a step in the browser's history. */
  remember() {
    if (!this.list) return; // while it is built
    const found = this.list.address();
    this.shown = found.toString();
    if (this.view) {
      found.set("sample", this.came);
      if (this.view.selected >= 0) found.set("claim", this.view.selected + 1);
    }
    const hash = found.toString();
    try {
      history.replaceState(null, "", hash ? `#${hash}` : location.pathname + location.search);
    } catch { /* too often, or a page that may not: the address stays */ }
  }

  route() {
    const wanted = new URLSearchParams(location.hash.slice(1));
    const id = wanted.get("sample");
    const table = new URLSearchParams([...wanted].filter(([name]) => name !== "sample" && name !== "claim"));
    // A link to a sample alone leaves the table as it is.
    if ((id === null || [...table].length) && table.toString() !== this.shown) {
      this.list.restore(table);
      this.shown = this.list.address().toString();
    }
    if (id !== null && this.byId.has(id)) this.show(id, wanted.get("claim"));
    else this.leave();
  }

  show(id, claim) {
    const index = this.byId.get(id);
    const row = this.list.rows[index];
    this.view = new SampleView(row, this.details(index), this.summary);
    const name = conversationOf(row);
    this.view.turns = name === null ? [] : inConversations(this.list.rows.filter((other) => conversationOf(other) === name));
    this.view.chosen = () => this.remember();
    this.came = id;
    document.body.classList.add("in-sample");
    $("overview").hidden = $("samples").hidden = true;
    $("sample").hidden = false;
    $("sample").replaceChildren(this.toolbar(id), this.title(row), ...this.view.build().filter(Boolean));
    document.title = `${id} · ${this.summary.title}`;
    scrollTo(0, 0);
    $("sample-title").focus({ preventScroll: true });
    if (claim !== null && this.view.outcomes[Number(claim) - 1]) this.view.select(Number(claim) - 1);
    this.remember();
  }

  leave() {
    $("overview").hidden = $("samples").hidden = false;
    $("sample").hidden = true;
    $("sample").replaceChildren();
    document.body.classList.remove("in-sample");
    document.title = this.summary.title;
    if (this.view) this.list.reveal(this.came);
    this.view = null;
  }

  toolbar(id) {
    const at = this.list.position(id);
    const move = (words, by) => {
      const other = this.list.neighbour(id, by);
      return h("button", { type: "button", class: "quiet", disabled: !other, on: { click: () => this.go(other.id) } }, ...words);
    };
    const place = at < 0 ? null : h("span", { class: "unit" }, `${(at + 1).toLocaleString("en")} of ${this.list.found.length.toLocaleString("en")}`);
    return h("nav", { class: "toolbar", "aria-label": "Samples" },
      h("button", { type: "button", class: "quiet", id: "back", on: { click: () => this.go(null) } }, "← All samples"),
      h("span", { class: "copies" },
        copyButton("Copy link", () => location.href), copyButton("Copy as Markdown", () => asMarkdown(this.view))),
      h("span", { class: "steps" }, move(["← ", h("span", { class: "long" }, "Previous")], -1), place, move([h("span", { class: "long" }, "Next"), " →"], 1)));
  }

  title(row) {
    const status = h("span", { class: `status ${row.status}` }, STATUSES[row.status]);
    return h("header", { class: "sample-head" },
      h("h2", { id: "sample-title", tabindex: "-1" }, h("bdi", null, row.id)),
      h("p", { class: "verdict" }, h("span", { class: "figure big" }, number(row.score)), row.status === "ok" ? null : status, composition(row)));
  }

  key(event) {
    if (event.key === "Escape" && !$("help").open) return this.escape(event);
    if (typing(event)) return;
    const act = (action) => { event.preventDefault(); action(); };
    const letter = shortcuts.on ? event.key : event.key.length === 1 ? "" : event.key;
    if (letter === "?") return act(showHelp);
    if (letter === "/") return act(() => { if (this.view) this.go(null); $("query").focus(); $("query").select(); });
    const where = this.view || this.list;
    if (letter === "j" || letter === "ArrowDown") return this.arrow(event, () => where.step(1));
    if (letter === "k" || letter === "ArrowUp") return this.arrow(event, () => where.step(-1));
    if (letter === "n" || letter === "ArrowRight") return this.arrow(event, () => this.sideways(1));
    if (letter === "p" || letter === "ArrowLeft") return this.arrow(event, () => this.sideways(-1));
    if (letter === "Enter" && this.view && event.target.matches(".card-head")) {
      const { selected, outcomes } = this.view;
      if (selected === Number(event.target.parentElement.dataset.claim) && outcomes[selected].evidence.length) act(() => this.view.follow(selected, 0));
    }
  }

  /** Arrow keys belong to a part that scrolls, when the keyboard is on it. */
  arrow(event, action) {
    if (event.key.startsWith("Arrow") && event.target.matches(".scroll, .contexts")) return;
    event.preventDefault();
    action();
  }

  sideways(by) {
    if (!this.view) return this.list.turn(by);
    const other = this.list.neighbour(this.came, by);
    if (other) this.go(other.id);
  }

  escape(event) {
    if (event.target === $("query") && $("query").value) { $("query").value = ""; this.list.change({ query: "" }); return; }
    if (event.target.matches("input")) { event.target.blur(); return; }
    if (this.view && !this.view.back()) this.go(null);
  }
}

setUpTheme();
setUpHelp();
const app = new App();
document.documentElement.dataset.ready = "true";
