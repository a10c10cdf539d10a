"""Tables that claims are corrupted and reworded by: what may stand for what, and what may be added."""

from __future__ import annotations

_UNIT_FAMILIES = (
    "miles, kilometres, kilometers, metres, meters, feet, yards, inches, centimetres, centimeters, millimeters",
    "mile, kilometre, kilometer, metre, meter, foot, yard, inch, centimetre", "km, m, cm, mm, mi, ft",
    "kilograms, pounds, grams, ounces, tons, tonnes, milligrams, micrograms", "kg, lb, lbs, mg, g, oz",
    "litres, liters, gallons, cups, tablespoons, teaspoons, pints, quarts, milliliters",
    "cup, tablespoon, teaspoon, pint, gallon",
    "seconds, minutes, hours, days, weeks, months, years, decades, centuries",
    "second, minute, hour, day, week, month, year, decade, century", "hundred, thousand, million, billion, trillion",
    "dollars, euros, pounds, yen, cents, rupees, francs", "percent, percentage points, per thousand",
    "%, percentage points", "acres, hectares, square miles, square feet", "mph, km/h, knots",
    "watts, kilowatts, megawatts, gigawatts", "kilobytes, megabytes, gigabytes, terabytes", "Celsius, Fahrenheit",
    "°C, °F", "am, pm", "a.m., p.m.", "AM, PM", "calories, kilojoules", "volts, amperes",
    "points, goals, runs, rebounds",
    "people, families, couples", "men, women, children", "students, teachers", "pages, chapters, volumes", "$, €, £",
)  # fmt: skip
OTHER_UNITS: dict[str, list[str]] = {}
"""What a unit may be mistaken for."""
for _family in _UNIT_FAMILIES:
    for _unit in _family.split(", "):
        OTHER_UNITS.setdefault(_unit, []).extend(other for other in _family.split(", ") if other != _unit)

SWAPS = {
    "quantifier": [
        ("all", "some"), ("all", "none of"), ("every", "hardly any"), ("most", "few"), ("many", "no"), ("many", "few"),
        ("some", "all"), ("several", "no"), ("few", "most"), ("always", "never"), ("often", "rarely"),
        ("usually", "never"), ("sometimes", "always"), ("never", "often"), ("rarely", "often"), ("at least", "at most"),
        ("more than", "less than"), ("less than", "more than"), ("over", "under"), ("up to", "at least"),
        ("both", "neither"), ("only", "not only"), ("may", "must"), ("can", "cannot"),
        ("might", "will certainly"), ("could", "will"), ("mostly", "entirely"), ("partly", "entirely"),
        ("nearly", "more than"), ("almost", "more than"), ("none", "all"), ("no", "many"), ("half", "all"),
        ("one", "all"), ("first", "last"), ("last", "first"), ("largest", "smallest"), ("highest", "lowest"),
        ("second", "third"), ("third", "first"), ("best", "worst"), ("minimum", "maximum"), ("maximum", "minimum"),
        ("each", "only one"), ("everyone", "hardly anyone"), ("everything", "nothing"), ("nobody", "everyone"),
        ("the majority of", "a minority of"), ("a majority of", "few"), ("a few", "nearly all"), ("most", "all"),
        ("most", "none"), ("fewer than", "more than"), ("at most", "at least"), ("a lot of", "hardly any"),
        ("numerous", "few"), ("various", "no"), ("several", "all"), ("many", "all"), ("some", "no"), ("some", "most"),
        ("any", "no"), ("one of the", "the only one of the"), ("twice", "once"), ("once", "several times"),
        ("frequently", "rarely"), ("generally", "never"), ("typically", "rarely"), ("commonly", "rarely"),
        ("occasionally", "always"), ("seldom", "often"), ("completely", "partly"), ("entirely", "hardly"),
        ("fully", "partly"), ("slightly", "greatly"), ("significantly", "slightly"), ("widely", "rarely"),
        ("only", "also"), ("single", "double"), ("both", "only one of the"), ("all of the", "none of the"),
        ("every", "no"), ("every", "almost no"), ("all", "hardly any"), ("all", "only a few"), ("always", "sometimes"),
        ("often", "never"), ("usually", "rarely"), ("under", "over"), ("below", "above"), ("up to", "more than"),
    ],
    "opposite": [
        ("increased", "decreased"), ("increase", "decrease"), ("rose", "fell"), ("higher", "lower"), ("more", "less"),
        ("before", "after"), ("after", "before"), ("won", "lost"), ("lost", "won"), ("wins", "loses"),
        ("above", "below"),
        ("larger", "smaller"), ("older", "younger"), ("born", "raised"), ("died", "was injured"), ("north", "south"),
        ("south", "north"), ("east", "west"), ("west", "east"), ("northern", "southern"), ("early", "late"),
        ("late", "early"), ("began", "ended"), ("started", "ended"), ("opened", "closed"), ("accepted", "rejected"),
        ("approved", "rejected"), ("supports", "opposes"), ("supported", "opposed"), ("positive", "negative"),
        ("mother", "father"), ("father", "brother"), ("brother", "sister"), ("sister", "cousin"), ("son", "daughter"),
        ("daughter", "son"), ("wife", "sister"), ("husband", "brother"), ("male", "female"), ("true", "false"),
        ("guilty", "innocent"), ("alive", "dead"), ("bought", "sold"), ("sold", "bought"), ("sell", "buy"),
        ("gained", "lost"), ("public", "private"), ("left", "right"), ("with", "without"), ("domestic", "foreign"),
        ("legal", "illegal"), ("safe", "dangerous"), ("hot", "cold"), ("dry", "wet"), ("cheap", "expensive"),
        ("easy", "hard"), ("allowed", "forbidden"), ("able", "unable"), ("likely", "unlikely"), ("agreed", "refused"),
        ("red", "blue"), ("black", "white"), ("green", "red"), ("actor", "singer"), ("actress", "director"),
        ("singer", "dancer"), ("writer", "painter"), ("player", "coach"), ("president", "secretary"),
        ("founded", "left"),
        ("album", "film"), ("film", "novel"), ("novel", "play"), ("city", "village"), ("spring", "autumn"),
        ("summer", "winter"), ("winter", "summer"), ("doctor", "lawyer"), ("teacher", "student"), ("daily", "weekly"),
        ("American", "Canadian"), ("British", "French"), ("German", "Austrian"), ("Chinese", "Korean"),
        ("English", "Scottish"), ("Australian", "Irish"), ("French", "Belgian"), ("Russian", "Ukrainian"),
    ],
}  # fmt: skip

