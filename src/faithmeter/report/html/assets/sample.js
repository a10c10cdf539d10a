/** One sample, opened: the answer with its claims, the contexts with their evidence, and who bears whom. */
class SampleView {
  constructor(row, details, summary) {
    this.row = row;
    this.details = details;
    this.summary = summary;
    this.turns = []; // the turns of its conversation, in order
    this.selected = -1;
    this.outcomes = details.outcomes.map((outcome, index) => ({ evidence: [], gaps: [], conflicts: [], ...outcome, index }));
  }

  build() {
    const reading = h("div", { class: "reading" },
      h("section", { class: "answer-pane", "aria-labelledby": "answer-title" },
        h("h3", { id: "answer-title" }, "Answer ", markdownSwitch(this)), this.answer(), this.revision(), this.claims()),
      h("section", { class: "context-pane", "aria-labelledby": "contexts-title" },
        h("h3", { id: "contexts-title" }, "Contexts ", h("span", { class: "unit" }, this.used())), this.contexts()));
    return [this.history(), this.question(), ...this.notes(), reading, this.matrix(), this.facts()];
  }

  /** What was said before this turn, and the way to the other turns. */
  history() {
    const { history = [] } = this.details;
    if (!history.length && this.turns.length < 2) return null;
    const said = history.map(([role, text]) => h("li", null, h("span", { class: "eyebrow" }, role), h("span", { dir: "auto" }, text)));
    const ways = this.turns.map((row) => (row === this.row
      ? h("strong", { "aria-current": "true" }, row.meta.turn)
      : h("a", { href: `#${new URLSearchParams({ sample: row.id })}`, "aria-label": `Turn ${row.meta.turn}, score ${number(row.score)}` }, row.meta.turn)));
    return h("section", { class: "history", "aria-label": "Conversation" },
      this.turns.length > 1 && h("p", { class: "turns" }, h("span", { class: "eyebrow" }, "Turns"), ...ways),
      said.length > 0 && h("details", null, h("summary", null, `Said before: ${plural(said.length, "message")}`), h("ol", null, ...said)));
  }

  question() {
    const { question } = this.row;
    return question && h("p", { class: "question" }, h("span", { class: "eyebrow" }, "Question"), h("span", { dir: "auto" }, question));
  }

  notes() {
    const said = [...(this.details.notes ?? []).map((note) => `⚠ ${note}`), ...(this.details.citations ?? [])];
    return said.map((note) => h("p", { class: "notice" }, note));
  }

  /** The answer as it was fixed: what was cut struck through, what was added underlined. */
  revision() {
    const { revision } = this.details;
    if (!revision) return null;
    const tags = { kept: "span", cut: "del", added: "ins" };
    return h("div", { class: "revision" }, h("h4", null, "Fixed answer"), h("p", { class: "unit" }, revision.headline),
      h("div", { class: "prose", dir: "auto" }, ...revision.pieces.map(([change, text]) => h(tags[change], null, text))));
  }

  // --- the answer ------------------------------------------------------------------------------

  answer() {
    const placed = this.outcomes.filter((outcome) => outcome.start !== undefined);
    const spans = [...placed, ...this.details.asides];
    const pieces = segments(this.row.answer, spans).map((piece) => {
      const claims = piece.covering.filter((span) => span.label);
      if (claims.length) return this.piece(piece, claims);
      return h("span", { class: "aside", title: piece.covering.length ? piece.covering[0].kind.replace("_", " ") : false }, ...withGaps(piece.text, [], { marks: this.marks(), from: piece.start }));
    });
    return h("div", { class: "answer prose", dir: "auto" }, ...pieces);
  }

  /** A part of the answer that one or more claims are made of; a second press goes to the next claim. */
  piece(piece, claims) {
    const order = [...claims].sort((a, b) => WORST_FIRST.indexOf(a.label) - WORST_FIRST.indexOf(b.label));
    const press = () => {
      const at = order.findIndex((claim) => claim.index === this.selected);
      this.select(order[(at + 1) % order.length].index);
    };
    const last = claims.filter((claim) => claim.end === piece.end);
    const marks = last.map((claim) => `${BY_NAME[claim.label].mark}${claim.index + 1}`).join(" ");
    const words = last.map((claim) => `claim ${claim.index + 1}, ${BY_NAME[claim.label].word}`).join("; ");
    return h("span", {
      class: `claim ${order[0].label}`, role: "button", tabindex: "0", "aria-pressed": "false",
      "data-claims": claims.map((claim) => claim.index).join(" "),
      on: { click: press, keydown: (event) => pressed(event, press) },
    }, ...this.gaps(piece, claims), marks && h("sup", { "aria-hidden": "true" }, marks), words && sr(` (${words})`));
  }

