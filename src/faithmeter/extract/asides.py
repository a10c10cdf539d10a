"""What is not judged: a sentence is an aside only when nothing in it could be false.

Fails closed: an aside is a closed formula from start to end (see `aside_formulas`), a heading made of heading words,
code, a source under "Sources:", or a model's thinking before its answer. Whatever this file does not know is a claim.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache, cached_property, lru_cache
from itertools import pairwise

from faithmeter.extract import aside_formulas as formulas
from faithmeter.extract import questions
from faithmeter.text.english.word_tables import words

_LONGEST = 300  # characters; no formula is longer
_MOST_PIECES = 24
_MOST_UNKNOWN = 6  # a name has at most four words, a number of words one
_EMPHASIS = "*_#> \t\n"
_WORDLESS = re.compile(r"[\s!-/:-@\[-`{-~…–—•·“”‘’\U0001f600-\U0001f64f\U0001f44b]*")
_WORD = re.compile(r"[^\W_]+(?:'[a-z]+)?")
_RELUCTANT = ("unfortunately", "regrettably")  # alone, after "Does it contain nuts?", these mean yes or no
_ASKED = re.compile(r"\A(?:q|question):\s*", re.IGNORECASE)
_OPEN_QUESTION = re.compile(r"(?:how|what|which|who|whom|whose|when|where|why)\b[^?]*\?", re.IGNORECASE)
_SUFFIX = re.compile(r"(?<=[a-z]{3})(?:ing|ed|es|e|s)\Z")
_SMALL_WORDS = frozenset(
    words(
        "a an the of to in on for with from at by between into per as your you my i we their its his her this these "
        "any some and or is are was were be been do does did has have had can could will would should may might must "
        "not no never that if whether because since but it they he she there"
    )
)
# Headings: words that name a part of a text and say nothing about the world.
_HEADING_WORDS = frozenset(
    words(
        "a about access account action additional administration advanced advantages advice after alternative "
        "alternatives an analysis and answer answers appendix application applications applied approach architecture "
        "article as aspects assumptions at at-a-glance availability background basic basics before beginner being "
        "benefits best beyond big bonus bottom brief budget by care career case cases categories causes caveats "
        "challenges changes characteristics checklist childhood choosing citation citations clarification climate "
        "closing cold collection common community company comparison components concepts conclusion conclusions "
        "configuration cons considerations contact content contents context contraindications contributions "
        "controversies core cost costs countries coverage criteria cultural culture current customer daily data date "
        "dates death decision deep definition definitions delivery demographics dependencies deployment description "
        "design detailed details development diagnosis diet difference differences directions disadvantages "
        "discussion document dosage dosing drawbacks early ecology economic economics economy education effects "
        "eligibility environment equipment error evaluation evidence example examples exceptions executive exercises "
        "experience explained explanation facilities fact factors facts family faq faqs features fees final financial "
        "findings first five follow-up food for format formula four from full function functions further future "
        "general geography getting glance glossary goals guide guidelines habitat health hiring historical history "
        "hours how-to ideas identification impact implementation implications important in information ingredients "
        "initial inputs insights installation instructions insurance international interpretation introduction "
        "investigation issues items its journey key language late later legacy legal life limitation limitations "
        "limits line links list local location locations long-term lyrics main maintenance management marriage "
        "materials meaning measures mechanism mechanisms medical menu method methodology methods metrics milestones "
        "misconceptions mission model modern monitoring more name names nature nearby need next note notes number "
        "nutrition objective objectives observations of office on one opening operation optional options or order "
        "origin origins other our outcomes outline output outputs overall overview ownership packages part parts "
        "passage past people performance personal phase philosophy phone plan planning plans plot point points policy "
        "political politics possible potential practical practices precautions preparation prerequisites present "
        "prevention preventive price prices pricing privacy pro problem problems procedure procedures process "
        "products profile prognosis properties pros public publications purpose q&a qualifications question questions "
        "quick quotes range rates rating ratings reading reason reasoning reasons recap reception recipe "
        "recommendation recommendations recommended reference references refunds related release requirements "
        "research resources response responsibilities restrictions result results return returns review reviews risk "
        "risks role roles rules safety sample scenario schedule scope second section security see services serving "
        "set setup shipping short short-term side significance similarities size social solution solutions some "
        "source sources special specific specifications stages statistics status step step-by-step steps storage "
        "strategy strengths structure style subject suggested suggestions summary support symptoms syntax table "
        "takeaway takeaways tasks team technical techniques technology term terminology terms text the themes theory "
        "things third three time timeline tips title tools top topic tourism traditional transport treatment "
        "treatments trivia troubleshooting two types typical uncertainty understanding up usage use user uses "
        "variations version versions visitor vs warning warnings warranty ways weaknesses weather what's when-to why "
        "with year your asked frequently started refund"
    )
)
_ANSWER_WORDS = frozenset(
    words(
        "yes no true false correct incorrect wrong right approved denied rejected accepted allowed forbidden "
        "prohibited recommended safe unsafe none never always impossible dead deceased legal illegal confirmed "
        "cancelled free one two three four five"
    )
)
_NUMBERING = re.compile(r"(?:\d{1,2}(?:\.\d{1,2}){0,9}[.):]?|[ivxIVX]{1,4}[.)]|[A-Da-d][.)])\s+")
_PART_NUMBER = re.compile(
    r"\b(passage|step|part|section|phase|method|option|day|week|example|chapter|appendix|question|document|source|"
    r"context) (?:\d{1,2}|[a-d]|one|two|three)\b",
    re.IGNORECASE,
)
_NAMED_LAST = re.compile(r"\b(?:of|for|about|with|in)\W+\w+\Z", re.IGNORECASE)
_JOINS = frozenset(
    words("a an the of to in on for with from at by and or vs about before after as your our its beyond")
)
_VERBS = frozenset(words("need set support return release present review design name order plan risk impact see care"))
_CELL = re.compile(r"[|\t]")

# Code: signs that prose does not have, or a command, and no run of plain words.
_CODE_SIGN = re.compile(
    r"[{}\[\];=<>\\$_|]|\w\(|\)\s*:?\Z|::|->|(?:^|\s)--?\w|(?:^|\s)\.{0,2}/\w|\A[)\]}]|\A@\w|\A\w+:\Z"
)
_COMMAND = re.compile(
    r"(?:\$ |> |sudo )?(?:pip3?|npm|npx|yarn|git|docker|kubectl|curl|wget|apt|apt-get|brew|conda|uv|cd|ls|mkdir|cp|mv|"
    r"rm|cat|echo|python3?|node|make|cargo|go|ssh|helm|terraform|faithmeter|import|from|return|else|try|pass|break|"
    r"continue|end|fi|done)(?: [\w./:@=~-]+){0,3}"
)
_SQL = re.compile(
    r"(?:SELECT|FROM|WHERE|INSERT INTO|UPDATE|DELETE FROM|JOIN|LEFT JOIN|INNER JOIN|GROUP BY|ORDER BY|SET|VALUES|LIMIT|"
    r"HAVING|CREATE TABLE|ALTER TABLE|DROP TABLE|AND|OR|ON)\b(?: ?[\w.*,()='%<>-]++(?: [\w.*,()='%<>-]++){0,11})?;?"
)
_PROSE_RUN = re.compile(r"(?<![a-z'’])(?:[A-Za-z][a-z'’]*+[ ,]++){3}[A-Za-z][a-z'’]")
_FIELD = re.compile(r"[-{\[]?\s*+[\"']?[\w .-]++[\"']?\s*+:\s*+[^\s{\[(].*")

_SOURCES = re.compile(
    r"(?:(?:main |key |external )?(?:sources?|references?|citations?|bibliography|further reading|works cited|links|"
    r"source files?|source documents?|documents (?:used|cited)|see also|read more))(?: used| cited)?\s*:?",
    re.IGNORECASE,
)
# Atomic groups: a part once read is not read another way, so that a long line costs no more than its length.
_SOURCE = (
    r"(?>(?:\[?\(?\d{1,3}[\]).:]*\s+)?[<(`\"]*(?:https?://[^\s<>\"]++|www\.[^\s<>\"]++|"
    r"(?>[\w./@%+-]+\.(?:pdf|md|txt|html?|docx?|xlsx?|csv|json|xml|pptx?|rst|ya?ml|py|ipynb|log|eml|org|com|net|gov|edu)"
    r"(?:/[^\s<>\"]*+)?(?![\w?&=#])))[>)`\"]*"
    r"(?:,? \(?(?:p|pp|page|pages|section|sec|line|lines|chunk|para)\.? ?\d+(?:[–-]\d+)?\)?)?)"
)
_SOURCE_LIST = re.compile(rf"{_SOURCE}(?:(?:[,;]| and|\s)\s*+{_SOURCE})*+[.;,]?")
_TAGS = re.compile(r"(?:\s*+</?(?:answer|final_answer|response|output|result)>)+\s*", re.IGNORECASE)
_THINKING = re.compile(r"(?:\s*<(think|thinking|reasoning)>(?:(?!<\1>).)*?</\1>)+", re.DOTALL | re.IGNORECASE)


@cache
def _pattern(formula: str) -> re.Pattern[str]:
    """Compile a formula when it is first needed."""
    return re.compile(f"(?:{formula}){formulas.END}", re.IGNORECASE)


def thinking(answer: str) -> int:
    """Return where a model's thinking before its answer ends: 0 without any, or if it is never closed."""
    match = _THINKING.match(answer)
    return match.end() if match else 0


