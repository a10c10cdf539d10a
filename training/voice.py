"""Says a simple sentence in the other voice, and with those who act and suffer swapped.

It reads by rule: a short noun phrase, a verb, a short noun phrase, and what follows from a preposition on. What it
misreads is noise among the rows; what it cannot read is left alone.
"""

from __future__ import annotations

import re
from typing import NamedTuple

_IRREGULAR = dict(
    re.findall(
        r"(\w+)/(\w+)",
        "wrote/written won/won beat/beaten built/built made/made led/led took/taken gave/given found/found "
        "bought/bought sold/sold told/told hit/hit shot/shot caught/caught taught/taught drew/drawn chose/chosen "
        "broke/broken stole/stolen drove/driven sang/sung held/held kept/kept lost/lost paid/paid sent/sent saw/seen "
        "knew/known threw/thrown struck/struck brought/brought sought/sought swept/swept bit/bitten ate/eaten "
        "hid/hidden rode/ridden wore/worn shook/shaken spoke/spoken overtook/overtaken understood/understood set/set "
        "cut/cut put/put read/read fed/fed heard/heard ran/run began/begun oversaw/overseen spent/spent",
    )
)
_PRESENT = frozenset(
    re.findall(
        r"\w+",
        """uses offers provides requires supports produces owns leads covers describes causes protects manages operates
        serves attracts employs publishes teaches controls defines affects follows beats visits runs builds makes
        sells buys drives carries wears holds watches plays rides pulls pushes chases feeds throws catches paints asks
        tells invites helps informs warns thanks calls hires fires appoints elects replaces succeeds precedes loves
        hates admires kills attacks shoots hits kicks saves rescues accuses blames criticizes praises opposes defeats
        coaches trains advises persuades convinces encourages reminds texts contacts pays sues arrests interviews
        features directs recommends introduces surrounds contains includes approves bans greets ignores trusts fears
        joins reveals urges orders forces allows represents sponsors funds acquires challenges confronts questions""",
    )
)
_NO_OBJECT = frozenset(
    re.findall(
        r"\w+",
        """based named called died lasted remained stayed seemed appeared arrived happened occurred retired resigned
        returned lived worked ended need breed seed speed indeed hundred red feed wed bed embed turned measured weighed
        started united aged related talked listened looked smiled walked moved travelled traveled""",
    )
)
_EVEN = frozenset(re.findall(r"\w+", "married joined faced played plays fought resembled equalled engaged dated"))
"""What one does to the other the other does too."""
_BARRED = frozenset(
    re.findall(
        r"\w+",
        """and or but nor who which that whom whose where when not never no is are was were be been being am has have
        had do does did will would can could may might must should shall to there both either only even than then in
        on at for by with from as after before during because over under into against about between near through
        until since without while it he she they we i you him them us me if so such also due just""",
    )
)
_SUBJECTS = {"he": "him", "she": "her", "they": "them"}
_OBJECTS = {other: one for one, other in _SUBJECTS.items()}
PRONOUNS = frozenset((*_SUBJECTS, *_OBJECTS))
_AFTER = r"(?:in|on|at|during|after|before|since|until|for|from|with|near|through|over|under|into|against|to|as)\b"
_MORE = r"(?:,|;| (?:and|but|while|who|which|when|because|so)\b)"
_WORD = r"[\w'’&.-]*\w"
_PHRASE = rf"(?:{_WORD} ){{0,5}}?{_WORD}"
_VERB = "|".join([*sorted({*_IRREGULAR, *_IRREGULAR.values(), *_PRESENT}), "[a-z]{3,}ed"])
_LEAD = r"(?:In|On|During|After|Since|By|At) [^,]{2,40}, |(?:However|Additionally|Later|Then|Meanwhile), "
_ADVERB = r"(?:also|later|then|once|eventually|finally|recently|previously|soon|first|reportedly) "
_ACTIVE = re.compile(
    rf"^(?P<lead>{_LEAD})?(?P<one>{_PHRASE}) (?P<adverb>{_ADVERB})?(?P<has>(?:has|have|had) )?(?P<verb>{_VERB}) "
    rf"(?P<two>{_PHRASE})(?P<tail>(?: {_AFTER}[^,;:]*?)?)(?P<more>(?:{_MORE}.*?)?)(?P<stop>[.!]?)$"
)
_PASSIVE = re.compile(
    rf"^(?P<lead>{_LEAD})?(?P<one>{_PHRASE}) (?P<be>(?:has been|have been|had been|is|are|was|were)) "
    rf"(?P<adverb>{_ADVERB})?(?P<verb>[a-z]+) by (?P<two>{_PHRASE})(?P<tail>(?: {_AFTER}[^,;:]*?)?)"
    rf"(?P<more>(?:{_MORE}.*?)?)(?P<stop>[.!]?)$"
)
_FIRST = re.compile(r"(?:[Tt]he|[Aa]n?|[Hh]is|[Hh]er|[Tt]heir|[Ii]ts|[Tt]wo|[Tt]hree|[Ss]ome) \w|[A-Z]|[a-z]+s\b")


