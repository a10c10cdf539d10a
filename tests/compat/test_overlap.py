"""Word overlap: continuous-eval's numbers against its own and against naive references, and the best window."""

from __future__ import annotations

import json
import math
import re
import string
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from faithmeter.compat.continuous_eval import char_ngrams, nltk_tokens
from faithmeter.compat.continuous_eval.overlap import Reference
from faithmeter.text.english.word_tables import STOP_WORDS
from faithmeter.verify.window import ContextIndex, Metric, Window, best_window

# Our own sentences; the numbers are what continuous-eval 0.3.14 printed, and NLTK 3.9.1 for the 0.2 tokens.
OWN = json.loads((Path(__file__).parent / "golden_overlap.json").read_text("utf-8"))
METRICS: list[Metric] = ["rouge", "tokens", "bleu"]


def close(scores: Sequence[float], expected: Sequence[float]) -> bool:
    """Equal to 1e-9, and relatively so where a number is tiny."""
    return all(
        math.isclose(one, other, rel_tol=1e-9, abs_tol=0) for one, other in zip(scores, expected, strict=True)
    ) and all(abs(one - other) < 1e-9 for one, other in zip(scores, expected, strict=True))


@pytest.fixture(scope="module")
def golden(shared_data: Path) -> list[dict[str, Any]]:
    cases: list[dict[str, Any]] = json.loads((shared_data / "golden" / "overlap.json").read_text("utf-8"))
    return cases


@pytest.mark.parametrize("case", OWN, ids=lambda case: case["sentences"][0][:30])
def test_own_cases_get_continuous_evals_numbers(case: dict[str, Any]) -> None:
    reference = Reference(case["contexts"])
    sentences = case["sentences"]
    assert close(reference.rouge_l(sentences), case["rouge"])
    assert close(reference.token_overlap(sentences), case["tokens_0_2"])
    assert close(reference.token_overlap(sentences, tokens="0.3"), case["tokens_0_3"])
    assert close(reference.bleu(sentences), case["bleu"])


def test_every_golden_case_gets_continuous_evals_numbers(golden: list[dict[str, Any]]) -> None:
    for case in golden:
        reference, sentences, expected = Reference(case["contexts"]), case["sentences"], case["continuous_eval_0_3"]
        overlap = reference.token_overlap(sentences, tokens="0.3")
        assert close(reference.rouge_l(sentences), expected["rouge_p_by_sentence"])
        assert close(overlap, expected["token_overlap_p_by_sentence"])
        assert close(reference.bleu(sentences), expected["bleu_score_by_sentence"])


def test_the_documented_tokens_need_no_punkt_model_for_nearly_all_sentences(golden: list[dict[str, Any]]) -> None:
    same = [
        close([score], [expected])
        for case in golden
        for score, expected in zip(
            Reference(case["contexts"]).token_overlap(case["sentences"]),
            case["token_overlap_p_by_sentence_0_2"],
            strict=True,
        )
    ]
    assert sum(same) / len(same) >= 0.99


def test_order_counts_within_a_part() -> None:
    sentence, reference = "The cat cannot sit.", Reference(["The dog can sit. A cat cannot."])
    assert reference.rouge_l([sentence, "sit cannot The", "sit The"]) == [
        4 / 4,
        2 / 3,
        1 / 2,
    ]  # the first from two parts
    assert reference.token_overlap([sentence]) == [6 / 6]
    assert reference.token_overlap(["A bird cannot sit!"], tokens="0.3") == [3 / 4]


@pytest.mark.parametrize("contexts", [[], [""], ["..."], [" "], ["", "\n"]])
@pytest.mark.parametrize("sentence", ["", " ", ".", "?!", "A word.", "\0"])
def test_nothing_to_compare_scores_nothing(sentence: str, contexts: list[str]) -> None:
    reference = Reference(contexts)
    assert all(0 <= score <= 1 for score in reference.rouge_l([sentence, sentence]))
    assert reference.token_overlap(["A word."], tokens="0.3") == [0]
    assert reference.token_overlap(["A word"]) == [0]
    assert all(0 <= score <= 1 for score in reference.bleu([sentence, sentence]))
    assert reference.bleu([]) == []