  /** The piece's text, with the words that are not supported marked, where the claim stands verbatim in the answer. */
  gaps(piece, claims) {
    const gaps = claims.filter((claim) => this.row.answer.slice(claim.start, claim.end) === claim.text)
      .flatMap((claim) => marked(claim).map((gap) => ({ ...gap, start: claim.start + gap.start - piece.start, end: claim.start + gap.end - piece.start })))
      .filter((gap) => gap.end > 0 && gap.start < piece.text.length)
      .map((gap) => ({ ...gap, start: Math.max(0, gap.start) }));
    return withGaps(piece.text, gaps, { marks: this.marks(), from: piece.start });
  }

  /** The Markdown in the answer. */
  marks() {
    return (this.markdown ??= markdownMarks(this.row.answer));
  }

  // --- the claims ------------------------------------------------------------------------------

  claims() {
    if (!this.outcomes.length) return h("p", { class: "notice" }, "This answer claims nothing, so there was nothing to judge.");
    return h("ol", { class: "cards", "aria-label": "Claims" }, ...this.outcomes.map((outcome) => this.card(outcome)));
  }

  card(outcome) {
    const text = outcome.text === undefined ? ["The whole answer"] : withGaps(outcome.text, marked(outcome));
    const quotes = outcome.evidence.map(([context, start, end], index) => this.quote(outcome, index, context, start, end));
    const nearest = outcome.label === "contradicted" ? "Contradicted by" : outcome.label === "not_enough_info" ? "Nearest passage" : "Evidence";
    return h("li", { class: `card ${outcome.label}`, "data-claim": outcome.index },
      h("button", { type: "button", class: "card-head", "aria-pressed": "false", on: { click: () => this.select(outcome.index) } },
        h("span", { class: "card-meta" }, h("span", { class: "ordinal" }, sr("Claim "), String(outcome.index + 1)), badge(outcome.label), ...wrong(outcome), support(outcome)),
        h("span", { class: "card-text", dir: "auto" }, ...text)),
      outcome.reason && h("p", { class: "reason", dir: "auto" }, outcome.reason),
      quotes.length > 0 && h("div", { class: "quotes" }, h("p", { class: "eyebrow" }, nearest), ...quotes),
      outcome.found && h("div", { class: "quotes" }, h("p", { class: "eyebrow" }, "In the corpus, but not retrieved"),
        h("p", { class: "quote" }, h("span", { class: "where" }, h("bdi", null, outcome.found.document)), h("q", { dir: "auto" }, outcome.found.quote))),
      h("p", { class: "origin" }, origin(outcome)));
  }

  quote(outcome, index, context, start, end) {
    const { text } = this.details.contexts[context];
    const go = () => { this.select(outcome.index); this.follow(outcome.index, index); };
    return h("button", { type: "button", class: "quote", on: { click: go } },
      h("span", { class: "where" }, `Context ${context + 1}`), h("q", { dir: "auto" }, text.slice(start, end)));
  }

  // --- the contexts ----------------------------------------------------------------------------

  bearing(context) {
    return this.outcomes.filter((outcome) => outcome.evidence.some(([index]) => index === context));
  }

  used() {
    const total = this.details.contexts.length;
    const unused = this.details.contexts.filter((_, index) => !this.bearing(index).length).length;
    return unused ? `${total}, ${unused} unused` : String(total);
  }

  contexts() {
    if (!this.details.contexts.length) return h("p", { class: "notice" }, "There are no contexts.");
    return h("div", { class: "contexts", tabindex: "0", role: "group", "aria-labelledby": "contexts-title" }, ...this.details.contexts.map((context, index) => this.context(context, index)));
  }

  context(context, index) {
    const bearing = this.bearing(index);
    const spans = this.outcomes.flatMap((outcome) => outcome.evidence
      .map(([where, start, end], nth) => ({ where, start, end, nth, outcome }))
      .filter((span) => span.where === index));
    const marks = markdownMarks(context.text);
    const text = segments(context.text, spans).map((piece) => (piece.covering.length ? this.evidence(piece, marks) : styled(piece, marks)));
    const use = bearing.length ? `bears on ${bearing.length === 1 ? "claim" : "claims"} ${bearing.map((outcome) => outcome.index + 1).join(", ")}` : "unused";
    return h("article", { class: `context ${bearing.length ? "" : "unused"}`, "data-context": index, "aria-label": `Context ${index + 1}` },
      h("header", null, h("h4", null, `Context ${index + 1}`, context.id && h("bdi", { class: "context-id" }, context.id)), h("span", { class: "use" }, use)),
      h("p", { class: "prose", dir: "auto" }, ...text.flat()));
  }

