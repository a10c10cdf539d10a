"""Sentences and words: tables of cases, and properties that hold for every text."""

from __future__ import annotations

import re
import string
import sys
import unicodedata
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from faithmeter import text as text_module
from faithmeter.text import Sentence, sentences, words

# A bar marks where one sentence ends and the next starts; the bars are not part of the text.
PROSE = [
    # ordinary prose, abbreviations, initials
    "He left. ¦She stayed.",
    "Sure! ¦Here is a summary of the passage.",
    "Really?! ¦No way!! ¦Yes.",
    "Dr. Smith met Mr. and Mrs. Jones at St. Mary's Hospital. ¦They spoke.",
    "J. R. R. Tolkien wrote The Hobbit. ¦It sold well.",
    "J.K. Rowling and George W. Bush met in Washington, D.C. last year. ¦It rained.",
    "He works at Acme Inc. ¦She left.",
    "He works at Acme Inc. in Ohio. ¦She left.",
    "He has a Ph.D. in physics. ¦She has an M.A. in history.",
    "The U.S. economy grew. ¦The U.K. did not.",
    "It opens at 5 p.m. ¦The store closes at 9 a.m. and stays shut.",
    "It is open from 7 a.m. to 3 p.m. Monday through Thursday, until 9 P.M. Fridays. ¦It is closed at 6 p.m. Sunday.",
    "He left at 5 p.m. ¦Sunday dinner was late. ¦The talk is at 5 p.m. May 3 and at 6 p.m. EST. ¦Snow fell at 6 p.m. ¦"
    "March was cold.",
    "Some fruits, e.g. apples, i.e. pomes, etc. are sweet. ¦Others are not.",
    "The plaintiff won Brown v. Board of Education. ¦It changed the law.",
    "He served in the diocese of Kansas City-St. Joseph. ¦He was found guilty.",
    "Lt. Col. Brown and Sgt. Pepper saw Gen. Lee. ¦They left.",
    "The Mt. Everest climb took 5 hrs. and cost 3 lbs. of weight. ¦It was worth it.",
    "Vitamin C helps. ¦So does vitamin D.",
    "This is plan B. ¦We go with it.",
    "No. ¦Flight AZ610 is on time.",
    "Is it late? ¦No. ¦Flight AZ610 is on time.",
    "He lives at No. 5. ¦No. 5 is old, and so is Channel No. Five.",
    "It costs €50 incl. VAT and excl. City tax. ¦Pay now.",
    "The limit is max. 5 GB. ¦Wait min. Two days. ¦It holds 9 GB max. ¦Then it stops.",
    "Yahoo! announced a merger. ¦Shares fell.",
    # numbers, units, dates
    "The value is 3.5 million. ¦It rose by 0.5% in 2019. ¦In 2020 it fell.",
    "It was sold in 2019. ¦50 people bought it.",
    "It costs $3.50. ¦That is cheap.",
    "Version 2.0.1 is out. ¦Python 3.11 is needed.",
    "No. 5 is alive. ¦See Vol. 3, pp. 4-7.",
    "Bake at 425° F. ¦Combine the flour and the salt.",
    "Heat 2 tsp. of olive oil. ¦Add 1 c. of rice and 3/4 tsp. each of cardamom and cinnamon. ¦Stir.",
    'The 5" screen is big. ¦It is 10" wide. ¦He likes it.',
    "He is 6' 2\" tall. ¦She is 5' 4\" tall. ¦They met.",
    "On Jan. 5 it snowed. ¦By Dec. 2010 it was gone.",
    "The router is at 192.168.1.1. ¦Log in there.",
    # references and citations
    "See Eq. (3) and Eq. 4 for details. ¦They hold.",
    "Figs. 3 and 4 show this. ¦See Fig. 2. ¦It is clear.",
    "As Smith et al. [12] show, it holds. ¦Good.",
    "Smith et al. (2020) agree. ¦Jones et al. do not.",
    "Sec. 4 and Ch. 3 explain it. ¦Ref. 7 does not.",
    "It was approx. 5 kg. ¦It fell.",
    "The sky is blue.[1] ¦Grass is green.",
    "The sky is blue. [1] ¦Grass is green. [2]",
    "The sky is blue.[1][2] ¦Grass is green.[3, 4] ¦Snow is white.[5-7] ¦Coal is black.",
    "The sky is blue [1]. ¦Grass is green [2].",
    "The sky is blue.¹ ¦Grass is green.",
    "The sky is blue.[citation needed] ¦Grass is green.",
    "Soybeans are 38% protein. (Passage 2) ¦They feed animals. (Source: document 3)",
    "She won prizes (Quebec, Canada, 2006) - and more (Latvia, 1999) - and left. ¦She stayed.",
    "In Lupin (1978) he is (Lawrence III) - a thief. ¦He stole.",
    # quotes and brackets
    '"Hello." ¦He left.',
    '"Hello," he said. ¦"Go."',
    'He said "No!" and left. ¦"Really?" she asked.',
    "“Hi.” ¦Then he left. ¦‘Bye.’ ¦She stayed.",
    'He said "It is. It was." ¦Then he left.',
    "(See above.) ¦Next comes this.",
    "He came (it was late. Very late) and left. ¦She stayed.",
    "It is so (see above.). ¦The next is not.",
    "The end.) ¦Next.",
    "Rock 'n' roll was big in the '90s. ¦It is not now.",
    "The dogs' owner left. ¦The cats' owner stayed.",
    "It holds if x < 5. ¦Then y > 3 holds. ¦Done.",
    'An unclosed "quote starts here. ¦It never ends. ¦Never.',
    # ellipses and continuations
    "Well... maybe. ¦Wait... ¦What?",
    "Wait… ¦What? ¦Well… no.",
    "Who? me. ¦Yes.",
    "It fell. ¦iPhone sales rose. ¦eBay did not.",
    "And ... then he left. ¦Fine.",
    # URLs, emails, code, glued sentences
    "Visit https://a.b.com/x?y=1. ¦Then go to www.foo.org/a.b?c=d. ¦Done.",
    "Write to j.smith@example.com. ¦She will answer.",
    "Use `os.path.join`. ¦Then call System.out.println now. ¦Done.",
    "Node.js and ASP.NET are old. ¦Go is not.",
    "This is the end of it.¦The next one has no space before it.",
    # informal text, smileys, emoji
    "great food. ¦we loved it! ¦service was slow. ¦will be back.",
    "Great food! :) ¦We loved it. 😀 ¦Bye.",
    # emphasis
    "**Note:** this is it. ¦**Bold** starts. ¦Then *this.* ¦Next.",
    "**Note.** This stays with its text. ¦Next.",
    "**The whole first sentence is bold.** ¦Next.",
    "__Name__: the text. ¦Next.",
    # other languages
    "¿Qué es? ¦¡Hola! ¦Es bueno.",
    "«Bonjour.» ¦Il est parti. ¦M. Dupont est resté.",
    "你好。¦世界很大！¦好吗？¦是的。",
    "他来了。¦他说：“我累了。” ¦然后走了。",
    "これは本です。¦「はい。」と言った。¦『そう。』¦次です。",
    "यह एक वाक्य है। ¦वह दूसरा है॥ ¦अंत।",
    "هل أنت بخير؟ ¦نعم۔ ¦شكرا.",
    "Բարեւ։ ¦Ինչպես ես։",
    "សួស្តី។ ¦អរគុណ។",
    "ကျေးဇူး။ ¦နေကောင်း။",
    "ሰላም። ¦እንዴት ነህ፧ ¦ደህና።",
    "Привет. ¦Как дела? ¦Он живёт в г. Москва. ¦Да.",
    "สวัสดีครับ ผมชื่อสมชาย",
    "𝐁𝐨𝐥𝐝 𝐭𝐞𝐱𝐭. 😀😀 ¦Next. ¦E\u0301te\u0301 arrive.",
]