# --- ROUGE-L


def naive_path(context: list[str], sentence: list[str]) -> set[str]:
    """The table and the backtrack as section 2 of the reference describes them."""
    table = [[0] * (len(sentence) + 1) for _ in range(len(context) + 1)]
    for i, word in enumerate(context, 1):
        for j, other in enumerate(sentence, 1):
            table[i][j] = table[i - 1][j - 1] + 1 if word == other else max(table[i - 1][j], table[i][j - 1])
    i, j, found = len(context), len(sentence), set()
    while i and j:
        if context[i - 1] == sentence[j - 1]:
            i, j = i - 1, j - 1
            found.add(context[i])
        elif table[i - 1][j] > table[i][j - 1]:
            i -= 1
        else:
            j -= 1
    return found


def naive_rouge(sentence: str, context: str) -> float:
    if all(character in string.punctuation for character in sentence):
        return 0.0
    parts = [[" ".join(part.split()).split(" ") for part in text.split(".") if part] for text in (sentence, context)]
    union = set().union(*(naive_path(there, here) for here in parts[0] for there in parts[1]))
    return len(union) / len({word for part in parts[0] for word in part})


@given(st.text("abcdef. ,", max_size=40), st.text("abcdef. \n", max_size=120))
def test_rouge_walks_the_same_path_as_the_table(sentence: str, context: str) -> None:
    spread_out = [" ".join(text) for text in (sentence, context)]
    assert Reference([context]).rouge_l([sentence])[0] == naive_rouge(sentence, context)
    assert Reference([spread_out[1]]).rouge_l([spread_out[0]]) == [naive_rouge(*spread_out)]


def test_thousands_of_words_without_a_full_stop_are_no_trouble() -> None:
    words = [f"w{number}" for number in range(6000)]
    assert Reference([" ".join(words)]).rouge_l([" ".join(words[::2])]) == [1]
    assert Reference([" ".join(words)]).rouge_l([" ".join(reversed(words))]) == [1 / 6000]


# --- tokens


@pytest.mark.parametrize(
    ("sentence", "tokens"),  # what NLTK 3.9.1 answers
    [
        (
            "Good muffins cost $3.88 (about 3,36 euros) in New York.",
            ["Good", "muffins", "cost", "$", "3.88", "(", "about", "3,36", "euros", ")", "in", "New", "York", "."],
        ),
        (
            "He said: \"It's 5 o'clock, isn't it?\"",
            ["He", "said", ":", "``", "It", "'s", "5", "o'clock", ",", "is", "n't", "it", "?", "''"],
        ),
        (
            "'Tis the dogs' day; 'twas mine.",
            ["'T", "is", "the", "dogs", "'", "day", ";", "'t", "was", "mine", "."],
        ),
        (
            "I cannot, won't and shan't -- wanna bet?",
            ["I", "can", "not", ",", "wo", "n't", "and", "sha", "n't", "--", "wan", "na", "bet", "?"],
        ),
        (
            "They'll've left... by 9:30, e.g. on foot.",
            ["They'll", "'ve", "left", "...", "by", "9:30", ",", "e.g.", "on", "foot", "."],
        ),
        (
            "``Quoted'' text and «guillemets» and “curly” ones.",
            ["``", "Quoted", "''", "text", "and", "«", "guillemets", "»", "and", "“", "curly", "”", "ones", "."],
        ),
        ("Mail a@b.org #1 & 50% off*!", ["Mail", "a", "@", "b.org", "#", "1", "&", "50", "%", "off", "*", "!"]),
        (
            "rock 'n' roll, 'em and d'ye more'n",
            ["rock", "'n", "'", "roll", ",", "'em", "and", "d", "'ye", "more", "'n"],
        ),
        ("Ends with a bracket (so.)", ["Ends", "with", "a", "bracket", "(", "so", ".", ")"]),
        (
            "A\n\"line\" break, a 'quoted x' and x's'",
            ["A", "''", "line", "''", "break", ",", "a", "'quoted", "x", "'", "and", "x's", "'"],
        ),
        ("Gimme the U.S. figures.", ["Gim", "me", "the", "U.S.", "figures", "."]),
        ("...", ["..."]),
        ("", []),
    ],
)
def test_word_tokens_are_nltks(sentence: str, tokens: list[str]) -> None:
    assert nltk_tokens.nltk_words(sentence) == tokens
    assert nltk_tokens.nltk_vocabulary([sentence]) == set(tokens)


