"""A little English grammar for `corrupt` and `paraphrase`: verb forms, names, units, and words that change places."""

from __future__ import annotations

import re
from typing import NamedTuple

from faithmeter.text.english import word_tables
from faithmeter.text.english.articles import with_article as with_article
from faithmeter.text.english.verbs import third_person


def words(text: str) -> tuple[str, ...]:
    """The words of a table."""
    return tuple(text.split())


def phrases(text: str) -> tuple[str, ...]:
    """The phrases of a table, separated by bars."""
    return tuple(text.split("|"))


class Verb(NamedTuple):
    """The forms of a verb."""

    base: str
    third: str
    past: str
    participle: str


_REGULAR = words(
    "abandon accept accuse achieve acquire adopt affect allow announce appear appoint approve arrest arrive ask assist "
    "attack attend attract award ban capture carry cause celebrate close collect compose conquer construct contain "
    "control convert cover create criticise damage decide declare decrease defeat defend deliver demolish describe "
    "design destroy develop direct discover donate earn edit elect employ enable end enjoy enter establish examine "
    "exceed execute explain explore express fire finish follow found gain govern guide help hire host identify improve "
    "include increase influence inspire install introduce invade invent invite join kill last launch love lower "
    "maintain manage manufacture march move murder name notice obtain occupy occur offer open operate order organise "
    "organize own paint pass perform persuade plant play praise prevent produce promote protect provide publish "
    "purchase reach receive recommend record reduce reform reject release remain remove rename repair replace report "
    "require rescue resign resemble restore retire reveal review sack save serve settle share sign sponsor start "
    "strengthen study succeed suggest support surround survive suspend train transfer treat use visit want warn "
    "weaken welcome work arrest sue injure rate own criticize feature support chase"
)
_DOUBLING = words("plan stop permit refer commit ship drop ban submit admit stab rob")
_IRREGULAR = phrases(
    "beat beat beaten|become became become|begin began begun|bite bit bitten|break broke broken|"
    "bring brought brought|build built built|buy bought bought|catch caught caught|choose chose chosen|"
    "draw drew drawn|drive drove driven|eat ate eaten|fall fell fallen|find found found|fly flew flown|"
    "forbid forbade forbidden|forget forgot forgotten|get got got|give gave given|go went gone|"
    "grow grew grown|hold held held|keep kept kept|know knew known|lead led led|leave left left|"
    "lend lent lent|lose lost lost|make made made|mean meant meant|meet met met|"
    "overthrow overthrew overthrown|pay paid paid|rise rose risen|run ran run|say said said|see saw seen|"
    "sell sold sold|send sent sent|shoot shot shot|show showed shown|sing sang sung|sink sank sunk|"
    "speak spoke spoken|spend spent spent|stand stood stood|steal stole stolen|strike struck struck|"
    "take took taken|teach taught taught|tell told told|think thought thought|throw threw thrown|"
    "wear wore worn|win won won|write wrote written"
)


def _past(base: str) -> str:
    if base in _DOUBLING:
        return base + base[-1] + "ed"
    if base.endswith("e"):
        return base + "d"
    return base[:-1] + "ied" if base.endswith("y") and base[-2] not in "aeiou" else base + "ed"


VERBS = [Verb(base, third_person(base), _past(base), _past(base)) for base in sorted({*_REGULAR, *_DOUBLING})]
VERBS += [Verb(base, third_person(base), past, participle) for base, past, participle in map(words, _IRREGULAR)]
BY_THIRD = {verb.third: verb for verb in VERBS}
# "found" is the past of find, and "founded" that of found: the later entries win
BY_PAST = {verb.past: verb for verb in VERBS}
BY_PARTICIPLE = {verb.participle: verb for verb in VERBS}

# Verbs that mean the same either way round: swapping their ends changes nothing.
SYMMETRIC = frozenset(words("met meet meets married marry marries wed equals equal resembles resembled faced played"))

MONTHS = tuple(month.capitalize() for month in list(word_tables.MONTHS)[:12])
WEEKDAYS = words("Monday Tuesday Wednesday Thursday Friday Saturday Sunday")
NUMBERS = tuple(word_tables.SMALL)[:13]
TENS = tuple(word_tables.TENS)
ORDINALS = tuple(word_tables.ORDINALS)[2:10]