class Clause(NamedTuple):
    """Who did what to whom."""

    lead: str
    agent: str
    patient: str
    verb: str
    participle: str
    past: bool
    passive: bool
    tail: str
    more: str
    """Another clause."""

    adverb: str = ""
    perfect: str = ""
    """"had " of "had beaten"; "has " for "have " too."""

    def said(self, *, passive: bool, swapped: bool = False) -> str:
        """The sentence in one voice or the other, true or with the roles swapped."""
        agent, patient = (self.patient, self.agent) if swapped else (self.agent, self.patient)
        first, other = (patient, agent) if passive else (agent, patient)
        many = first == "they" or (first.endswith("s") and not first.endswith(("ss", "us", "is")))
        if self.perfect:
            verb = ("have " if many and self.perfect == "has " else self.perfect) + self.adverb
            verb += f"{'been ' if passive else ''}{self.participle}"
        elif passive:
            be = ("were" if many else "was") if self.past else ("are" if many else "is")
            verb = f"{be} {self.adverb}{self.participle}"
        else:
            verb = self.adverb + self.verb
        text = f"{first} {verb} {'by ' if passive else ''}{_SUBJECTS.get(other, other)}"
        return (self.lead + text if self.lead else text[:1].upper() + text[1:]) + self.tail + self.more


def parse(text: str) -> Clause | None:
    """Read a sentence; None where it is not a simple one."""
    if found := _PASSIVE.match(text):
        be, participle, agent, patient = found["be"], found["verb"], found["two"], found["one"]
        perfect = be.endswith("been")
        past = perfect or be in ("was", "were")
        verb = _verb_of(participle, past=past)
    elif found := _ACTIVE.match(text):
        be, verb, agent, patient = found["has"] or "", found["verb"], found["one"], found["two"]
        perfect = bool(be)
        participle = (verb if _verb_of(verb, past=True) else None) if perfect else _participle(verb)
        past = verb not in _PRESENT
    else:
        return None
    if not verb or not participle or verb in _EVEN or not (_noun_phrase(agent) and _noun_phrase(patient)):
        return None
    agent, patient = (_inner(phrase, first=not found["lead"]) for phrase in (agent, patient))
    has = ("had " if be.startswith("had") else "has ") if perfect else ""
    return Clause(found["lead"] or "", agent, patient, verb, participle, past, found.re is _PASSIVE,
                  found["tail"], found["more"] + found["stop"], found["adverb"] or "", has)  # fmt: skip


def _participle(verb: str) -> str | None:
    if verb in _IRREGULAR:
        return _IRREGULAR[verb]
    if verb in _PRESENT:
        stem = verb[:-2] if verb.endswith(("ches", "shes")) else verb[:-1]
        irregular = {"build": "built", "make": "made", "sell": "sold", "buy": "bought", "drive": "driven",
                     "lead": "led", "wear": "worn", "hold": "held", "ride": "ridden", "feed": "fed", "throw": "thrown",
                     "tell": "told", "pay": "paid", "shoot": "shot", "hit": "hit", "ban": "banned", "run": "run",
                     "catch": "caught", "teach": "taught", "beat": "beaten", "carrie": "carried",
                     "control": "controlled"}  # fmt: skip
        return irregular.get(stem, stem + ("d" if stem.endswith("e") else "ed"))
    return verb if verb.endswith("ed") and verb not in _NO_OBJECT and len(verb) > 4 else None


def _verb_of(participle: str, *, past: bool) -> str | None:
    """The verb as an active sentence has it."""
    if not past:
        return next((verb for verb in sorted(_PRESENT) if _participle(verb) == participle), None)
    irregular = next((verb for verb, other in _IRREGULAR.items() if other == participle), None)
    return irregular or (participle if _participle(participle) else None)


def _noun_phrase(phrase: str) -> bool:
    if phrase.lower() in PRONOUNS:
        return True
    words = phrase.split()
    plain = phrase.replace(" of ", " ", 1).split()
    return (
        bool(_FIRST.match(phrase))
        and len(words) < 7
        and not any(word.lower() in _BARRED or word.endswith(("n't", "n’t")) for word in plain)
    )


def _inner(phrase: str, *, first: bool) -> str:
    """A phrase as it stands inside a sentence; a pronoun as a subject."""
    if phrase.lower() in PRONOUNS:
        return _OBJECTS.get(phrase.lower(), phrase.lower())
    head, _, rest = phrase.partition(" ")
    opens = head.lower() in ("the", "a", "an", "his", "her", "their", "its", "two", "three", "some")
    return f"{head.lower()} {rest}" if first and opens else phrase
