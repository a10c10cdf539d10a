"""Whether a text is plainly in another language than English, by the script of its letters and its function words.

It is asked before a model that knows English only gives its verdicts. A wrong alarm on an English answer costs more
trust than a missed sentence, so names, code, titles and short answers never decide: None means "English, or too
little to tell".
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable

from faithmeter.text.english.word_tables import STOP_WORDS, words

# Ranges of letters that English does not have. Scripts that several languages share are given to the largest of them.
_SCRIPTS = {
    "ja": r"[\u3040-\u30ff]", "zh": r"[\u3400-\u4dbf\u4e00-\u9fff]", "ko": r"[\uac00-\ud7af]",
    "ru": r"[\u0400-\u052f]", "el": r"[\u0370-\u03ff\u1f00-\u1fff]", "ar": r"[\u0600-\u06ff\u0750-\u077f]",
    "he": r"[\u0590-\u05ff]", "hi": r"[\u0900-\u097f]", "bn": r"[\u0980-\u09ff]", "ta": r"[\u0b80-\u0bff]",
    "te": r"[\u0c00-\u0c7f]", "th": r"[\u0e00-\u0e7f]", "hy": r"[\u0530-\u058f]", "ka": r"[\u10a0-\u10ff]",
    "am": r"[\u1200-\u137f]",
}  # fmt: skip
_OF_SCRIPT = {code: re.compile(letters) for code, letters in _SCRIPTS.items()}
# Here a character is a syllable or a word; elsewhere words of two letters or more count, so that no formula does.
_BY_CHARACTER = frozenset({"ja", "zh", "ko", "th"})
_RUNS = {code: re.compile(letters + ("" if code in _BY_CHARACTER else "{2,}")) for code, letters in _SCRIPTS.items()}
_CHARACTERS_A_WORD = 2

# The most frequent function words, where they are not English content words ("die" and "war" are, in their way).
_FUNCTION_WORDS = {
    "de": "der die das und ist sind nicht ein eine einer einem einen des dem den zu mit sich auf für von wurde wird "
    "werden auch als bei nach aus oder hat haben kann können es sie er ich wir im zum zur dass durch über wie nur noch "
    "in an am so was war also will beim vom unter seit ihr ihre kein keine",
    "fr": "le la les et est sont une un des du dans que qui pour pas sur au aux ce cette ces il elle ils avec par plus "
    "ne se son sa ses été était ont être leur nous vous mais où comme fait peut d'une d'un c'est qu'il n'est "
    "de en on a peuvent sans après depuis deux",
    "es": "el la los las y es son una un que en del se por con para su sus no más fue era ha como pero lo al está "
    "también entre sobre cuando muy ser tiene desde hasta puede han este esta nos hay "
    "de a pueden según cada después debe deben sin",
    "it": "il lo la gli le e è sono una un che di non per con della dei delle nel nella del si da più come ma anche "
    "stato era ha al alla dal questo questa essere hanno può viene tra fu "
    "i in a o possono dopo entro ogni",
    "pt": "o a os as e é são uma um que em do da dos das não para com por no na nos nas se mais foi era ao pelo pela "
    "como mas também ser está tem seu sua entre sobre pode "
    "de podem depois até quando",
    "nl": "de het een en is zijn niet van op te met voor dat die er aan ook als bij door naar uit of wordt werd worden "
    "heeft hebben kan maar om deze dit ze hij wij "
    "in was over had niet u mag",
    "sv": "och är en ett det som att på av för med den inte till har om de från var kan eller men ska blev också vid "
    "där sig i under",
    "da": "og er en et det som at på af for med den ikke til har om de fra var kan eller men blev også ved der sig i "
    "hvor skal være",
    "no": "og er en et det som at på av for med den ikke til har om de fra var kan eller men ble også ved der seg i "
    "hvor skal være",
    "fi": "ja on ei että se oli ovat myös mutta kun niin tai joka jossa hän ole sen olivat voi kuin vuonna mukaan "
    "siitä tämä",
    "pl": "i w na z jest się nie do że to są oraz od po przez jak ale ma był była było które który która dla tym "
    "także lub jego może o",
    "cs": "a je v na se že to s z do jsou byl byla bylo který která které ale jako pro od po jeho také nebo při může "
    "není i má než více podle nejsou",
    "tr": "ve bir bu için ile da de olarak olan daha çok en gibi ise değil kadar var sonra ancak tarafından göre "
    "oldu olduğu o şehri",
    "ro": "și este sunt în de la cu pe din un o nu care că mai fost ca pentru sau prin dar după lui fi are sa său",
    "hu": "a az és egy hogy nem is van volt meg de ez csak már mint vagy el szerint által lett között legnagyobb",
    "id": "yang dan di dari ini itu dengan untuk pada adalah tidak dalam ke oleh juga akan atau sebagai telah bisa "
    "lebih merupakan",
    "vi": "là của và có được trong một các những không cho với này người đã từ khi đến tại nằm về vào",
}
_WORDS_OF = {code: words(table) for code, table in _FUNCTION_WORDS.items()}
# These are English words too, or stand in names that English text is full of: they count, but never decide alone.
_IN_NAMES = words(
    "de la le les el los las del della dei delle di da do dos das du des der die den dem von van het il lo gli y e o a "
    "un en i et und on is al no na ve z w s to se war also will mag fait tout son sa per par plus come "
    "era con ha ma sur sans pour men kan fra far van dan hay ser pas fu"
)
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
_CODE = re.compile(
    r"```.*?(?:```|\Z)|`[^`\n]*`|\bhttps?://\S+|\bwww\.\S+|\S{1,100}@\S+|\S{0,100}[/\\_=]\S*|\"\w+\"\s*:",
    re.DOTALL,
)
_QUOTED = re.compile(r"[\"“„«][^\"”“»\n]*[\"”“»]")
WORDS_AT_LEAST = 5
"""Below this a text is a name, a title or a short answer."""
SHARE_AT_LEAST = 0.2
"""Of a text's words, how many are the language's function words; prose has a third or more."""

NOTE = (
    "This answer does not seem to be in a language that the verifier knows ({}): "
    "do not rely on its verdicts, or use an LLM judge."
)
"""What a result says where `unknown_language` is true."""


def other_language(text: str) -> str | None:
    """The ISO 639-1 code of the language that the text is plainly in; None if that is English or cannot be told."""
    prose = _CODE.sub(" ", text)
    unquoted = _QUOTED.sub(" ", prose)
    if _WORD.search(unquoted):  # who quotes another language need not write in it
        prose = unquoted
    latin = [word.replace("’", "'") for word in _WORD.findall(prose.lower()) if not _another_script(word)]
    return _by_script(prose, len(latin)) or _by_words(latin)


def unknown_language(claims: Iterable[str], known: Collection[str] | None) -> bool:
    """Whether any of an answer's claims, or all of them together, are in a language that is not among the known."""
    if known is None:
        return False
    texts = list(claims)
    languages = (other_language(text) for text in [*texts, "\n".join(texts)])
    return any(code is not None and code not in known for code in languages)