FIRST_NAMES = words(
    "Albert Alexander Alice Andrew Anna Anthony Barack Barbara Benjamin Bill Brian Charles Christopher Daniel David "
    "Donald Edward Elizabeth Emily Emma Eric Frank George Hannah Harry Helen Henry Jack James Jane Jason Jennifer "
    "Jessica Joe John Jonathan Joseph Julia Karen Kate Kevin Laura Linda Lisa Louis Margaret Maria Mark Martin Mary "
    "Matthew Michael Michelle Nancy Nicholas Patricia Patrick Paul Peter Philip Rachel Rebecca Richard Robert Ronald "
    "Ryan Samuel Sarah Scott Sophia Stephen Steven Susan Thomas Timothy Tom Victoria Walter William"
)
OTHER_PEOPLE = phrases(
    "Ingrid Solberg|Tomasz Wolski|Amara Okoye|Lucía Ferrer|Hiroto Kanda|Nadia Rahimi|Pavel Dvořák|Giulia Moretti|"
    "Owen Tregarth|Saoirse Keane|Mateus Brandão|Elif Demirci|Anselm Richter|Freya Lindholm|Dario Castellan"
)
PLACES = words(
    "France Germany Spain Italy Portugal Ireland Scotland Wales England Britain Canada Australia Japan China India "
    "Brazil Mexico Egypt Kenya Nigeria Russia Ukraine Poland Sweden Norway Denmark Finland Greece Turkey Israel Iran "
    "Iraq Syria Pakistan Argentina Chile Peru Cuba Vietnam Thailand Indonesia Philippines Malaysia Singapore Austria "
    "Switzerland Belgium Netherlands Hungary Romania America Europe Asia Africa London Paris Berlin Madrid Rome Lisbon "
    "Vienna Moscow Tokyo Beijing Delhi Mumbai Sydney Melbourne Toronto Chicago Boston Houston Dallas Atlanta Miami "
    "Seattle Denver Detroit Philadelphia Washington California Texas Florida Georgia Ohio Michigan Virginia Oregon "
    "Arizona Nevada Utah Colorado Illinois Pennsylvania Massachusetts Iowa Kansas Tennessee Kentucky Alabama"
)
OTHER_PLACES = words("Slovenia Uruguay Latvia Namibia Mongolia Estonia Paraguay Botswana Bolivia Malta Laos Gabon")
DEMONYMS = words(
    "American British English French German Spanish Italian Portuguese Irish Scottish Welsh Canadian Australian "
    "Japanese Chinese Indian Brazilian Mexican Egyptian Kenyan Nigerian Russian Ukrainian Polish Swedish Norwegian "
    "Danish Finnish Greek Turkish Israeli Iranian Iraqi Syrian Pakistani Argentine Chilean Peruvian Cuban Vietnamese "
    "Thai Austrian Swiss Belgian Dutch Hungarian Romanian European Asian African Roman Soviet Korean"
)
OTHER_DEMONYMS = words("Slovenian Latvian Namibian Mongolian Bolivian Maltese Gabonese Paraguayan")
TITLES = frozenset(
    words("Governor President Senator Minister Prince Princess King Queen Sir Lady Lord Captain Judge Professor Doctor")
)
OTHER_ACRONYMS = words("ORVA KELTA BNQ TRSI HALV DMRO")
OTHER_NAMES = words("Halvorsen Kestrel Ardenne Tolland Brannigan Marchetti Velden Quillby Norvane Ostrava")
ORGANISATIONS = phrases(
    "the University of Tartu|the Lindqvist Institute|the Court of Session|the Baltic Research Council|"
    "a Danish consultancy|the Ministry of Transport of Latvia"
)

UNITS = {
    **dict.fromkeys(words("kilometres kilometers km"), "miles"),
    **dict.fromkeys(words("kilometre kilometer"), "mile"),
    "miles": "kilometres", "mile": "kilometre", "metres": "feet", "meters": "feet", "feet": "metres", "ft": "m",
    "inches": "centimetres", "inch": "centimetre", "cm": "inches", "centimetres": "inches", "centimeters": "inches",
    "mm": "cm", "millimetres": "inches", "millimeters": "inches", "yards": "miles", "kg": "pounds",
    "kilograms": "pounds", "lbs": "kg", "grams": "kilograms", "mg": "g", "milligrams": "grams", "mcg": "mg",
    "ounces": "pounds", "ounce": "pound", "oz": "pounds", "tonnes": "kilograms", "tons": "pounds", "seconds": "minutes",
    "minutes": "hours", "minute": "hour", "hours": "days", "hour": "day", "days": "weeks", "day": "week",
    "weeks": "months", "week": "month", "months": "years", "month": "year", "years": "months", "year": "month",
    "decades": "centuries", "centuries": "decades", "litres": "gallons", "liters": "gallons", "gallons": "litres",
    "ml": "litres", "cups": "tablespoons", "cup": "tablespoon", "tablespoons": "cups", "tablespoon": "cup",
    "teaspoons": "cups", "teaspoon": "cup", "watts": "kilowatts", "kW": "MW", "MW": "kW", "MB": "GB", "GB": "TB",
    "TB": "GB", "dollars": "euros", "euros": "dollars", "thousand": "million", "million": "billion",
    "billion": "million", "trillion": "billion", "acres": "square miles", "hectares": "square kilometres",
    "mph": "km/h", "km/h": "mph", "°C": "°F", "°F": "°C",
}  # fmt: skip
CURRENCIES = {"$": "€", "€": "$", "£": "$"}

