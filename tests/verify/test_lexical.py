"""The lexical verifier: labels, support and verbatim evidence from word overlap."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from faithmeter import Label, Sample, UsageError, acheck, check, load_verifier
from faithmeter.verify.lexical import LexicalVerifier

TOWER = "The Eiffel Tower in Paris is 330 metres tall. It opened to the public on 15 May 1889."
METRICS = ["rouge", "tokens", "bleu"]


@pytest.mark.parametrize("metric", METRICS)
def test_what_is_quoted_is_supported_and_what_is_invented_is_not(metric: str) -> None:
    answer = "It opened to the public on 15 May 1889. Bananas ripen faster in warm rooms."
    result = check(answer, ["Something else entirely.", TOWER], verifier=f"lexical:{metric}")
    quoted, invented = result.verdicts
    assert (quoted.label, quoted.support) == (Label.SUPPORTED, 1.0)
    assert (quoted.evidence[0].context, quoted.evidence[0].quote) == (1, "It opened to the public on 15 May 1889")
    assert invented.label is Label.NOT_ENOUGH_INFO
    assert quoted.gaps == ()
    assert invented.gaps


@pytest.mark.parametrize("metric", METRICS)
def test_a_long_context_neither_saturates_nor_crushes_the_score(metric: str) -> None:
    filler = " ".join(f"In {year} the city council met {year % 7} times about parks and roads." for year in range(900))
    answer = "It opened to the public on 15 May 1889. The council of Rome built a tower of glass in 1650."
    short = check(answer, [TOWER], verifier=f"lexical:{metric}")
    long = check(answer, [filler + " " + TOWER + " " + filler], verifier=f"lexical:{metric}")
    assert [verdict.label for verdict in short.verdicts] == [verdict.label for verdict in long.verdicts]
    assert long.verdicts[0].support == 1.0


def test_case_and_form_of_characters_do_not_count() -> None:
    assert check("THE EIFFEL TOWER IS ３３０ METRES TALL", [TOWER], verifier="lexical").verdicts[0].support > 0.9
    assert check("埃菲尔铁塔高330米。", ["埃菲尔铁塔高330米，位于巴黎。"], verifier="lexical").score == 1.0


def test_gaps_are_the_words_without_support() -> None:
    claim = "The Eiffel Tower in Paris is 324 metres tall."
    [verdict] = check(claim, [TOWER], verifier="lexical").verdicts
    assert [claim[start:end] for start, end in verdict.gaps] == ["324"]


@pytest.mark.parametrize(
    ("spec", "threshold"),
    [("lexical", 0.5), ("lexical:rouge", 0.5), ("lexical:tokens=0.8", 0.8), ("lexical:bleu=0", 0)],
)
def test_thresholds_are_settable_for_each_metric(spec: str, threshold: float) -> None:
    verifier = load_verifier(spec)
    assert isinstance(verifier, LexicalVerifier)
    assert verifier.threshold == threshold
    assert f"={threshold:g}" in verifier.signature


def test_signatures_tell_settings_apart() -> None:
    specs = ["lexical", "lexical:tokens", "lexical:bleu", "lexical:rouge=0.6"]
    assert len({load_verifier(spec).signature for spec in specs}) == len(specs)
    with pytest.raises(UsageError, match="must be between 0 and 1"):
        LexicalVerifier(threshold=1.5)


@given(st.text(min_size=1), st.lists(st.text(), min_size=1, max_size=3), st.sampled_from(METRICS))
async def test_any_text_gets_verdicts_with_verbatim_evidence(answer: str, contexts: list[str], metric: str) -> None:
    result = await acheck(answer, contexts, verifier=f"lexical:{metric}")
    assert not result.failures
    for verdict in result.verdicts:
        assert 0 <= verdict.support <= 1
        assert all(evidence.holds_in(result.sample.contexts) for evidence in verdict.evidence)


@given(st.text(alphabet="abc .", min_size=1, max_size=60), st.text(alphabet="abc .", max_size=60))
async def test_a_claim_that_stands_in_its_context_is_fully_supported(claim: str, around: str) -> None:
    sample = Sample(answer=claim, contexts=[f"{around} {claim} {around}"])
    result = await acheck(sample.answer, sample.contexts, verifier="lexical:tokens")
    assert all(verdict.support == 1.0 for verdict in result.verdicts)


def test_a_common_word_is_no_evidence() -> None:
    (verdict,) = check("The café serves smoked trout.", ["The museum opened in 1901."], verifier="lexical").verdicts
    assert (verdict.label, verdict.evidence) == (Label.NOT_ENOUGH_INFO, ())