class Asides:
    """Tells asides from claims in the answer to one question."""

    def __init__(self, question: str | None) -> None:
        self._question = (question or "").replace("’", "'")
        self._asks_whether = questions.asks_whether(self._question)
        self._offers_choice = questions.offers_choice(self._question)
        self._asks_for_part = questions.asks_for_part(self._question)

    def formula(self, text: str, *, replies: bool = False) -> str | None:
        """Return what kind of formula a sentence is, or None if it may claim something.

        `replies` says that it stands after a question of the answer's own, where "Absolutely!" means yes.
        """
        plain = text.replace("’", "'").strip(_EMPHASIS)
        if _WORDLESS.fullmatch(plain) or _TAGS.fullmatch(text):
            return "no_claim"
        if len(plain) > _LONGEST or "§" in plain or "¤" in plain:
            return None
        if self._asks_whether and plain.rstrip(".!… ").casefold() in _RELUCTANT:
            return None
        if self._repeats_the_question(plain):
            return "question"
        plain = " ".join(plain.split())
        unknown = [word for word in _WORD.findall(plain.casefold()) if word not in _formula_words()]
        if len(unknown) > _MOST_UNKNOWN and not self._asked:
            return None
        based = formulas.BASED.sub("¤", plain)
        for wording in dict.fromkeys((plain, based, self._echoed(based, _formula_words()), self._echoed(based))):
            if kind := self._pieces(wording, replies=replies):
                return kind
        return None

    def _repeats_the_question(self, plain: str) -> bool:
        """Say whether a sentence is the user's open question; what the user stated is a claim when repeated."""
        asked = _ASKED.sub("", plain)
        return _OPEN_QUESTION.fullmatch(asked) is not None and _folded(asked) == _folded(self._question)

    def heading(self, text: str) -> bool:
        """Say whether a heading or the head of a table only names what stands below it."""
        plain = text.replace("’", "'").strip(_EMPHASIS)
        if self.formula(plain) or self.formula(plain.rstrip(":*_ ") + ":"):
            return True
        return all(self._names(cell.strip(_EMPHASIS), label=plain[-1:] == ":") for cell in _CELL.split(plain))

    def _names(self, title: str, *, label: bool) -> bool:
        """Say whether a title has only heading words, words of the question, and at most one other word."""
        if self._asks_for_part and _PART_NUMBER.search(title):
            return False
        title = _PART_NUMBER.sub(r"\1", _NUMBERING.sub("", title, count=1)).rstrip(":*_ ")
        title_words = re.findall(r"[\w'&-]+", title.casefold())
        own = [word for word in title_words if word not in _HEADING_WORDS and word not in self._said]
        if self._offers_choice and not self._own_words.isdisjoint(title_words):
            return False  # it may be what was chosen
        if "?" in title or not title_words or any(map(str.isdigit, "".join(own))) or not _ANSWER_WORDS.isdisjoint(own):
            return False
        if self._may_state(title_words) or (len(title_words) == 1 and title_words[0] in _ANSWER_WORDS):
            return False
        # One unknown word is a name ("Side effects of ibuprofen"); alone it could be the answer, unless it is a label.
        named = (len(title_words) == 1 and label) or _NAMED_LAST.search(title) is not None
        return not own or (len(own) == 1 and named)

    def _may_state(self, title_words: list[str]) -> bool:
        """Say whether the words of a title may be a clause: one of them, followed by no small word, may be its verb."""
        for at, (word, after) in enumerate(pairwise(title_words)):
            if word in _JOINS or after in _JOINS:
                continue
            if word not in _HEADING_WORDS and after not in _HEADING_WORDS:
                return True
            if at > 0 and (word not in _HEADING_WORDS or word.endswith("s") or word in _VERBS):
                return True
        return False

    @cached_property
    def _said(self) -> frozenset[str]:
        """The user's words that are no answer: none if the user asks whether something is so."""
        return frozenset() if self._asks_whether else self._own_words

    @cached_property
    def _own_words(self) -> frozenset[str]:
        return frozenset(_WORD.findall(self._question.casefold())) - _SMALL_WORDS

    @property
    def _words_may_answer(self) -> bool:
        return self._asks_whether or self._offers_choice

    @cached_property
    def _asked(self) -> frozenset[str]:
        return frozenset(map(_stem, _WORD.findall(self._question.casefold()))) - _SMALL_WORDS

    def _echoed(self, text: str, kept: frozenset[str] = frozenset()) -> str:
        """Put § for the user's own words, except those to keep, and for the small words between them."""
        if not self._asked:
            return text

        def mark(word: re.Match[str]) -> str:
            folded = word[0].casefold()
            return "§" if _stem(folded) in self._asked and folded not in kept else word[0]

        return formulas.ECHO.sub("§", _WORD.sub(mark, text))

    def _pieces(self, text: str, *, replies: bool) -> str | None:
        """Return the kind of a sentence that is one formula, or several in a row."""
        cuts = [(0, 0)]
        cuts += [link.span() for link in formulas.LINK.finditer(text) if link.start() > 0 and link.end() < len(text)]
        cuts += [(len(text), len(text))]
        if len(cuts) > 2 * _MOST_PIECES:
            return None
        # kinds[i]: the kinds of the formulas up to cut i, None if none lead there
        reached: list[frozenset[str] | None] = [frozenset()] + [None] * (len(cuts) - 1)
        for stop in range(1, len(cuts)):
            for start in range(stop):
                before = reached[start]
                if before is None:
                    continue
                greets = start == 0 and not replies and not self._asks_whether
                kind = self._piece(text, cuts[start][1], cuts[stop][0], greets=greets)
                if kind:
                    reached[stop] = before | {kind}
                    break
        kinds = reached[-1]
        if not kinds:
            return None
        return next(kind for kind in ("refusal", "question", "lead_in", "greeting") if kind in kinds)

    def _piece(self, text: str, start: int, end: int, *, greets: bool) -> str | None:
        for kind, formula in _kinds(label=text.rstrip("*_ ")[-1:] == ":", affirms=greets):
            if _pattern(formula).fullmatch(text, start, end):
                if "§" in text[start:end] and self._words_may_answer and kind != "refusal":
                    continue  # "Here is how vaccines cause autism" when the user asked whether they do
                if self._asks_for_part and _PART_NUMBER.search(text, start, end):
                    continue  # "Option B:" when the user asked which option is right
                return kind
        return None