  evidence(piece, marks) {
    const claims = [...new Set(piece.covering.map((span) => span.outcome.index))];
    const ends = [...new Set(piece.covering.filter((span) => span.end === piece.end).map((span) => span.outcome.index + 1))];
    const keys = piece.covering.map((span) => `${span.outcome.index}.${span.nth}`).join(" ");
    const label = piece.covering.map((span) => span.outcome.label).sort((a, b) => WORST_FIRST.indexOf(a) - WORST_FIRST.indexOf(b))[0];
    return h("mark", { class: `evidence ${label}`, tabindex: "-1", "data-claims": claims.join(" "), "data-evidence": keys, "data-label": label },
      ...styled(piece, marks), ends.length > 0 && h("sup", null, sr("evidence for claim "), ends.join(",")));
  }

  // --- claim × context -------------------------------------------------------------------------

  matrix() {
    const { contexts } = this.details;
    if (!this.outcomes.length || !contexts.length) return null;
    const head = contexts.map((context, index) => h("th", { scope: "col", class: this.bearing(index).length ? false : "unused", title: context.id || false },
      String(index + 1), this.bearing(index).length ? null : h("span", { class: "unit" }, " unused")));
    const body = this.outcomes.map((outcome) => h("tr", null,
      h("th", { scope: "row" }, h("span", { class: "ordinal" }, String(outcome.index + 1)), " ", badge(outcome.label)),
      ...contexts.map((_, index) => this.cell(outcome, index))));
    return h("section", { class: "matrix", "aria-labelledby": "matrix-title" },
      h("h3", { id: "matrix-title" }, "Which context bears on which claim"),
      h("div", { class: "scroll", tabindex: "0", role: "group", "aria-labelledby": "matrix-title" },
        h("table", null, h("thead", null, h("tr", null, h("th", { scope: "col" }, "claim"), ...head)), h("tbody", null, ...body))));
  }

  cell(outcome, context) {
    const nth = outcome.evidence.findIndex(([index]) => index === context);
    if (nth < 0) return h("td", null, h("span", { class: "none", "aria-hidden": "true" }, "·"), sr("no"));
    const go = () => { this.select(outcome.index); this.follow(outcome.index, nth); };
    return h("td", null, h("button", { type: "button", class: `cell ${outcome.label}`, on: { click: go } },
      h("span", { "aria-hidden": "true" }, BY_NAME[outcome.label].mark), sr(`context ${context + 1} bears on claim ${outcome.index + 1}`)));
  }

  // --- the rest --------------------------------------------------------------------------------

  facts() {
    const { usage, metadata, signature, bounds } = this.details;
    const facts = [["Made by", this.summary.signatures[signature]]];
    if (bounds) facts.push(["Score if what failed were unsupported, or supported", `${number(bounds[0])} to ${number(bounds[1])}`]);
    if (usage.calls) facts.push(["Calls", `${usage.calls}, ${(usage.prompt_tokens || 0) + (usage.completion_tokens || 0)} tokens`]);
    if (usage.cost !== undefined) facts.push(["Cost", `$${usage.cost.toFixed(4)}`]);
    if (usage.cache_hits) facts.push(["From the cache", plural(usage.cache_hits, "verdict")]);
    if (usage.seconds) facts.push(["Time", `${usage.seconds < 1 ? `${Math.round(usage.seconds * 1000)} ms` : `${usage.seconds.toFixed(1)} s`}`]);
    Object.entries(metadata || {}).forEach((entry) => facts.push(entry));
    return h("section", { class: "facts", "aria-labelledby": "facts-title" }, h("h3", { id: "facts-title" }, "Details"),
      h("dl", null, ...facts.map(([name, value]) => h("div", null, h("dt", null, h("bdi", null, name)), h("dd", { dir: "auto" }, value)))));
  }

  // --- choosing a claim ------------------------------------------------------------------------