# A text, and the kind and wording of each of its sentences.
BLOCKS: list[tuple[str, list[tuple[str, str]]]] = [
    ("", []),
    (" \n\t\r\n ", []),
    ("Paris", [("prose", "Paris")]),
    ("# Title #\nText.", [("heading", "Title"), ("prose", "Text.")]),
    ("## C#\nText.", [("heading", "C#"), ("prose", "Text.")]),
    ("#hashtag here", [("prose", "#hashtag here")]),
    ("Title\n=====\nText.", [("heading", "Title"), ("prose", "Text.")]),
    ("Title\n---\nText.", [("heading", "Title"), ("prose", "Text.")]),
    ("One.\n\n---\n\nTwo.\n* * *\nThree.", [("prose", "One."), ("prose", "Two."), ("prose", "Three.")]),
    ("- a\n- b. C.\n-\n* d", [("item", "a"), ("item", "b. C."), ("item", "d")]),
    ("• One.\n• Two.", [("item", "One."), ("item", "Two.")]),
    ("- [x] done\n- [ ] open", [("item", "done"), ("item", "open")]),
    (
        "1. First. It goes on.\n2) Second\n(3) Third",
        [("item", "First."), ("item", "It goes on."), ("item", "Second"), ("item", "Third")],
    ),
    ("1.", [("prose", "1.")]),
    ("1.\n2.\n-\n", []),
    ("The answer is:\n42.", [("heading", "The answer is:"), ("prose", "42.")]),
    ("3. Oktober 1990", [("prose", "3. Oktober 1990")]),
    ("4. Four\n5. Five", [("item", "Four"), ("item", "Five")]),
    (
        "1. One\n   1. Inner\n   2. More\n2. Two",
        [("item", "One"), ("item", "Inner"), ("item", "More"), ("item", "Two")],
    ),
    ("1. **Name**: text", [("item", "**Name**: text")]),
    ("**Paris**", [("prose", "**Paris**")]),
    ("**1.** Text", [("item", "Text")]),
    (
        "1. **Setup**: run it.\n   It takes\n   a minute.\n   - nested one\n   - nested two",
        [
            ("item", "**Setup**: run it."),
            ("item", "It takes\n   a minute."),
            ("item", "nested one"),
            ("item", "nested two"),
        ],
    ),
    ("a) alpha\nb) beta", [("item", "alpha"), ("item", "beta")]),
    ("i. one\nii. two\niii. three", [("item", "one"), ("item", "two"), ("item", "three")]),
    ("J. Smith wrote it.\n\nR. Jones read it.", [("prose", "J. Smith wrote it."), ("prose", "R. Jones read it.")]),
    ("[1] First source.\n[2] Second source.", [("item", "First source."), ("item", "Second source.")]),
    (
        "The steps are: 1. Do this. 2. Do that. 3. Done.",
        [("prose", "The steps are:"), ("item", "Do this."), ("item", "Do that."), ("item", "Done.")],
    ),
    ("1. One 2. Two 3. Three", [("item", "One"), ("item", "Two"), ("item", "Three")]),
    ("It has (1) cost, (2) time and (3) risk.", [("prose", "It has (1) cost, (2) time and (3) risk.")]),
    ("Choose: a) tea; b) milk.", [("prose", "Choose:"), ("item", "tea;"), ("item", "milk.")]),
    ("A. B. Cooper wrote. C. D. Miller read.", [("prose", "A. B. Cooper wrote."), ("prose", "C. D. Miller read.")]),
    ("Step 1. Do it. Step 2. Do that.", [("prose", "Step 1. Do it."), ("prose", "Step 2. Do that.")]),
    ("Do it now. • Serve food. • Check it.", [("prose", "Do it now."), ("item", "Serve food."), ("item", "Check it.")]),
    (
        "Honours. - A medal. - A star. Then more.",
        [("prose", p) for p in ("Honours.", "A medal.", "A star.", "Then more.")],
    ),
    ("Left • Right", [("prose", "Left • Right")]),
    ("**Overview**\nText.", [("heading", "**Overview**"), ("prose", "Text.")]),
    ("**Key points:**\n- one", [("heading", "**Key points:**"), ("item", "one")]),
    ("Key points:\n- one", [("heading", "Key points:"), ("item", "one")]),
    ("**It is raining.**", [("prose", "**It is raining.**")]),
    (
        "| Name | Price |\n|:-----|------:|\n| X | 3 |\n\nEnd.",
        [("heading", "Name | Price"), ("row", "X | 3"), ("prose", "End.")],
    ),
    ("Name | Price\n--- | ---\nX | 3", [("heading", "Name | Price"), ("row", "X | 3")]),
    ("City\tSize\nRome\t3\nOslo\t1", [("heading", "City\tSize"), ("row", "Rome\t3"), ("row", "Oslo\t1")]),
    ("P(A|B) is high.", [("prose", "P(A|B) is high.")]),
    (
        "Run:\n```python\nx = 1. Y\n\n- z\n```\nDone.",
        [("heading", "Run:"), ("code", "x = 1. Y\n\n- z"), ("prose", "Done.")],
    ),
    ("```\nnever closed. Really", [("code", "never closed. Really")]),
    ("````\n```\ninner\n````\nOut.", [("code", "```\ninner"), ("prose", "Out.")]),
    ("So:\n$$\nx = 1\n$$\nDone.", [("heading", "So:"), ("code", "x = 1"), ("prose", "Done.")]),
    ("> Quoted one. Quoted two.", [("prose", "Quoted one."), ("prose", "Quoted two.")]),
    ("> - item", [("item", "item")]),
    ("One line\ngoes on here. Next.", [("prose", "One line\ngoes on here."), ("prose", "Next.")]),
    ("First line here\nSecond line here", [("prose", "First line here"), ("prose", "Second line here")]),
    (
        "It was signed by the leader of the United\nStates and by the head of the United Kingdom\nthen. It held.",
        [
            (
                "prose",
                "It was signed by the leader of the United\nStates and by the head of the United Kingdom\nthen.",
            ),
            ("prose", "It held."),
        ],
    ),
    ("It grew to level\n3. Then it fell.", [("prose", "It grew to level\n3."), ("prose", "Then it fell.")]),
    ("Name: Ann\nCity: Rome", [("prose", "Name: Ann"), ("prose", "City: Rome")]),
    ("ประโยคแรก\nประโยคที่สอง", [("prose", "ประโยคแรก"), ("prose", "ประโยคที่สอง")]),
    (
        "One.\r\nTwo.\r\n\r\nThree.\rFour.\u2028Five.",
        [("prose", f"{n}.") for n in ("One", "Two", "Three", "Four", "Five")],
    ),
    ("Here is the list:\n\n* Rye\n* Oats", [("prose", "Here is the list:"), ("item", "Rye"), ("item", "Oats")]),
]