ODD_TEXT = st.lists(
    st.sampled_from(
        [*" '\"`.,:;?!()[]{}<>«»“”‘’„*@#$%&-15\n\txsé", "''", "--", "..", "cannot", "n't", "'s", "U.S.", " "]
    )
).map("".join)


@given(ODD_TEXT)
def test_chunk_by_chunk_gives_what_the_whole_sentence_gives(sentence: str) -> None:
    assert nltk_tokens.nltk_words(sentence) == nltk_tokens._cascade(sentence)


@given(st.lists(ODD_TEXT))
def test_the_vocabulary_is_the_set_of_the_words(sentences: list[str]) -> None:
    assert nltk_tokens.nltk_vocabulary(sentences) == {
        token for one in sentences for token in nltk_tokens.nltk_words(one)
    }


@pytest.mark.parametrize(
    ("text", "sentences"),  # what Punkt's English model answers
    [
        ("Mr. Fox met Dr. J. R. Hare in the U.S. on Oct. 3. It rained.", 2),
        ("He left the U.S. The rest stayed.", 2),
        ("Is it 3.5 or 4? Nobody knows! (Not even us.) Go on.", 4),
        ('"Stop!" he said. "Why?"', 3),
        ("It was 1999. then nothing", 1),
        ("So... what now? well", 2),
        ("one line\nanother line\n", 1),
        ("  \n", 0),
    ],
)
def test_sentences_end_where_punkt_ends_them(text: str, sentences: int) -> None:
    assert len(nltk_tokens.punkt_sentences(text)) == sentences


@given(ODD_TEXT)
def test_sentences_lose_nothing_but_white_space(text: str) -> None:
    found = nltk_tokens.punkt_sentences(text)
    assert "".join("".join(found).split()) == "".join(text.split())


def naive_plain_tokens(text: str) -> list[str | float]:
    kept = "".join(character for character in text.lower() if character not in string.punctuation).split()
    spaced = f" {' '.join(word for word in kept if word not in STOP_WORDS)} "
    for one, two in [("can", "not"), ("gim", "me"), ("gon", "na"), ("got", "ta"), ("lem", "me")]:
        spaced = re.sub(rf"(?i)\b({one})({two})\b", r" \1 \2 ", spaced)
    spaced = re.sub(r"(?i)\b(wan)(na)(?=\s)", r" \1 \2 ", spaced)
    number = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?")
    return [float(word) if number.fullmatch(word) else word for word in spaced.split()]


@given(
    st.lists(
        st.sampled_from(["cannot", "wanna", "wanna—", "—gonna,", "the", "5.0", "1e3", "1e", "٣", "x-y", "gımme", "A"])
    ),
    st.sets(st.sampled_from(["can", "not", "5", "50", "1000", "wan", "a", "3", "xy", "gon", "gım"])),
)
def test_plain_tokens_are_cut_as_described(sentence: list[str], context: set[str]) -> None:
    expected = naive_plain_tokens(" ".join(sentence))
    shared = set(expected) & set(naive_plain_tokens(" ".join(context)))
    score = Reference([" ".join(context)]).token_overlap([" ".join(sentence)], tokens="0.3")[0]
    assert score == (len(shared) / len(expected) if expected else 0)


def test_a_splitter_decides_where_context_tokens_end() -> None:
    context = "We saw New York. and left"
    assert Reference([context]).token_overlap(["York"]) == [1]
    assert Reference([context], splitter=lambda text: [text]).token_overlap(["York"]) == [0]


# --- BLEU