  /** Choose a claim: its part of the answer, its card and its evidence stand out; `focus` moves the keyboard there. */
  select(index, { focus = false } = {}) {
    this.selected = index;
    const root = $("sample");
    const mine = (element) => element.dataset.claims.split(" ").includes(String(index));
    root.querySelectorAll(".claim").forEach((claim) => {
      claim.setAttribute("aria-pressed", String(mine(claim)));
      claim.classList.toggle("on", mine(claim));
    });
    root.querySelectorAll(".evidence").forEach((mark) => {
      // the chosen claim lends its evidence its own look; else the worst claim that rests on it does
      mark.className = mine(mark) ? `evidence on ${this.outcomes[index].label}` : `evidence ${mark.dataset.label}`;
    });
    root.querySelectorAll(".card").forEach((card) => {
      const on = Number(card.dataset.claim) === index;
      card.classList.toggle("on", on);
      card.querySelector(".card-head").setAttribute("aria-pressed", String(on));
      if (!on) return;
      if (focus) card.querySelector(".card-head").focus({ preventScroll: true });
      reveal(card);
    });
    this.chosen?.(index);
    const evidence = root.querySelector(".evidence.on");
    if (evidence && twoColumns()) reveal(evidence);
  }

  step(by) {
    const last = this.outcomes.length - 1;
    if (last < 0) return;
    const next = this.selected < 0 ? (by > 0 ? 0 : last) : Math.min(last, Math.max(0, this.selected + by));
    this.select(next, { focus: true });
  }

  /** Go to a piece of evidence in its context. */
  follow(index, nth) {
    const mark = [...$("sample").querySelectorAll(".evidence")].find((item) => item.dataset.evidence.split(" ").includes(`${index}.${nth}`));
    if (!mark) return;
    reveal(mark);
    mark.focus({ preventScroll: true });
  }

  /** Back from the evidence to the claim; false when the keyboard was not on evidence. */
  back() {
    if (!document.activeElement.matches(".evidence") || this.selected < 0) return false;
    this.select(this.selected, { focus: true });
    return true;
  }
}

const twoColumns = () => matchMedia("(min-width: 62rem)").matches;
const still = () => matchMedia("(prefers-reduced-motion: reduce)").matches;
const reveal = (element) => element.scrollIntoView({ block: "nearest", behavior: still() ? "auto" : "smooth" });

function pressed(event, action) {
  if (event.key !== "Enter" && event.key !== " ") return;
  event.preventDefault();
  event.stopPropagation();
  action();
}

/** A claim's marked words: those that the contexts say otherwise, and those that they do not mention. */
function marked(outcome) {
  const conflict = (start, end) => outcome.conflicts.some(([from, to]) => from < end && start < to);
  return outcome.gaps.map(([start, end]) => ({ start, end, conflict: conflict(start, end) }));
}

/** Text with the words that are not supported marked, for the eye and for a screen reader. */
function withGaps(text, gaps, { marks = [], from = 0 } = {}) {
  const within = marks.map((mark) => ({ ...mark, start: mark.start - from, end: mark.end - from }))
    .filter((mark) => mark.end > 0 && mark.start < text.length).map((mark) => ({ ...mark, start: Math.max(0, mark.start) }));
  return segments(text, gaps).map((piece) => {
    const content = styled(piece, within);
    if (!piece.covering.length) return content;
    const conflict = piece.covering.some((gap) => gap.conflict);
    const why = conflict ? "the contexts say otherwise" : "not supported by the contexts";
    return [h("em", { class: conflict ? "gap conflict" : "gap", title: why }, ...content, sr(conflict ? " (contradicted)" : " (not supported)"))];
  }).flat();
}

/** What kind of mistake it is, and where it was made. */
function wrong(outcome) {
  if (!outcome.wrong) return [];
  const where = outcome.blame && h("span", { class: "unit" }, BLAME[outcome.blame]);
  return [h("span", { class: "kind" }, outcome.wrong), where].filter(Boolean);
}

/** The probability of support, as a number and a meter. */
function support(outcome) {
  if (outcome.support === undefined) return null;
  const meter = h("span", { class: "track", "aria-hidden": "true" }, h("span", { class: "fill" }));
  meter.firstChild.style.inlineSize = `${outcome.support * 100}%`;
  return h("span", { class: "support" }, "support ", h("span", { class: "figure" }, number(outcome.support)), meter);
}

/** Who gave a verdict, in words. */
function origin(outcome) {
  if (outcome.kind) return `could not be judged: ${outcome.kind.replace("_", " ")}`;
  const { verifier, tier, cache, matched, similarity } = outcome.origin;
  const words = [`judged by ${verifier}`];
  if (tier !== undefined) words.push(`step ${tier + 1} of the cascade`);
  if (cache === "exact") words.push("from the cache");
  if (cache === "semantic") words.push(`from the cache, as the same as “${matched}” (similarity ${number(similarity)})`);
  return words.join(", ");
}