WORDS = [
    ("It's Peter's dogs' bowl, don't touch.", "It 's Peter 's dogs bowl don't touch"),
    ("l’homme d'Artagnan O'Brien", "l’homme d'Artagnan O'Brien"),
    ("3.5 1,000.50 2018-12-02 11:00-21:00 1/2/2020", "3.5 1,000.50 2018-12-02 11:00 21:00 1/2/2020"),
    ("$5 50% €3,5 5km 10GB 3rd 1990s", "$ 5 50 % € 3,5 5 km 10 GB 3rd 1990 s"),
    ("gluten-free COVID-19 snake_case H2O", "gluten free COVID 19 snake case H2O"),
    ("the U.S. at 5 p.m., e.g. now", "the U.S at 5 p.m e.g now"),
    ("naïve Ünïcödé e\u0301te\u0301", "naïve Ünïcödé e\u0301te\u0301"),
    ("हिन्दी में लिखा है।", "हिन्दी में लिखा है"),
    ("iPhone手机很好。", "iPhone 手 机 很 好"),
    ("テスト 서울은 수도", "テ ス ト 서울은 수도"),
    ("สวัสดี", "ส วั ส ดี"),
    ("می\u200cخواهم ١٢٣٫٤", "می\u200cخواهم ١٢٣٫٤"),
    ("-- __ ... 😀", ""),
]