AUXILIARIES = words("is are was were am will would can could should must has have had does do did")
# Words that cannot open a name, however they are written.
FUNCTION = frozenset(
    words(
        "a an the this that these those it its he she they we i you his her their our your my there here who whom "
        "whose which what when where why how in on at by to from of with for as and or but nor so yet if while because "
        "since until till after before during although though however therefore moreover furthermore additionally also "
        "then thus meanwhile overall finally first firstly second secondly third next lastly one two three four five "
        "six seven eight nine ten all both each every some many most several few no not yes another other such "
        "according based despite under over about between through today yesterday tomorrow mr mrs ms dr please note "
        "here's it's unlike like given within without among once only even still just instead they're "
        "there's customers people"
    )
)


# What says how many or how often -> its opposite, or near it.
QUANTIFIERS = [
    (re.compile(pattern), new)
    for pattern, new in (
        (r"\b[Aa]ll of (?=the|them|its|his|her|their)", "none of "),
        (r"(?<!not )(?<!at )(?<!of )(?<!after )\b[Aa]ll (?=(?:the )?[a-z]+s\b)", "hardly any "),
        (r"(?<!not )\b[Ee]very (?=[a-z])(?!day|year|week|month|hour)", "hardly any "),
        (r"\b[Mm]ost of (?=them|(?:the|its|his|her|their) [a-z]+s\b)", "few of "),
        (r"(?<!the )\b[Mm]ost (?=[a-z]+s\b)", "few "),
        (r"(?<!as )(?<!how )(?<!so )(?<!too )\b[Mm]any (?=of|[a-z])", "few "),
        (r"\b[Ss]everal (?=[a-z])(?!thousand|hundred|million|dozen)", "hardly any "),
        (r"\b[Ss]ome of (?=the|them|its|his|her|their)", "all of "),
        (r"(?<![Dd]espite )\b[Ss]ome (?=[a-z]+s\b)(?!times)", "all "),
        (r"(?<!a )(?<!the )(?<!next )(?<!last )(?<!past )\b[Ff]ew (?=of|[a-z]+s\b)", "many "),
        (r"\b[Hh]alf of (?=the|them|its|all)", "all of "),
        (r"\b[Tt]he majority of ", "a small minority of "),
        (r"\b[Aa] minority of ", "the great majority of "),
        (r"\balways\b", "never"), (r"\bnever\b", "always"), (r"(?<!more )(?<!how )\boften\b", "hardly ever"),
        (r"\busually\b", "hardly ever"), (r"\bfrequently\b", "hardly ever"), (r"\bsometimes\b", "always"),
        (r"\brarely\b", "very often"), (r"\bseldom\b", "very often"), (r"\bgenerally\b", "hardly ever"),
        (r"\b[Aa]t least (?=\d|a |one|two|three)", "at most "), (r"\b[Aa]t most (?=\d|a |one|two|three)", "at least "),
        (r"\b[Mm]ore than (?=\d|a |one|two|three|half|[$£€])", "less than "),
        (r"\b[Ll]ess than (?=\d|a |one|two|three|half|[$£€])", "more than "),
        (r"\b[Oo]ver (?=\d[\d,.]* (?!years ago)\w|[$£€]\d)", "under "), (r"\b[Uu]p to (?=\d|a |[$£€])", "at least "),
        (r"\b[Tt]housands of ", "a handful of "), (r"\b[Hh]undreds of ", "a handful of "),
        (r"\b[Mm]illions of ", "a handful of "), (r"\bthe largest\b", "the smallest"),
        (r"\bthe smallest\b", "the largest"), (r"\bthe highest\b", "the lowest"), (r"\bthe lowest\b", "the highest"),
        (r"\bthe oldest\b", "the newest"), (r"\bthe longest\b", "the shortest"), (r"\bthe first\b", "the last"),
        (r"\bthe most popular\b", "the least popular"), (r"\btwice a (?=day|week|month|year)", "ten times a "),
        (r"\bonce a (?=day|week|month|year)", "ten times a "),
    )
]  # fmt: skip


def capitalised(text: str) -> str:
    """The text with a capital at its start."""
    return text[:1].upper() + text[1:]


def ends(text: str) -> tuple[str, str]:
    """The sentence without its full stop, and the full stop."""
    body = text.rstrip()
    return (body[:-1], ".") if body.endswith(".") and not body.endswith("..") else (body, "")
