"""Verbs of English: which forms may be the finite verb of a clause."""

from __future__ import annotations

from faithmeter.text.english.word_tables import words

BE = words("is are was were am isn't aren't wasn't weren't")
HAVE = words("has have had hasn't haven't hadn't")
MODALS = words(
    "will would can could may might must should shall cannot can't won't couldn't wouldn't shouldn't mustn't do "
    "does did don't doesn't didn't"
)
AUXILIARIES = BE | HAVE | MODALS
SHORTENED = words(
    "it's he's she's that's there's who's they're we're you're i'm they've we've you've i've it'll he'll she'll they'll"
)
"""A pronoun and its auxiliary in one word."""

# Base forms; the rest follows by rule. Nouns of the same form are told apart by what stands before them.
_REGULAR = words(
    """
    abandon accept access accompany account accuse achieve acknowledge acquire act adapt add address adjust admit
    adopt advance advise affect agree aim allow amount analyse analyze announce answer apologise apologize appeal
    appear apply appoint approach approve argue arrest arrive ask assess assign assist assume assure attack attempt
    attend attract avoid award ban base beat become begin believe belong benefit blame boast borrow break bring
    broadcast build burn buy calculate call cancel capture care carry cast catch cause celebrate change charge check
    choose cite claim clean clear climb close coach collect combine come comment commit compare compete complain
    complete comply compose comprise conclude conduct confirm connect consider consist contact contain continue
    contribute control convert convict cook cope cost count cover crash create criticise criticize cross cut damage
    date deal decide declare decline decrease dedicate defeat defend define deliver demand demolish demonstrate deny
    depend describe deserve design destroy detail detect determine develop die differ direct discover discuss
    display distribute divide divorce donate double draw dress drink drive drop earn eat edit educate elect
    eliminate emerge emphasise emphasize employ enable encourage end enforce enhance enjoy ensure enter escape
    establish estimate evolve examine exceed exist expand expect experience explain explode explore expose express
    extend face fail fall feature feed feel fight file fill film find finish fire fit flee float flow fly focus
    follow force form found fund gain gather generate get give go govern graduate grant grow guarantee guide handle
    hang happen hate have head hear help hide highlight hire hit hold honour honor hope host house identify ignore
    illustrate impact implement imply impose improve include incorporate increase indicate infect influence inform
    inherit injure insist inspire install integrate intend introduce invade invent invest investigate invite involve
    issue join jump justify keep kick kill know label lack land last launch lay lead learn leave lend let lie lift
    like limit link list listen live load locate look lose love lower maintain make manage manufacture mark marry
    match matter mean measure meet mention merge miss mix monitor motivate mount move murder name need negotiate
    note notice nominate observe obtain occupy occur offer open operate oppose order organise organize originate
    overcome owe own paint participate pass pay perform permit persuade place plan plant play please point portray
    possess post praise predict prefer prepare present preserve prevent print proceed produce prohibit promise
    promote propose protect prove provide publish pull purchase pursue push put qualify question quit quote raise
    range rank rate reach react read realise realize receive recognise recognize recommend record recover reduce
    refer reflect refuse regain regard register regret reject relate release rely remain remember remind remove
    rename renew rent repair repeat replace reply report represent request require rescue resemble reside resign
    resolve respond rest restore restrict result resume retain retire return reveal review revise rise risk rule run
    rush save say schedule score search secure see seek seem sell send separate serve set settle shape share shift
    shoot show shut sign sing sink sit sleep slow solve sound span speak specialise specialize specify spend split
    sponsor spread stand star start state stay steal stem step stop store strengthen stress stretch strike struggle
    study submit succeed suffer suggest suit supply support surge surprise surrender surround survive suspect
    suspend sustain swim symbolise symbolize take talk target taste teach tell tend test thank think threaten throw
    tie top total touch tour trace track trade train transfer transform translate transport travel treat trigger try
    turn undergo understand unite update upgrade urge use utilise utilize value vary view violate visit vote vow
    wait walk want warn wash watch weaken wear weigh welcome win wish withdraw witness wonder work worry wound wrap
    write yield
    """
)
_IRREGULAR_PAST = words(
    "beat became began bit bore bought bred broke brought broadcast built burnt came cast caught chose clung cost "
    "cut dealt did died drank drew drove ate fell fed felt fought fled flew forbade forgot froze gave got grew "
    "ground had heard hid held hit hung hurt kept knew laid led learnt left lent let lay lit lost made meant met "
    "overthrew overcame paid put quit ran rang read rose said sang sank sat saw sent set shot showed shut slept "
    "slid sold sought spent split spoke spread sprang stood stole struck stuck swam swept swore threw taught told "
    "thought took tore underwent understood won went withdrew woke wore wrote found ended"
)
_IRREGULAR_PARTICIPLES = words(
    "beaten become begun bitten born borne bought bred broken brought built burnt come cast caught chosen cut "
    "dealt done drunk drawn driven eaten fallen fed felt fought flown forbidden forgotten frozen given got gotten "
    "grown had heard hidden held hit hung hurt kept known laid led learnt left lent lit lost made meant met "
    "overthrown overcome paid put read rung risen run said sung sunk sat seen sent set shot shown shut slept sold "
    "sought spent split spoken spread stood stolen struck stuck swum swept sworn thrown taught told thought taken "
    "torn undergone understood won gone withdrawn woken worn written found been"
)


def third_person(base: str) -> str:
    """The form after "he": goes, tries."""
    if base.endswith(("s", "x", "z", "ch", "sh", "o")):
        return base + "es"
    return base[:-1] + "ies" if base.endswith("y") and base[-2] not in "aeiou" else base + "s"


BASES = _REGULAR
THIRD = frozenset(third_person(base) for base in BASES) - {"has"}
PAST = _IRREGULAR_PAST
PARTICIPLES = _IRREGULAR_PARTICIPLES


def _bare(word: str) -> str:
    """A verb without what may stand before it: rebuilt, overthrown, outsold."""
    for prefix in ("re", "over", "under", "out", "un", "mis"):
        rest = word.removeprefix(prefix)
        if rest != word and (rest in PAST or rest in PARTICIPLES):
            return rest
    return word


def is_past(word: str) -> bool:
    """Whether a word looks like a past form or a regular participle."""
    word = _bare(word)
    return word in PAST or (word.endswith("ed") and len(word) > 4 and word not in _NO_VERBS)


def is_participle(word: str) -> bool:
    """Whether a word looks like a past participle."""
    word = _bare(word)
    return word in PARTICIPLES or (word.endswith("ed") and len(word) > 4 and word not in _NO_VERBS)


_NO_VERBS = words(
    "indeed hundred speed exceed proceed succeed breed greed creed united unprecedented so-called seed weed"
)