def parts(text: str) -> list[str]:
    return [sentence.of(text) for sentence in sentences(text)]


@pytest.mark.parametrize("case", PROSE)
def test_prose_splits_where_the_bars_stand(case: str) -> None:
    assert parts(case.replace("¦", "")) == [part.strip() for part in case.split("¦")]


@pytest.mark.parametrize(("text", "expected"), BLOCKS)
def test_blocks_have_their_kind_and_lose_their_markers(text: str, expected: list[tuple[str, str]]) -> None:
    assert [(sentence.kind, sentence.of(text)) for sentence in sentences(text)] == expected


def test_a_long_quotation_does_not_hold_its_sentences_together() -> None:
    inside = "This sentence stands inside a quotation that goes on and on. " * 8
    text = f'He said: "{inside.strip()}" Then he left.'
    assert len(parts(text)) == 9
    assert parts(text)[-1] == "Then he left."


def test_a_paragraph_longer_than_the_window_splits_as_its_sentences_do() -> None:
    once = 'He said "yes" (twice) to Dr. Smith in 2019. She left at 5 p.m. on Monday.[1] It rained. '
    text = once * 800
    assert parts(text) == parts(once) * 800


def test_a_sentence_longer_than_the_window_stays_whole() -> None:
    text = "word " * 5000 + "end. Next one."
    assert [len(part) for part in parts(text)] == [len("word ") * 5000 + len("end."), len("Next one.")]