def naive_bleu(sentence: str, context: str) -> float:
    logs = []
    for order in range(1, 5):
        here, there = (
            Counter(text[at : at + order] for at in range(len(text) - order + 1)) for text in (sentence, context)
        )
        shared = sum(min(count, there[gram]) for gram, count in here.items())
        if order == 1 and not shared:
            return 0.0
        logs.append(0.25 * math.log(shared / max(1, here.total()) if shared else sys.float_info.min))
    penalty = 1 if len(sentence) > len(context) else math.exp(1 - len(context) / len(sentence))
    return penalty * math.exp(math.fsum(logs))


@given(
    st.lists(st.one_of(st.text("ab \0"), st.text(st.characters(exclude_categories=())))),
    st.one_of(st.text("ab \0"), st.text(st.characters(exclude_categories=()))),
)
def test_bleu_counts_characters_as_described(sentences: list[str], context: str) -> None:
    assert close(Reference([context]).bleu(sentences), [naive_bleu(sentence, context) for sentence in sentences])


def test_bleu_has_a_way_for_more_characters_than_fit() -> None:
    sentence = "".join(map(chr, range(0x10000, 0x1C000)))
    context = sentence[:5] + sentence[10:20] * 2
    assert char_ngrams.clipped_matches([sentence], context) == [[15, 13, 11, 9]]
    assert char_ngrams.clipped_matches([sentence[:30]], context) == [[15, 13, 11, 9]]


# --- the best window

TOWER = "The Eiffel Tower in Paris is 330 metres tall. It opened to the public on 15 May 1889."
FILLER = " ".join(
    f"In {year} the city council met {year % 7} times about the parks of Rome." for year in range(1200, 2100)
)


def window(claim: str, *contexts: str, metric: Metric = "rouge") -> Window | None:
    return best_window(claim, [ContextIndex(context) for context in contexts], metric=metric)


@pytest.mark.parametrize("metric", METRICS)
def test_a_quotation_scores_one_however_long_the_context(metric: Metric) -> None:
    context = f"{FILLER} {TOWER} {FILLER}"
    found = window("“It opened to the public, on 15 May 1889!”", FILLER, context, metric=metric)
    assert found is not None
    assert (found.context, found.score, found.gaps) == (1, 1.0, ())
    assert context[found.start : found.end] == "It opened to the public on 15 May 1889"


@pytest.mark.parametrize("metric", METRICS)
def test_words_strewn_over_a_long_context_support_nothing(metric: Metric) -> None:
    claim = "Wolves chased seven red foxes north"
    context = " ".join(f"{word} stands {' '.join(f'far{n}' for n in range(30))} apart." for word in claim.split())
    joined = Reference([context])
    assert joined.token_overlap([claim]) == joined.rouge_l([claim]) == [1]
    found = window(claim, context, metric=metric)
    assert found is not None
    assert found.score <= 1 / 3


def test_case_width_and_punctuation_do_not_count() -> None:
    found = window("THE ＥＩＦＦＥＬ tower — IN Paris: is 330 metres tall", TOWER)
    assert found is not None
    assert found.score == 1


def test_a_window_lies_in_one_context() -> None:
    split = window("The Eiffel Tower opened in 1889", "The Eiffel Tower is tall", "It opened in 1889")
    whole = window("The Eiffel Tower opened in 1889", TOWER)
    assert split is not None
    assert whole is not None
    assert split.score < whole.score


def test_gaps_are_the_words_the_window_lacks() -> None:
    claim = "The Eiffel Tower in Rome is 324 metres tall"
    found = window(claim, TOWER)
    assert found is not None
    assert [claim[start:end] for start, end in found.gaps] == ["Rome", "324"]


def test_function_words_weigh_a_quarter_but_negations_do_not() -> None:
    wanted = "the tower is not of glass"  # the, is, of: 1 each; tower, not, glass: 4 each
    scores = [window(wanted, context, metric="tokens") for context in ("tower glass", "the is of", "not")]
    assert [found.score for found in scores if found] == [8 / 15, 3 / 15, 4 / 15]


@pytest.mark.parametrize("metric", METRICS)
def test_nothing_in_common_is_no_window(metric: Metric) -> None:
    assert window("bananas", TOWER, metric=metric) is None
    assert window("?!", TOWER, "", metric=metric) is None
    assert window("", metric=metric) is None


