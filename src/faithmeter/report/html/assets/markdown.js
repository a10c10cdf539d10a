// Markdown in answers and contexts, shown as such without changing a character: the marks are hidden, what they mark is
// styled. So every offset of a claim or a quote stays right, and "raw" is the same text with the marks shown.

const MARKDOWN = [
  { kind: "fence", pattern: /^(```[^\n]*\n)([\s\S]*?)(^```[ \t]*$)/gm, parts: ["mark", "pre", "mark"] },
  { kind: "heading", pattern: /^(#{1,6} +)([^\n]+)/gm, parts: ["mark", "heading"] },
  { kind: "bullet", pattern: /^([ \t]*)([-*+] )(?=\S)/gm, parts: ["", "bullet"] },
  { kind: "rule", pattern: /^(?:---+|\*\*\*+)[ \t]*$/gm, parts: [] },
  { kind: "code", pattern: /(`)([^`\n]+)(`)/g, parts: ["mark", "code", "mark"] },
  { kind: "strong", pattern: /(\*\*|__)(?=\S)([^\n]+?)(?<=\S)(\1)/g, parts: ["mark", "strong", "mark"] },
  { kind: "emphasis", pattern: /(?<![\w*])(\*|_)(?=[^\s*_])([^\n*_]+?)(?<=[^\s*_])(\1)(?![\w*])/g, parts: ["mark", "emphasis", "mark"] },
  { kind: "link", pattern: /(!?\[)([^\]\n]+)(\]\([^)\s]*\))/g, parts: ["mark", "link", "mark"] },
];
const LONGEST = 200_000; // characters: what is longer is shown raw

/** Where a text has Markdown: spans with what they are. */
function markdownMarks(text) {
  if (text.length > LONGEST) return [];
  const found = [];
  const taken = [];
  for (const { kind, pattern, parts } of MARKDOWN) {
    for (const match of text.matchAll(pattern)) {
      const end = match.index + match[0].length;
      if (taken.some((span) => match.index < span.end && span.start < end)) continue; // inside code, nothing else counts
      if (kind === "fence" || kind === "code") taken.push({ start: match.index, end });
      let at = match.index;
      parts.forEach((part, index) => {
        const length = (match[index + 1] || "").length;
        if (part && length) found.push({ start: at, end: at + length, part });
        at += length;
      });
    }
  }
  return found;
}

/** A piece of text with its Markdown: an element for each stretch that is marked. */
function styled(piece, marks) {
  const here = marks.filter((mark) => mark.start < (piece.end ?? piece.start + piece.text.length) && piece.start < mark.end)
    .map((mark) => ({ ...mark, start: Math.max(0, mark.start - piece.start), end: mark.end - piece.start }));
  if (!here.length) return [piece.text];
  return segments(piece.text, here).map(({ text, covering }) =>
    covering.length ? h("span", { class: covering.map(({ part }) => `md-${part}`).join(" ") }, text) : text);
}

/** A switch between rendered and raw, where there is Markdown at all. */
function markdownSwitch(view) {
  if (!view.marks().length && !view.details.contexts.some((context) => markdownMarks(context.text).length)) return null;
  const page = document.documentElement;
  const show = (raw) => {
    page.classList.toggle("md-raw", raw);
    button.setAttribute("aria-pressed", String(raw));
    memory.set("markdown", raw ? "raw" : "");
  };
  const button = h("button", { type: "button", class: "quiet small", on: { click: () => show(!page.classList.contains("md-raw")) } }, "Raw text");
  show(page.classList.contains("md-raw") || memory.get("markdown") === "raw");
  return button;
}

/** A sample as Markdown, for an issue or a message. */
function asMarkdown(view) {
  const { row, details, outcomes } = view;
  const lines = [`### ${row.id}: score ${number(row.score)}`, ""];
  if (row.question) lines.push(`**Question:** ${row.question}`, "");
  lines.push("**Answer:**", "", ...row.answer.split("\n").map((line) => `> ${line}`), "", "**Claims:**", "");
  for (const outcome of outcomes) {
    lines.push(`${outcome.index + 1}. ${BY_NAME[outcome.label].mark} ${BY_NAME[outcome.label].word}: ${outcome.text ?? "the whole answer"}`);
    if (outcome.reason) lines.push(`   - ${outcome.reason}`);
    for (const [context, start, end] of outcome.evidence) lines.push(`   - context ${context + 1}: “${details.contexts[context].text.slice(start, end)}”`);
  }
  return `${lines.join("\n")}\n`;
}