def _another_script(word: str) -> bool:
    return not word.isascii() and any(pattern.search(word) for pattern in _OF_SCRIPT.values())


def _by_script(text: str, latin: int) -> str | None:
    """The script that most of the words are in."""
    if text.isascii():
        return None
    sizes = {
        code: len(runs) / (_CHARACTERS_A_WORD if code in _BY_CHARACTER else 1)
        for code, pattern in _RUNS.items()
        if (runs := pattern.findall(text))
    }
    total = sum(sizes.values())
    if total <= latin or total < WORDS_AT_LEAST - 1.5:
        return None
    return "ja" if "ja" in sizes else max(sizes, key=lambda code: sizes[code])


def _by_words(latin: list[str]) -> str | None:
    """The language whose function words stand in the text, where those of English do not."""
    if len(latin) < WORDS_AT_LEAST:
        return None
    counts = Counter(latin)
    best: tuple[int, str] | None = None
    for code, table in _WORDS_OF.items():
        theirs = {word: n for word, n in counts.items() if word in table}
        english = sum(n for word, n in counts.items() if word in STOP_WORDS and word not in table)
        total = sum(theirs.values())
        decides = len(theirs) > 1 and any(word not in _IN_NAMES and word not in STOP_WORDS for word in theirs)
        if decides and total > 2 * english and total >= SHARE_AT_LEAST * len(latin):
            best = max(best or (0, ""), (total, code))
    return best[1] if best else None