def test_the_language_is_passed_on() -> None:
    text = "Das ist z. B. gut. Ja."
    assert [s.of(text) for s in sentences(text, language="de")] == ["Das ist z. B. gut.", "Ja."]


@pytest.mark.parametrize(("text", "expected"), WORDS)
def test_words(text: str, expected: str) -> None:
    assert [word.of(text) for word in words(text)] == expected.split()


def test_mark_ranges_hold_every_mark_and_no_punctuation() -> None:
    for pair in text_module._MARK_RANGES.split():
        low, _, high = pair.partition("-")
        for code in range(int(low, 16), int(high or low, 16) + 1):
            assert unicodedata.category(chr(code))[0] in "MLNC", hex(code)
    joined = [chr(code) for code in range(0x10000) if unicodedata.category(chr(code))[0] == "M"]
    assert [mark for mark in joined if len(words(f"a{mark}b")) != 1] == []


# Text made of what splitters trip over, and text made of any characters at all.
TRICKY = st.lists(
    st.sampled_from(
        [
            *" \n\t.!?…。！？।؟:;,-*_#>|`~$\\/'\"“”‘’«»()[]{}<>0123aAbZ",
            "\r\n",
            "\n\n",
            "1. ",
            "a) ",
            "- ",
            "# ",
            "```\n",
            "[1]",
            "**",
            "| a | b |\n",
            "|---|---|\n",
            "Eq. ",
            "et al. ",
            "Mr. ",
            "word ",
            "Word ",
            "你好",
            "\u0301",
            "\u200b",
            "\u202e",
            "😀",
            "\ud800",
            "é. ",
            ":)",
            "(see a)",
            "Step 1. ",
            "Key: value\n",
            "\u2028",
            "\x85",
            "• ",
        ]
    ),
    max_size=40,
).map("".join)
ANY = st.one_of(TRICKY, st.text(), st.text(st.characters(codec=None)))