ADDITIONS = [
    ", which drew criticism from local residents", ", according to a company spokesperson",
    " for the third time in a row",
    ", making it the first of its kind in the world", ", despite protests", " after a long legal battle",
    ", which was later confirmed by an independent study", " with the help of a private donor", " in secret",
    ", and has since won several awards", ", a decision that was later reversed", " together with a former colleague",
    ", which cost about $4 million", ", much to the surprise of experts", " because of budget cuts",
    ", and plans to expand to Asia next year", " at the request of the government", ", largely due to bad weather",
    ", as reported by The New York Times", " while living in Paris", ", although some experts disagree",
    ", and it is recommended to consult a professional first", ", which is especially important for older people",
    " in order to save money", ", resulting in a record number of visitors", ", following the example of Sweden",
    ", which affects around 12% of the population", ", using a method developed in Japan", " on live television",
    ", and the project is expected to finish in 2030", ", just days after the wedding",
    ", and it is very popular with children",
]  # fmt: skip

REPORTS = ["According to the passage, ", "The text states that ", "Based on the context, ", "It is reported that ",
            "As mentioned, ", "The article says that ", "In short, ", "Overall, ", "Additionally, ",
            "Notably, "]  # fmt: skip
SYNONYMS = [
    ("purchased", "bought"), ("bought", "purchased"), ("started", "began"), ("began", "started"), ("big", "large"),
    ("large", "big"), ("children", "kids"), ("physician", "doctor"), ("film", "movie"), ("movie", "film"),
    ("assist", "help"), ("help", "assist"), ("obtain", "get"), ("approximately", "about"), ("about", "around"),
    ("nearly", "almost"), ("almost", "nearly"), ("famous", "well-known"), ("United States", "US"), ("U.S.", "US"),
    ("United Kingdom", "UK"), ("percent", "%"), ("however", "but"), ("however", "though"), ("required", "needed"),
    ("need", "require"), ("show", "indicate"), ("shows", "indicates"), ("showed", "revealed"), ("ended", "finished"),
    ("also", "in addition"), ("because", "since"), ("died", "passed away"), ("killed", "slain"), ("create", "make"),
    ("created", "made"), ("use", "utilise"), ("used", "employed"), ("rapidly", "quickly"), ("quickly", "fast"),
    ("many", "numerous"), ("numerous", "many"), ("often", "frequently"), ("frequently", "often"), ("said", "stated"),
    ("stated", "said"), ("told", "informed"), ("receive", "get"), ("received", "got"), ("located", "situated"),
    ("attempt", "try"), ("tried", "attempted"), ("huge", "enormous"), ("small", "little"), ("important", "significant"),
    ("main", "primary"), ("company", "firm"), ("car", "automobile"), ("job", "position"), ("wife", "spouse"),
    ("is not", "isn't"), ("are not", "aren't"), ("does not", "doesn't"), ("did not", "didn't"), ("was not", "wasn't"),
    ("isn't", "is not"), ("don't", "do not"), ("doesn't", "does not"), ("didn't", "did not"), ("can't", "cannot"),
    ("won't", "will not"), ("it's", "it is"), ("whole", "entire"), ("entire", "whole"), ("happened", "occurred"),
    ("took place", "was held"), ("in order to", "to"), ("prior to", "before"), ("additional", "more"),
    ("answer", "reply"),
    ("error", "mistake"), ("buy", "purchase"), ("begin", "start"), ("finish", "end"), ("choose", "pick"),
]  # fmt: skip
