"""Word tables of `claim_facts`: which words carry meaning that a paraphrase must not change, and which do not."""

from __future__ import annotations

from collections.abc import Iterable


def words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# NLTK's English stop words, less those with an apostrophe: punctuation is gone before they are looked up.
STOP_WORDS = words(
    """
    a about above after again against ain all am an and any are aren as at be because been before being below
    between both but by can couldn d did didn do does doesn doing don down during each few for from further had
    hadn has hasn have haven having he her here hers herself him himself his how i if in into is isn it its
    itself just ll m ma me mightn more most mustn my myself needn no nor not now o of off on once only or other
    our ours ourselves out over own re s same shan she should shouldn so some such t than that the their theirs
    them themselves then there these they this those through to too under until up ve very was wasn we were
    weren what when where which while who whom why will with won wouldn y you your yours yourself yourselves
    """
)


def _numbered(text: str, values: Iterable[int]) -> dict[str, int]:
    return dict(zip(text.split(), values, strict=True))


def _to_first(groups: str) -> dict[str, str]:
    """Map every word of a group to the group's first; a bar separates groups."""
    return {word: group.split()[0] for group in groups.split("|") for word in group.split()}


# Words a rewording may add, drop or swap without changing what is claimed.
FREE = words("a an the also additionally furthermore moreover namely indeed")

NEGATIONS = words(
    "not no never none nobody nothing nowhere neither nor without non hardly barely scarcely rarely seldom "
    "unable fail failed fails lack lacks lacked deny denies denied refuse refuses refused except"
)
QUANTIFIERS = words(
    "all every each any some both either several many much most few fewer little least half only exclusively "
    "solely entire entirely whole majority minority always often sometimes usually mostly partly almost nearly "
    "dozens hundreds thousands millions billions once twice thrice again single multiple numerous various"
)
COMPARATIVES = words(
    "more less than greater over under above below before after since until till earlier later higher lower larger "
    "smaller bigger better worse best worst longer shorter older younger faster slower exactly about around "
    "approximately roughly same different equal increase increased decrease decreased rose fell up down"
)
MODALS = words(
    "may might can could must shall should will would possibly probably perhaps likely unlikely allegedly reportedly "
    "supposedly apparently certainly definitely potentially maybe seem seems seemed appear appears plan plans planned "
    "expect expected expects intend intends intended claim claims claimed believe believes believed if unless"
)

# What makes the noun after it one or many: "his son" and "his sons" are told apart.
DETERMINERS = words(
    "the a an his her its their my our your this that these those some any no each every both all many several few most"
)

CONTRACTIONS = {"n't": "not", "'re": "are", "'ve": "have", "'ll": "will", "'m": "am", "'d": "would"}
# "'s" is short for "is" after these, and marks a possessor elsewhere.
IS_AFTER = words("it he she that there here what who where when how this let")