MARKER = re.compile(
    r"""(?:\s
      | [-*+•‣⁃◦▪▫■□●○·∙➢➤►–—](?=\s|\Z|[^\s]) | \#{1,6} | > | \| | [=_~:`-]+ | \[[ xX]\] | \*\* | __
      | \(?(?:\d{1,3}|[A-Za-z]|[ivxIVX]{2,5})[.)] | \[\d{1,3}\]:?
    )*\Z""",
    re.VERBOSE,
)


def gaps(text: str, found: list[Sentence]) -> list[str]:
    edges = [0, *(edge for sentence in found for edge in (sentence.start, sentence.end)), len(text)]
    return [text[start:end] for start, end in zip(edges[::2], edges[1::2], strict=True)]


@settings(max_examples=500)
@given(ANY)
@example("1. 1. 1. ")
@example(".\n>")
@example('"' * 50)
@example("\ud83d. \udc00? A")
@example("(a. [b. {c. “d. «e. ‘f.")
def test_sentences_are_ordered_trimmed_and_cover_the_text(text: str) -> None:
    found = sentences(text)
    assert found == sentences(text)
    last = 0
    for sentence in found:
        assert last <= sentence.start < sentence.end <= len(text)
        assert sentence.of(text) == sentence.of(text).strip() != ""
        assert sentence.kind in ("prose", "item", "heading", "row", "code")
        last = sentence.end
    fenced = re.search(r"(?m)^\s*(?:```|~~~|\$\$|\\\[)", text)  # a fence takes its info string along
    if not fenced:
        for gap in gaps(text, found):
            assert MARKER.match(gap), gap


@given(ANY)
def test_words_are_ordered_and_never_blank(text: str) -> None:
    last = 0
    for word in words(text):
        assert last <= word.start < word.end <= len(text)
        assert not any(char.isspace() for char in word.of(text))
        last = word.end


@given(st.text(string.printable))
def test_the_quick_pattern_for_ascii_finds_the_same_words(text: str) -> None:
    assert words(text) == [tuple(match.span()) for match in text_module._word().finditer(text)]


@given(st.text())
def test_every_letter_and_digit_lies_in_a_word(text: str) -> None:
    covered = {at for word in words(text) for at in range(word.start, word.end)}
    assert [char for at, char in enumerate(text) if char.isalnum() and at not in covered] == []


@given(
    st.lists(
        st.sampled_from(["He left.", "Is it so?", "No!", "The value is 3.5 kg.", "你好。"]), min_size=1, max_size=8
    )
)
def test_plain_sentences_come_back_from_any_white_space(given_sentences: list[str]) -> None:
    for space in (" ", "  ", "\n", "\n\n", " \t "):
        text = space.join(given_sentences)
        if space != " \t ":
            assert parts(text) == given_sentences


@pytest.mark.parametrize(
    "piece", ['"', "'", "[", "{", "(", "1. ", "….  ", '{"a":', "a. ", "|", "- ", "“a. ", "A\n", "`", "**a. "]
)
def test_work_grows_in_step_with_length(piece: str) -> None:
    """Counts lines of our code that run, not seconds."""

    def work(size: int) -> int:
        text = (piece * size)[:size]
        count = 0

        def trace(frame, event, arg):  # type: ignore[no-untyped-def]
            nonlocal count
            count += event == "line"
            return trace

        old = sys.gettrace()
        sys.settrace(trace)
        try:
            sentences(text)
        finally:
            sys.settrace(old)
        return count

    assert work(16_000) < 5 * work(4_000) + 1_000


def test_no_group_of_a_pattern_is_possessive() -> None:
    """Python before 3.11.5 loses its place when such a group fails half-way (python/cpython#106052)."""
    for path in Path(text_module.__file__).parent.rglob("*.py"):
        assert not re.search(r"\)(?:[*+?]|\{[\d,]+\})\+", path.read_text("utf-8")), path.name
