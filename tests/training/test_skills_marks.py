"""The wrong words of a made claim are those its supported twin has not."""

from training.skills.marks import wrong_words


def marked(claim: str, *good: str) -> list[str] | None:
    found = wrong_words(claim, good)
    return None if found is None else [claim[start:end] for start, end in found]


def test_the_differing_words_are_wrong() -> None:
    assert marked("It took 31 days.", "It took 28 days.", "Nobody knows how long it took them.") == ["31"]
    assert marked("The shop is not open on Monday.", "The shop is open on Monday.") == ["not"]


def test_a_word_left_out_blames_the_one_after_it() -> None:
    assert marked("The shop is open on Monday.", "The shop is not open on Monday.") == ["open"]


def test_what_has_no_twin_is_not_known() -> None:
    assert marked("The shop is open.", "Ann moved to Oslo because of her work.") is None
    assert marked("The shop is open.") is None