def test_order_counts_for_rouge_and_runs_count_for_bleu_only() -> None:
    claim, shuffled = "wolves chased seven red foxes north", "north foxes red seven chased wolves"
    scores = {metric: window(claim, shuffled, metric=metric) for metric in METRICS}
    assert {metric: found and round(found.score, 2) for metric, found in scores.items()} == {
        "rouge": 0.17,
        "tokens": 1.0,
        "bleu": 0.3,  # (6/6 * 1/6 * 1/5 * 1/4) ** (1/4)
    }


WORDS = st.lists(st.sampled_from(["the", "of", "red", "fox", "runs", "not", "x", "z"]), max_size=12)


def weight(word: str) -> int:
    return 1 if word in ("the", "of") else 4


def weighted_lcs(one: Sequence[str], other: Sequence[str]) -> int:
    row = [0] * (len(other) + 1)
    for word in one:
        above = row
        row = [0]
        for place, candidate in enumerate(other):
            diagonal = above[place] + weight(word) * (word == candidate)
            row.append(max(diagonal, above[place + 1], row[place]))
    return row[-1]


@given(WORDS.filter(bool), WORDS)
def test_rouge_is_a_weighted_subsequence_of_a_short_context(claim: list[str], context: list[str]) -> None:
    context = context[: 2 * len(claim)]  # short enough for one window, but for light words around it
    found = window(" ".join(claim), " ".join(context))
    whole = weighted_lcs(claim, context) / sum(map(weight, claim))
    score = found.score if found else 0.0
    assert score <= whole
    full = [place for place, word in enumerate(context) if word in claim and weight(word) == 4]
    inner = context[full[0] : full[-1] + 1] if full else context
    assert score >= weighted_lcs(claim, inner) / sum(map(weight, claim))


def naive_score(claim: Sequence[str], quote: Sequence[str], metric: Metric) -> float:
    if metric == "rouge":
        return weighted_lcs(claim, quote) / sum(map(weight, claim))
    if metric == "tokens":
        return sum(map(weight, (Counter(claim) & Counter(quote)).elements())) / sum(map(weight, claim))
    shares = []
    for order in range(1, min(4, len(claim)) + 1):
        here, there = (Counter(zip(*(side[n:] for n in range(order)), strict=False)) for side in (claim, quote))
        shares.append(((here & there).total() + (order > 1)) / (here.total() + (order > 1)))
    return math.prod(shares) ** (1 / len(shares))


@given(WORDS.filter(bool), st.lists(WORDS, max_size=3), st.sampled_from(METRICS))
def test_windows_are_tight_and_scored_as_they_stand(
    claim: list[str], contexts: list[list[str]], metric: Metric
) -> None:
    texts = [" ".join(context) for context in contexts]
    found = window(" ".join(claim), *texts, metric=metric)
    assert (found is not None) == any(word in context for word in claim for context in contexts)
    if found:
        quote = texts[found.context][found.start : found.end].split()
        assert len(quote) <= 3 * len(claim) + 4
        assert found.score == pytest.approx(naive_score(claim, quote, metric))
        for shorter in (quote[1:], quote[:-1]):
            assert not shorter or naive_score(claim, shorter, metric) < found.score - 1e-9


@given(WORDS.filter(bool), WORDS, WORDS, st.sampled_from(METRICS))
def test_a_claim_in_its_context_is_found_whole(
    claim: list[str], before: list[str], after: list[str], metric: Metric
) -> None:
    found = window(" ".join(claim), " ".join([*before, *claim, *after]), metric=metric)
    assert found is not None
    assert found.score == 1


@given(st.text(), st.lists(st.text(), max_size=3), st.sampled_from(METRICS))
def test_any_text_gets_offsets_that_slice_it(claim: str, contexts: list[str], metric: Metric) -> None:
    found = window(claim, *contexts, metric=metric)
    if found:
        assert 0 <= found.start < found.end <= len(contexts[found.context])
        assert all(claim[start:end].strip() for start, end in found.gaps)