def _kinds(*, label: bool, affirms: bool) -> Iterator[tuple[str, str]]:
    if affirms:
        yield "greeting", formulas.AFFIRMATION
    yield "greeting", formulas.GREETING
    yield "greeting", formulas.SORRY
    yield "refusal", formulas.REFUSAL
    yield "question", formulas.QUESTION
    yield "lead_in", formulas.LEAD_IN
    if label:
        yield "lead_in", formulas.LABEL


@cache
def _formula_words() -> frozenset[str]:
    """Words that formulas are made of; they stay as they are where the user said them too."""
    said = " ".join(formula for _, formula in _kinds(label=True, affirms=True))
    return frozenset(re.findall(r"[a-z]+", said)) - frozenset(words("how what which who when where why"))


def code(text: str) -> Iterator[tuple[int, int, bool]]:
    """Yield the parts of a fenced block as start, end, and whether the part is code; the rest is prose or data."""
    lines = [(match.start(), match.end(), _is_code(match[0].strip())) for match in re.finditer(r"\S.*\S|\S", text)]
    runs = [0, *(at for at, (a, b) in enumerate(pairwise(lines), 1) if not (a[2] and b[2])), len(lines)]
    for first, stop in pairwise(runs):
        yield lines[first][0], lines[stop - 1][1], lines[first][2]


def _is_code(line: str) -> bool:
    if _WORDLESS.fullmatch(line) or _COMMAND.fullmatch(line):
        return True
    if _PROSE_RUN.search(line):
        return False
    return _SQL.fullmatch(line) is not None or (_FIELD.fullmatch(line) is None and _CODE_SIGN.search(line) is not None)


def is_sources_label(text: str) -> bool:
    """Say whether a line announces sources."""
    return _SOURCES.fullmatch(text.strip(_EMPHASIS)) is not None


def is_source(text: str) -> bool:
    """Say whether a line is a bare address or file name, or several."""
    return _SOURCE_LIST.fullmatch(text.strip(_EMPHASIS)) is not None


def cites(text: str) -> bool:
    """Say whether a line is "Sources:" and bare addresses or file names."""
    label, _, rest = text.partition(":")
    return is_sources_label(label) and is_source(rest.strip())


@lru_cache(maxsize=1 << 14)
def _stem(word: str) -> str:
    return _SUFFIX.sub("", word)


def _folded(text: str) -> str:
    return " ".join(_WORD.findall(text.casefold()))
