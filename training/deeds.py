"""Made texts about who did what to whom, and claims about them, true and reversed, in the same words and in others."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from training.corrupt import GOOD, NO, UNKNOWN, WRONG
from training.words import CITIES, COUNTRIES, JOBS, LAST_NAMES, TEAMS

_BETWEEN_PEOPLE = """
A hired B/B was hired by A/A gave B a job/B got a job from A
A fired B/B was fired by A/B lost the job under A/A dismissed B/B was dismissed by A
A taught B/B was taught by A/B was a student of A/A was the teacher of B/B took lessons from A
A sued B/B was sued by A/A filed a lawsuit against B/A took B to court
A sold the house to B/B bought the house from A/The house was sold to B by A
A sold the paintings to B/B acquired the paintings from A
A lent the money to B/B borrowed the money from A/A gave B a loan
A owed B money/B was owed money by A/A was in debt to B
A wrote a letter to B/B received a letter from A/B got a letter that A had written
A called B/B was called by A/B got a phone call from A/A phoned B
A shot B/B was shot by A/A fired the bullet that hit B/B was hit by a bullet from A
A killed B/B was killed by A/B died at the hands of A/A murdered B/B was murdered by A
A attacked B/B was attacked by A/A carried out an attack on B
A hit B/B was hit by A/A struck B/B was struck by A
A rescued B/B was rescued by A/A saved B/B owed the rescue to A
A accused B of fraud/B was accused of fraud by A/A said that B had committed fraud
A accused B of lying/B was accused of lying by A/A called B a liar
A criticized B/B was criticized by A/B drew criticism from A/A was critical of B
A praised B/B was praised by A/B won praise from A/A spoke highly of B
A replaced B/B was replaced by A/A took over from B/A succeeded B/B was succeeded by A
A influenced B/B was influenced by A/A had an influence on B/B took inspiration from A
A discovered B/B was discovered by A/B owed the first break to A
A mentored B/B was mentored by A/A was the mentor of B/B was a protégé of A
A managed B/B was managed by A/B worked under A/A was the boss of B/B reported to A
A supervised B/B was supervised by A/B worked under the supervision of A
A raised B/B was raised by A/A brought up B/B grew up in the care of A
A adopted B/B was adopted by A/B was the adopted child of A
A is the parent of B/B is the child of A/A has a child named B
A invited B to the party/B was invited to the party by A/B got an invitation to the party from A
A visited B in hospital/B was visited in hospital by A/B got a visit in hospital from A
A followed B out of the room/B was followed out of the room by A/B left the room before A
A warned B/B was warned by A/B got a warning from A/A gave B a warning
A threatened B/B was threatened by A/A made threats against B
A blamed B for the accident/B was blamed for the accident by A/A held B responsible for the accident
A thanked B for the help/B was thanked for the help by A/A expressed gratitude to B for the help
A asked B for advice/B was asked for advice by A/A sought advice from B/A turned to B for advice
A asked B for help/B was asked for help by A/A turned to B for help
A gave the documents to B/B received the documents from A/B was given the documents by A/A handed B the documents
A sent the report to B/B received the report from A/B was sent the report by A
A told B the truth/B was told the truth by A/B learned the truth from A
A recommended B for the post/B was recommended for the post by A
A nominated B for the award/B was nominated for the award by A
A appointed B/B was appointed by A/B got the post from A/A named B to the post
A elected B as chair/B was elected as chair by A
A interviewed B/B was interviewed by A/B gave an interview to A/B answered questions from A
A arrested B/B was arrested by A/B was taken into custody by A
A treated B/B was treated by A/B was a patient of A
A divorced B/B was divorced by A/A filed for divorce from B
A left B/B was left by A/A walked out on B
A loved B/B was loved by A/A was in love with B
A admired B/B was admired by A/A was an admirer of B
A trusted B/B was trusted by A/A had trust in B/B enjoyed the trust of A
A feared B/B was feared by A/A was afraid of B
A betrayed B/B was betrayed by A/B suffered a betrayal by A
A deceived B/B was deceived by A/A tricked B/B was tricked by A
A robbed B/B was robbed by A/A stole from B
A paid B/B was paid by A/B received payment from A
A painted a portrait of B/B was painted by A/B sat for a portrait by A
A wrote a book about B/B was the subject of a book by A
A quoted B/B was quoted by A/A repeated the words of B
A translated B/B was translated by A
A outlived B/B was outlived by A/B died before A
A is older than B/B is younger than A
A is taller than B/B is shorter than A
A arrived before B/B arrived after A
A finished ahead of B/B finished behind A
A earns more than B/B earns less than A
A preceded B as director/B followed A as director/B was preceded as director by A/A was director before B
A introduced B to chess/B was introduced to chess by A/B learned chess from A
A photographed B/B was photographed by A/A took pictures of B
A chased B down the street/B was chased down the street by A/B ran down the street with A in pursuit
A pushed B/B was pushed by A/A gave B a push
A carried B/B was carried by A
A kissed B on the cheek/B was kissed on the cheek by A
A interrupted B/B was interrupted by A
A ignored B/B was ignored by A/A paid no attention to B
A forgave B/B was forgiven by A/B received forgiveness from A
A represented B in court/B was represented in court by A/A was the lawyer of B/B was a client of A
A defended B/B was defended by A/A came to the defence of B
A imitated B/B was imitated by A/A copied B
A coached B/B was coached by A/A was the coach of B/B trained under A
A funded B/B was funded by A/B received funding from A
A tackled B/B was tackled by A
A served B/B was served by A/A was in the service of B
"""
_BETWEEN_BODIES = """
A defeated B/B was defeated by A/B lost to A/A beat B/B was beaten by A/A won against B
A eliminated B/B was eliminated by A/B went out against A/A knocked out B
A signed the striker from B/B sold the striker to A/The striker moved from B to A
A leads B in the table/B trails A in the table/A is ahead of B in the table
A acquired B/B was acquired by A/A took over B/A bought B/B was bought by A
A owns B/B is owned by A/B belongs to A/B is a subsidiary of A
A supplies B/B is supplied by A/B is a customer of A/B buys from A
A sued B/B was sued by A/A brought a case against B/A took B to court
A outsold B/B was outsold by A/A sold more than B/B sold less than A
A licensed the design to B/B licensed the design from A
A invested in B/B received an investment from A/A put money into B
A invaded B/B was invaded by A/A sent troops into B
A attacked B/B was attacked by A/B came under attack from A
A occupied B/B was occupied by A/B was under occupation by A
A declared war on B/B faced a declaration of war from A
A exports grain to B/B imports grain from A/B buys grain from A
A borrowed from B/B lent to A/A took a loan from B
A recognized B/B was recognized by A/B gained recognition from A
A sanctioned B/B was sanctioned by A/A imposed sanctions on B
A condemned B/B was condemned by A/A issued a condemnation of B
A supported B/B was supported by A/B had the support of A/A backed B/B was backed by A
A surrendered to B/B accepted the surrender of A
A is larger than B/B is smaller than A
A is north of B/B is south of A
A was founded before B/B was founded after A
A criticized B/B was criticized by A/B drew criticism from A
A warned B/B was warned by A/A issued a warning to B
A merged into B/B absorbed A
A hired the consultants of B/B lent its consultants to A
A sponsors B/B is sponsored by A/B gets sponsorship from A
"""
_BODY_AND_PERSON = """
A hired B/B was hired by A/A gave B a job/B got a job at A/B went to work for A
A fired B/B was fired by A/A let B go/B lost the job at A
A drafted B/B was drafted by A/A picked B in the draft
A signed B/B was signed by A/B signed a contract with A
A released B/B was released by A/A ended the contract of B
A sued B/B was sued by A/A filed a lawsuit against B
A appointed B/B was appointed by A/A named B to the post/B got the post from A
A honored B/B was honored by A/B received an honor from A/A gave B an award
A banned B/B was banned by A/A imposed a ban on B
A suspended B/B was suspended by A/A handed B a suspension
A interviewed B/B was interviewed by A/B gave an interview to A/B answered questions from A
A accused B of fraud/B was accused of fraud by A/A said that B had committed fraud
A praised B/B was praised by A/B drew praise from A
A criticized B/B was criticized by A/B came under criticism from A
A supported B/B was supported by A/B had the backing of A/A backed B
A funded B/B was funded by A/B received a grant from A
A trained B/B was trained by A/B got the training at A
A elected B/B was elected by A/B won the election at A
A investigated B/B was investigated by A/A opened an investigation into B
A invited B/B was invited by A/B got an invitation from A
A paid B/B was paid by A/B received money from A
A fined B/B was fined by A/B had to pay a fine to A
A warned B/B was warned by A/A issued a warning to B
A recruited B/B was recruited by A/A brought in B
A promoted B/B was promoted by A/B got a promotion at A
B founded A/A was founded by B/B is the founder of A/B started A
B left A/B departed from A/B quit A
B bought A/A was bought by B/B became the owner of A
B sued A/A was sued by B/B took A to court
B criticized A/A was criticized by B/A came under criticism from B
B led A/A was led by B/B was the head of A/A was under the leadership of B
B defended A/A was defended by B/B spoke in defence of A
B advised A/A was advised by B/B was an adviser to A
B joined A/B became a member of A
"""
PEOPLE, BODIES, MIXED = (
    [line.split("/") for line in table.strip().splitlines()]
    for table in (_BETWEEN_PEOPLE, _BETWEEN_BODIES, _BODY_AND_PERSON)
)
WOMEN = re.findall(
    r"\w+",
    """Maria Aisha Olga Ingrid Priya Laura Grace Hannah Nadia Chloe Marta Elena Sofia Ruth Carmen Anna Emma Julia Alice
    Mary Susan Linda Karen Nancy Betty Helen Diana Rachel Amy Ellen Rosa Clara""",
)
MEN = re.findall(
    r"\w+",
    """James Wei Pedro Tom Kenji Omar Luca Samuel Victor Ibrahim Daniel Patrick Andre Felix John Robert Michael David
    Peter Paul Mark George Kevin Brian Edward Steven Frank Carlos Ahmed Ivan""",
)
_CALLED = [
    f"the {word}"
    for word in re.findall(
        r"\w+",
        """teacher coach mayor manager doctor lawyer officer farmer singer actor captain chef guard driver landlord
        banker nurse director owner suspect witness journalist editor""",
    )
]
_FIRMS = ["Norvane", "Altec", "Brightwell", "Quantis", "Helvar", "Zentrix", "Oakline", "Ferrum Steel", "Lumina",
          "Pacific Rail", "Delta Foods", "Orion Bank", "Vertex Labs", "Solaris", "Kestrel Air", "Novapharm",
          "Titan Motors"]  # fmt: skip
_WHEN = ("", "", "", " in {year}", " in {month}", " that year", " last week", " after the meeting", " in {city}")
_AROUND = (
    "According to the report, {}.", "Reports say that {}, which surprised many.", "{}, as several people confirmed.",
    "It was then that {}.", "After {}, things were never the same.", "Nobody was surprised when {}.",
    "Few remember that {}, although the papers wrote about it at the time.", "{}, and the matter was settled.",
    "Because {}, the others stayed away.", "There was much talk after {}.", "The story goes that {} before the war.",
)  # fmt: skip
"""What a fact may stand in."""
_THEN = ("moved to another city", "spoke about it later", "was there too", "declined to comment", "is now retired",
         "did well that year", "lives abroad", "was in the news again")  # fmt: skip
_PRONOUN = {"she": "her", "he": "him"}


class Made(NamedTuple):
    """A claim about a made text, its label, and what was said before the claim."""

    claim: str
    context: str
    label: str
    before: str = ""


class _Who(NamedTuple):
    name: str
    short: str
    he: str
    job: str


class _Deed(NamedTuple):
    forms: list[str]
    one: _Who
    two: _Who
    when: str


def make_deeds(rng: random.Random, *, names: Sequence[str], around: str = "") -> Iterator[Made]:
    """A few people or bodies, what some did to others, and claims about it, true and reversed.

    `names` are those of other documents, and `around` is a text to hide it all in.
    """
    table = rng.choices((PEOPLE, BODIES, MIXED), (5, 2, 3))[0]
    some = _bodies(rng) if table is BODIES else _people(rng, names)
    bodies = _bodies(rng)
    deeds = []
    for forms in rng.sample(table, rng.randint(1, 4)):
        one, two = rng.sample(some, 2)
        deeds.append(_Deed(forms, rng.choice(bodies) if table is MIXED else one, two, _when(rng)))
    context = _hidden(_told(deeds, rng), around, rng)
    for deed in rng.sample(deeds, min(2, len(deeds))):
        yield from _claims(deed, context, rng)
        third = next((who for who in some if who not in (deed.one, deed.two)), None)
        if third and table is not MIXED and rng.random() < 0.3:
            ends = rng.choice(((deed.one, third), (third, deed.two)))
            yield Made(_fill(rng.choice(deed.forms), *ends, "", {}), context, WRONG)
        unsaid = rng.choice(table)
        if rng.random() < 0.15 and all(unsaid is not said.forms for said in deeds):
            yield Made(_fill(rng.choice(unsaid), deed.one, deed.two, "", {}), context, UNKNOWN)


def _told(deeds: list[_Deed], rng: random.Random) -> str:
    """Tell the deeds one by one, some after saying who the people are."""
    told: list[str] = []
    introduced: set[str] = set()
    for forms, one, two, when in deeds:
        if rng.random() < 0.5:
            for who in (one, two):
                if who.job and who.name not in introduced:
                    told.append(f"{_is(who, rng)} from {rng.choice(CITIES)[0]}.")
                    introduced.add(who.name)
        told.append(_sentence(rng.choice(forms), one, two, when, rng, last=told[-1:]))
    return " ".join(told)


def _claims(deed: _Deed, context: str, rng: random.Random) -> Iterator[Made]:
    """What was done, and the reverse; a person may be "he" or "she" if it was said before who that is."""
    forms, one, two, when = deed
    form, said = rng.choice(forms), rng.choice(("", "", when))
    before, speak = "", dict[str, str]()
    who = rng.choice((one, two))
    if who.he and rng.random() < 0.5:
        before = f"Tell me a bio of {who.name}." if rng.random() < 0.3 else f"{_is(who, rng)}."
        speak[who.name] = who.he
    yield Made(_fill(form, one, two, said, speak), context, GOOD, before)
    yield Made(_fill(rng.choice((form, rng.choice(forms))), two, one, said, speak), context, NO, before)


def _is(who: _Who, rng: random.Random) -> str:
    return f"{_first(who.name)} {rng.choice(('is', 'was'))} {who.job}"


def _people(rng: random.Random, names: Sequence[str]) -> list[_Who]:
    found: list[_Who] = []
    for _ in range(rng.randint(2, 4)):
        draw = rng.random()
        he = rng.choice(("he", "she"))
        job = f"a {rng.choice(JOBS)}".replace("a a", "an a").replace("a e", "an e")
        if draw < 0.25:
            name = rng.choice(_CALLED)
            found.append(_Who(name, name, "", job))
        elif draw < 0.5 and names:
            name = rng.choice(names)
            found.append(_Who(name, name.split()[-1], "", job))
        else:
            name = f"{rng.choice(WOMEN if he == 'she' else MEN)} {rng.choice(LAST_NAMES)}"
            found.append(_Who(name, name.split()[rng.choice((0, -1))], he, job))
    words = [word for who in found for word in who.name.split() if word != "the"]
    return found if len(set(words)) == len(words) else _people(rng, names)


def _bodies(rng: random.Random) -> list[_Who]:
    kind = rng.randrange(3)
    if kind == 0:
        cities, teams = rng.sample(CITIES, 6), rng.sample(TEAMS, 6)
        pool = [f"{city[0]} {team}" for city, team in zip(cities, teams, strict=True)]
    else:
        pool = COUNTRIES if kind == 1 else _FIRMS
    return [_Who(name, name, "", "") for name in rng.sample(pool, rng.randint(2, 4))]


def _when(rng: random.Random) -> str:
    month = rng.choice(("March", "June", "October", "December"))
    return rng.choice(_WHEN).format(year=rng.randint(1930, 2023), month=month, city=rng.choice(CITIES)[0])


def _first(text: str) -> str:
    return text[:1].upper() + text[1:]


def _fill(form: str, one: _Who, two: _Who, when: str, speak: dict[str, str]) -> str:
    """Put those who did it and whom it was done to into a form; `speak` says who is a pronoun."""

    def name(match: re.Match[str]) -> str:
        who = one if match.group() == "A" else two
        he = speak.get(who.name)
        if he is None:
            return who.name
        return he if not match.start() or form[: match.start()].endswith("that ") else _PRONOUN[he]

    return _first(re.sub(r"\b[AB]\b", name, form)) + when + "."


def _sentence(form: str, one: _Who, two: _Who, when: str, rng: random.Random, *, last: list[str]) -> str:
    """Tell a fact, by half names, or with a pronoun for one whom the sentence before speaks of."""
    speak = {}
    for who, other in ((one, two), (two, one)):
        if who.he and last and last[0].startswith(who.name) and who.he != other.he and rng.random() < 0.7:
            speak[who.name] = who.he
    one, two = (who if who.name in speak else who._replace(name=_called(who, rng)) for who in (one, two))
    fact = _fill(form, one, two, when, speak)
    if rng.random() < 0.6:
        return fact
    if rng.random() < 0.4 and form[0] in "AB" and not speak:
        who = one if form[0] == "A" else two
        rest = fact[len(who.name) :].strip(" ,").rstrip(".")
        return f"{_first(who.name.rstrip(','))}, who {rest}, {rng.choice(_THEN)}."
    opens = fact[: len("The ")].lower() == "the " or fact.startswith(("She ", "He "))
    inside = (fact[:1].lower() + fact[1:] if opens else fact).rstrip(".")
    return _first(rng.choice(_AROUND).format(inside))


def _called(who: _Who, rng: random.Random) -> str:
    """Half of a name, or all of it with what the person is."""
    draw = rng.random()
    if draw < 0.2:
        return who.short
    return f"{who.name}, {who.job}," if who.job and draw < 0.3 else who.name


def _hidden(text: str, around: str, rng: random.Random) -> str:
    if not around or rng.random() < 0.5:
        return text
    parts = re.split(r"(?<=[.!?])\s+(?=[A-Z])", around)
    place = rng.randint(0, len(parts))
    return " ".join([*parts[:place], text, *parts[place:]])