SMALL = _numbered(
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
    "seventeen eighteen nineteen",
    range(20),
)
TENS = _numbered("twenty thirty forty fifty sixty seventy eighty ninety", range(20, 100, 10))
SCALES = {"hundred": 100, "thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12}
SUFFIXES = {"k": 10**3, "m": 10**6, "mn": 10**6, "bn": 10**9, "b": 10**9, "tn": 10**12}
"""Amounts beside a currency; elsewhere "5 k" may be a race, and "330 m" a distance."""
ORDINALS = _numbered(
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth "
    "fifteenth sixteenth seventeenth eighteenth nineteenth twentieth thirtieth fortieth fiftieth hundredth",
    [*range(1, 21), 30, 40, 50, 100],
)
WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
MONTHS = _numbered(
    "january february march april may june july august september october november december "
    "jan feb mar apr jun jul aug sep sept oct nov dec",
    [*range(1, 13), 1, 2, 3, 4, 6, 7, 8, 9, 9, 10, 11, 12],
)

# Names of one unit. Not here: what may be another unit elsewhere (pounds of weight, dollars not of the US).
UNITS = _to_first(
    "% percent pct|kilometre kilometres kilometer kilometers km|metre metres meter meters|"
    "centimetre centimetres centimeter centimeters cm|millimetre millimetres millimeter millimeters mm|"
    "mile miles mi|foot feet ft|inch inches|yard yards yd|kilogram kilograms kg|gram grams|"
    "pound pounds|lb lbs|ounce ounces oz|tonne tonnes|litre litres liter liters|hour hours hr hrs|"
    "minute minutes min mins|seconds sec secs|year years yr yrs|month months|week weeks|day days|"
    "decade decades|century centuries|dollar dollars|usd|euro euros eur|sterling gbp|yen jpy|yuan cny|rupee rupees|inr|"
    "cent cents|kmh kph|mph|celsius|fahrenheit|hectare hectares|acre acres|watt watts|kilowatt kW KW|megawatt MW|"
    "gigabyte GB|megabyte MB|terabyte TB|kilobyte kB KB|degree degrees|"
    "mg|g|µg|μg|mcg|ng|ml|cl|dl|l|kcal|kj|hz|khz|mhz|ghz|iu|mmol|ppm|ppb|¢|₩|₽|₺|₿|‰"
)
# Written otherwise they are other units: Mb is a megabit, mW a milliwatt.
CASED_UNITS = words("kw mw gb mb tb kb")
DURATIONS = words("year month week day hour minute seconds decade century")
CURRENCIES = {"$": "dollar", "€": "euro", "£": "sterling", "¥": "¥", "₹": "inr"}
MONEY = frozenset(CURRENCIES.values()) | words("usd yen yuan rupee pound")

# Words that stand for each other in any claim. A word with another sense does not belong here, even if that sense is
# rare: "ruled" may be a court's and "needs" no law's. Names are never reworded: the Labour Party is no Labor Party.
SYNONYMS = _to_first(
    "film movie|films movies|begin start commence|began started commenced begun|begins starts|"
    "purchase buy|purchased bought|automobile car|lawyer attorney|death fatality|deaths fatalities|television tv|"
    "although though|toward towards|among amongst|amid amidst|while whilst|assisted helped|"
    "airplane aeroplane|photograph photo|telephone phone|"
    "organisation organization|programme program|colour color|centre center|theatre theater|"
    "honour honor|labour labor|favour favor|behaviour behavior|neighbour neighbor|defence defense|"
    "licence license|grey gray|catalogue catalog|travelled traveled|cancelled canceled|jewellery jewelry|"
    "aluminium aluminum|tumour tumor|flavour flavor|harbour harbor|rumour rumor|"
    "organise organize|organised organized|recognise recognize|recognised recognized|analyse analyze|"
    "mother mom|father dad|versus vs|information info|advertisement ad|okay ok|"
    "permitted allowed|error mistake|previously formerly|subsequently afterwards afterward|annually yearly"
)
# Present participles of common verbs, so that "is jumping" is read as "jumps".
GERUNDS = {
    verb + "ing": verb
    for verb in words(
        "jump stand walk play talk look wear hold sleep eat work climb fight read cook wait watch paint sing sell "
        "drink show grow call listen perform stay speak laugh point clean build pull push throw fall fish"
    )
} | _to_first(
    "run running|sit sitting|swim swimming|ride riding|drive driving|dance dancing|smile smiling|make making|"
    "take taking|use using|give giving|have having|live living|write writing|skate skating|get getting|"
    "put putting|shop shopping|lie lying|move moving|race racing|pose posing"
)

VERBS = frozenset(GERUNDS.values())

# Several words for one, or for fewer.
PHRASES = {
    tuple(phrase.split()): shorter
    for phrase, shorter in {
        "per cent": "%", "united states of america": "usa", "united states": "usa", "united kingdom": "uk",
        "motion picture": "film", "passed away": "died", "academy award": "oscar", "academy awards": "oscars",
        "in order to": "to", "as well as": "and", "for instance": "for example", "a dozen": "12",
        "a number of": "several", "prior to": "before", "in addition": "", "in addition to": "besides",
        "no one": "nobody", "no fewer than": "at least", "no less than": "at least", "no more than": "at most",
        "is located": "is", "is situated": "is", "are located": "are", "are situated": "are",
    }.items()
}  # fmt: skip
# What these mean before a number; elsewhere they are themselves.
BEFORE_NUMBER = {
    "over": "more than", "above": "more than", "exceeding": "more than", "under": "less than", "below": "less than",
    "fewer than": "less than", "greater than": "more than", "higher than": "more than", "lower than": "less than",
    "about": "approximately", "around": "approximately", "roughly": "approximately", "circa": "approximately",
    "nearly": "almost", "~": "approximately", "≈": "approximately", ">": "more than", "<": "less than",
    "≥": "at least", "≤": "at most",
}  # fmt: skip
ACRONYMS = {"us": "usa", "usa": "usa", "uk": "uk"}

# Past participles that do not end in -ed, so that "has won" is read as "won".
PARTICIPLES = words(
    "won made written known given taken seen gone done begun become come found held kept left led lost met paid "
    "put read run said sent set shown sold spent taught told thought brought built bought born grown drawn driven "
    "fallen flown chosen broken spoken stolen sung swum worn thrown hit cut"
)
FUNCTION = words(
    "of in on at by to from with for as is are was were be been being am has have had do does did and or but that this "
    "these those it its he she they them his her their him i we you who which what when where why how there into onto "
    "about so than then if while because though although no not all"
)
DISCOURSE = words(
    "yes yeah ok okay sure indeed well soon too therefore thus hence consequently meanwhile nevertheless nonetheless "
    "besides likewise similarly actually basically specifically notably importantly finally lastly firstly secondly "
    "please simply really quite namely regarding yet"
)
"""Words that lead, join or colour what is said, and say nothing of it."""
BE = words("is are was were be been being am became become becomes remains remained")
# Prepositions that open a phrase which may stand first or last.
FRONTABLE = words("in on at during since after before by throughout until within from as for with")
# Words that join clauses: with one of them inside, a phrase at the front belongs to one clause only.
CLAUSES = words("that who which when while because but and after before if said says where")
