"""The closed formulas of talk that claims nothing: greetings, offers, refusals, lead-ins, questions to the reader.

Every pattern is made of fixed words. The only open places are a name after a greeting and `§`, which stands for words
of the user's own question: what the user said is no claim of the answer. A formula may be followed by another one,
never by free text, so "Sure, Einstein was born in France" is no formula.
"""

from __future__ import annotations

import re


def _any(*alternatives: str) -> str:
    return "(?:" + "|".join(alternatives) + ")"


def _words(text: str) -> str:
    return "(?:" + "|".join(text.split()) + ")"


# What an answer was made from.
_SOURCE_NOUN = _any(
    _words("contexts? passages? documents? texts? information sources? articles? materials? data excerpts? snippets?"),
    "search results",
    "knowledge base",
    r"(?:structured )?(?:json )?data(?: in json format)?",
)
_SOURCE = (
    r"(?:(?:the|this|these|those|any|any of the|your|my|our|all) )?"
    r"(?:(?:provided|given|supplied|retrieved|available|above|source|following|news|structured|limited|two|three) )*"
    + _SOURCE_NOUN
    + r"(?: (?:provided|given|available|above|i have|i was given|at hand|you provided|you shared))?"
)
# Before a sentence is compared, "based on the provided context" becomes ¤, and a run of the user's own words §.
BASED = re.compile(
    r"\b(?:based (?:only |solely |purely )?on|from|according to|given|using|with|in|within|per|as per|by) "
    rf"(?:only )?{_SOURCE}(?: alone| only)?\b",
    re.IGNORECASE,
)
# The user's words, held together by words that say nothing by themselves; no verb that could make them a statement.
ECHO = re.compile(
    r"(?:\b(?:a|an|the|of|to|in|on|for|with|from|at|by|between|into|per|as|your|you|my|i|we|their|its|his|her|this|"
    r"these|"
    r"any|some|various|several|other|and|or|vs\.?|how to|how you can) |[\"'(])*§(?:[ ,'\"/()-]+(?:(?:a|an|the|of|to|"
    r"in|on|for|"
    r"with|from|at|by|between|into|per|as|your|you|my|i|we|their|its|his|her|this|these|any|some|various|several|"
    r"other|and|"
    r"or|vs\.?|can) )*§)*[\"')]*",
    re.IGNORECASE,
)
_DETERMINER = r"(?:(?:a|an|the|any|this|that|these|those|your|his|her|its|their|my|some|no|any of the) )?"
_ADJECTIVES = (
    r"(?:(?:exact|specific|precise|relevant|additional|further|more|enough|sufficient|other|such|direct|definitive|"
    r"definite|clear|complete|detailed|reliable|explicit|full|satisfactory|correct|accurate|useful|related|necessary|"
    r"required|up-to-date|current|real-time|verified) )*"
)
_INFORMATION = _words("information info details? answers? context data mention response explanation instructions?")
_ATTRIBUTE = _words(
    "price prices cost costs fee fees date dates day month year time age name names number amount location place "
    "address birthplace birthday deadline duration length height width weight size distance reason reasons cause "
    "author owner version model colour color quantity percentage rate rates salary budget schedule phone email "
    "nationality occupation population temperature title topic subject matter question request query item product "
    "person event company requirements? procedure process policy steps? method source sources limit limits"
)
_THING = f"{_DETERMINER}{_ADJECTIVES}(?:{_INFORMATION}|{_ATTRIBUTE})"
_ABOUT = (
    r"(?:§|(?:about|on|regarding|concerning|related to|relating to|relevant to|of|for|as to|to|to answer) "
    rf"(?:it|this|that|them|him|her|these|those|{_THING}|§))"
)
_OBJECT = _any(
    r"(?:it|this|that|so|you|them|anything|much|for (?:sure|certain)|any of (?:this|that|it))(?: for you)?",
    rf"(?:with |to )?{_THING}(?: (?:or|and|nor) {_THING})?(?: {_ABOUT})?(?: you(?:'re| are) (?:looking for|asking "
    rf"for))?",
    r"(?:with |about )(?:it|this|that|this one|§)",
    r"you with (?:it|this|that|this (?:question|request|one|topic)|your (?:question|request))",
    r"(?:whether |if )?§(?: (?:is|are|was|were|has|have|can|does|do|did|will|would|be|been|should) §)*",
)
# Without a source beside it, "it is impossible to determine the cause" may be a finding.
_ASKED = r"(?:it|this|that|for (?:sure|certain)|(?:the|this|that|your) (?:question|request|query)|§)"
_IMPOSSIBLE = r"(?:unable|not possible|impossible) to (?:answer|determine|say|tell|provide an answer)"

_NAME = (
    r"(?-i:(?:(?:Mr|Mrs|Ms|Mx|Dr|Prof|Sir|Madam)\.? )?"
    r"(?:(?!(?:Is|Was|Are|Were|Has|Had|The|Your|You|No|Not|Yes|It|He|She|They|We|This|That|Can|Will|Does|Did)\b)"
    r"[A-Z][a-zà-ÿ]+(?:[-'][A-Z][a-zà-ÿ]+)?)(?: (?!(?:Is|Was|Are|Were|Has|Had|Can|Will|Does|Did)\b)[A-Z]\.?[a-zà-ÿ]*)"
    r"{0,2})"
)
_ROLE = r"(?:valued )?(?:customer|user|friends?|all|team|sir or madam|sir|madam|student|reader|guest|colleague|client)"

_REACHING = (
    r"(?:asking|reaching out|contacting (?:us|me|support)|waiting|getting in touch|writing(?: in| back)?|sharing(?: "
    r"(?:that|this|the details|your thoughts|the context))?|"
    r"clarifying|checking in|confirming|bringing (?:this|that|it) to "
    r"(?:my|our) attention|letting (?:me|us) know|understanding|using our service|bearing with (?:me|us)|"
    r"(?:your|the|this|that|these|all the|all your) (?:(?:great|good|kind|interesting|thoughtful|detailed|quick|"
    r"patient|"
    r"additional|excellent) )?"
    r"(?:question|questions|message|email|inquiry|enquiry|patience|time|help|details|feedback|interest|understanding|"
    r"information|reply|request|context|clarification|kind words|note)(?: and (?:patience|understanding|time|"
    r"interest))?)"
    r"(?: (?:to (?:us|me)|today|about this|with (?:us|me)|again))?"
)
_WITH = (
    r"(?: with (?:that|this|it|your (?:question|request|query|order|issue|problem)|anything(?: else)?|any (?:other |"
    r"more "
    r"|further )?questions?(?: you (?:may |might )?have)?))?"
)
_HELPING = (
    r"(?:help|assist|be of (?:help|service|assistance)|answer (?:that|this|it|your questions?|any (?:other |more |"
    r"further )?"
    rf"questions?))(?: you)?(?: out)?(?: further)?{_WITH}(?: today)?"
)
_DETAIL = (
    r"(?:(?:this|that|it|any of (?:this|that|these|it)|any part|a specific part|further|more|again|about (?:it|this|"
    r"that)|"
    r"on (?:it|this|that|any of these points|any of this|a specific (?:point|part|step))|in (?:more|greater) (?:detail|"
    r"depth)|in simpler terms|for you|step by step|with an example|an example|some examples|more details|a summary|"
    r"(?:more|further|additional) (?:information|info|context|examples)) ?)*"
)
_ACT = (
    r"(?:explain|elaborate|clarify|expand|go (?:on|deeper|into (?:more|greater) detail)|provide|give|give you|show you|"
    r"share|summari[sz]e|help|continue|proceed|look (?:it|this|that) up|look into (?:it|this|that)|check(?: again)?|"
    r"repeat|"
    rf"rephrase|try again|walk you through|simplify|break (?:it|this|that) down|do (?:that|this|so))(?: {_DETAIL})?"
)
_NEED = (
    r"(?:(?:any|some|an?|more|further|additional|other|specific|follow-up|the|a few|a bit|any other|any more|"
    r"any further|any specific|any additional) )*"
    r"(?:questions?|concerns?|doubts?|help|assistance|support|information|info|details?|clarifications?|guidance|"
    r"context|"
    r"examples?|explanations?|feedback|queries|route|itinerary|summary|table)"
    r"(?: (?:on|about|with|regarding) (?:this|that|it|anything(?: else)?|any of (?:this|these|that)))?"
)
_WANT = _any(
    rf"{_NEED}(?:(?:,| or| and|, or)(?: (?:need|have|want|require|would like))? {_NEED}){{0,2}}",
    r"(?:anything|something) (?:else|more|further)",
    r"to (?:know|learn|hear|see|dig in) (?:more|an example|anything else|further)",
    rf"(?:for )?me to {_ACT}",
    r"to (?:continue|proceed|know more|go deeper|try again|discuss (?:this|it) further)",
)
_IF = _any(
    r"(?:if|should|in case|whenever) you(?:'d| would)?(?: ever| still| happen to| also)? (?:have|need|want|like|"
    r"require|"
    rf"are looking for|would like) {_WANT}(?:,? (?:or|and)(?: if)?(?: you)?(?: (?:have|need|want|would like|'d "
    rf"like))? {_WANT}){{0,1}}",
    r"if (?:there's|there is) (?:anything|something) (?:else|more)(?: (?:i|we) can (?:help|do|assist)(?: you)?"
    r"(?: with| for you)?(?: today)?)?",
    r"if (?:anything|something|any of (?:this|that)|that|this|it) (?:is|isn't|remains|is still|is not) "
    r"(?:unclear|clear|confusing|what you (?:need|were looking for|mean|meant))",
    r"if you(?:'d| would) like",
    r"if (?:this|that|it) (?:helps|works(?: for you)?|makes sense|answers your question)",
    r"if you (?:get stuck|need me|run into (?:any )?(?:problems|issues|trouble))",
)
_OFFER = _any(
    r"(?:please |just |do )*(?:let (?:me|us) know|ask(?: me| away)?|say the word|reach out|contact (?:me|us))"
    r"(?: anytime| any time)?",
    r"(?:please )?(?:do )?(?:feel free|don't hesitate|do not hesitate|never hesitate) to "
    r"(?:ask(?: away| me| us)?(?: anything(?: else)?)?|reach out|contact (?:me|us)|get in touch|let (?:me|us) know|"
    r"write(?: back| to us)?|"
    rf"follow up|message (?:me|us)|reply|share)(?: {_NEED})?(?: to (?:me|us)| anytime| any time| again| at any time|"
    rf" here)*"
    rf"(?: (?:with|for) {_NEED})?",
    rf"(?:i'm|i am|we're|we are)(?: always)? here(?: to {_HELPING}| for you)?",
)

# "Sure!" greets when the user asked for something, and is the answer when the user asked whether something is so.
AFFIRMATION = (
    r"(?:sure(?: thing)?|certainly|of course|absolutely|definitely|okay|ok|alright|all right|no problem(?: at all)?|"
    r"no worries|my pleasure|with pleasure)"
)
GREETING = _any(
    r"(?:hi|hello|hey|hiya|howdy|greetings|good (?:morning|afternoon|evening|day)|welcome(?: back)?)"
    rf"(?:,? (?:there|again|all|everyone|everybody|team|folks|friend))?(?:,? {_NAME})?",
    rf"dear (?:{_NAME}|{_ROLE})",
    r"to whom it may concern",
    r"got it|understood|noted|i see|i understand(?: your (?:question|concern|frustration))?",
    r"(?:(?:that's|that is|this is|what) )?(?:an? )?(?:really |very )?(?:great|good|excellent|interesting|important|"
    r"fair) "
    r"question",
    r"(?:many |much )?(?:thanks|thank you)(?: (?:so much|very much|a lot|again|in advance))*"
    rf"(?: for {_REACHING})?",
    rf"(?:i|we)(?: really)? appreciate (?:it|{_REACHING})",
    r"you(?:'re| are)(?: very| most| always)? welcome|don't mention it",
    rf"(?:(?:i'm|i am|i'd be|i would be|i'll be|we're|we are|we'd be|we would be|always|more than|very) )*"
    rf"(?:happy|glad|pleased|delighted|ready|here) to (?:{_HELPING}|{_ACT})(?:,? (?:if|as) (?:needed|necessary))?",
    rf"(?:let me|i can|i'll|i will|allow me to) {_HELPING}",
    r"(?:i )?(?:do |really |sincerely )?hope (?:this|that|it|these|my)(?: (?:information|answer|explanation|summary|"
    r"overview|details|guide|response|tips|steps))? (?:helps?(?: (?:clarify|explain|clear up) (?:things|it|this))?|"
    r"helped|(?:is|was|are|were) (?:helpful|useful|clear|what you "
    r"(?:needed|were looking for))|answers? (?:your|the) questions?|clarif(?:y|ies) (?:things|it)|clears? (?:things|"
    r"it) up|"
    r"makes? sense)(?: you)?(?: out)?(?: a bit| a little)?",
    r"(?:i )?hope you(?:'re| are) (?:doing )?well|(?:i )?hope you(?:'re| are) having a (?:great|good|nice) day",
    rf"{_IF}(?:,| then)* (?:{_OFFER}|(?:i|we) can {_ACT}|(?:i'm|i'd be|i am) (?:happy|glad) to (?:{_ACT}|"
    rf"{_HELPING}))|{_OFFER}(?:,? {_IF}(?:,? or {_IF})?)?",
    r"(?:(?:with )?(?:best|kind|warm|warmest|kindest) )?(?:regards|wishes)|(?:yours )?(?:sincerely|truly|faithfully)|"
    r"best|"
    r"cheers|good ?bye|bye(?: for now)?|see you(?: soon| later)?|take care(?: of yourself)?|stay safe|good luck|all "
    r"the best|"
    r"enjoy(?: your (?:day|meal|trip|stay|weekend|visit|reading))?|(?:happy|safe) (?:travels|trails|cooking|baking|"
    r"coding|"
    r"reading|learning|gardening|hiking|holidays|writing|studying)",
    r"(?:have|wishing you) an? (?:great|nice|good|lovely|wonderful|pleasant|safe|fantastic|amazing) (?:day|one|evening|"
    r"weekend|week|trip|flight|time|night|rest of your day|afternoon)(?: ahead)?",
    r"(?:the|your)(?: customer)? (?:support|service|care|sales|help desk) team|your (?:ai |virtual )?assistant",
)

_NOT = (
    r"(?:cannot|can't|can not|could not|couldn't|(?:am|are|was|were|'m|'re) (?:unable|not able) to|wasn't able to|"
    r"weren't able to|won't be able to|am currently unable to)"
)
_HEDGE = (
    r"(?:(?:really|currently|confidently|actually|unfortunately|definitively|also|directly|explicitly|specifically) )*"
)
_AI_CANNOT = (
    r"(?:provide|give|offer|share|form)(?: you)?(?: with)? (?:(?:any|specific|personal|personali[sz]ed|medical|legal|"
    r"financial|professional|investment|tax|real-time|or|an?) )*(?:advice|opinions?|diagnos[ie]s|information|data|"
    r"recommendations|updates|predictions)|(?:browse|access|search|use) (?:the )?(?:internet|web)|access "
    r"(?:real-time|current|"
    r"external|personal|private|your)(?: personal| account)? (?:information|data|files|accounts?|websites|records)|"
    r"have "
    r"(?:(?:personal|any|real) )*(?:opinions|feelings|emotions|beliefs|experiences|preferences|access to (?:real-time|"
    r"current|external|personal|the|your)(?: personal| account)? (?:information|data|internet|files|accounts?))|"
    r"predict the "
    r"future|do that|help with that|assist with that|answer that|make (?:phone )?calls|open links|(?:…|\.\.\.)"
)

_NO_ANSWER = _any(
    rf"(?:i|we) (?:do not|don't) {_HEDGE}know",
    r"(?:i|we) (?:did not|didn't) find",
    rf"i ?{_NOT} {_HEDGE}(?:answer|say|tell|determine|confirm|verify|find|help|assist|provide|give|respond|comply|"
    rf"locate|comment|"
    r"see)(?: you)?",
    rf"we ?{_NOT} {_HEDGE}(?:answer|determine|find|help|assist)",
    rf"{_SOURCE} (?:does not|doesn't|do not|don't|did not|didn't) (?:appear to |seem to )?{_HEDGE}"
    r"(?:mention|provide|specify|state|say|give|discuss|address|answer|indicate)(?: about| on)?",
    rf"(?:it(?:'s| is) )?{_IMPOSSIBLE}(?= (?:{_ASKED}|.*¤)|\W*\Z)",
)

REFUSAL = _any(
    rf"(?:i'm afraid (?:that )?)?{_NO_ANSWER}(?: {_OBJECT})?(?: ¤)?(?: {_ABOUT})?",
    rf"(?:(?:i|we) (?:do not|don't) {_HEDGE}have|{_SOURCE} (?:does not|doesn't|do not|don't|did not|didn't) "
    rf"(?:appear to |seem to )?"
    rf"{_HEDGE}(?:contain|include|have|cover)) (?:it|this|that|§|(?:(?:enough|any|sufficient|access to|the|an|this|"
    rf"that) )*"
    rf"{_ADJECTIVES}{_INFORMATION}(?: {_ABOUT})?)(?: ¤)?",
    r"(?:i'm|i am|we're|we are) (?:not (?:entirely |quite |completely |really )?(?:sure|certain)|unsure)"
    r"(?: (?:about|of|how to answer) (?:this|that|it|the answer|§))?",
    rf"{_SOURCE} (?:(?:is|are) (?:not (?:enough|sufficient)|insufficient) to answer {_OBJECT}|lacks? {_THING})",
    rf"(?:this|that|it|this information|the answer|{_DETERMINER}{_ATTRIBUTE}) (?:is|are|was) (?:not|n't) "
    rf"(?:explicitly |"
    rf"specifically )?(?:mentioned |specified |stated |found |available |provided |given |covered |included )?¤",
    r"(?:this|that|it|the answer) (?:cannot|can't|could not|couldn't) be (?:answered|determined|found)(?: ¤)?",
    rf"there (?:(?:is|was|are|were) (?:no|not any|not enough|insufficient)|(?:isn't|is not|aren't) (?:any|enough)) "
    rf"{_ADJECTIVES}(?:information|info|details?|mention|answer|context)"
    rf"(?: {_ABOUT})?(?: ¤)?(?: {_ABOUT})?",
    rf"(?:not enough|insufficient) {_ADJECTIVES}(?:information|context|data)(?: (?:available|provided))?(?: "
    rf"{_ABOUT})?(?: ¤)?",
    rf"no {_ADJECTIVES}(?:information|info|details|answers?|results|mention|matches)(?: {_ABOUT})?"
    rf"(?: (?:is|was|are|were|could be|has been))? (?:found|available|(?:given|provided) ¤)(?: {_ABOUT})?(?: ¤)?",
    r"(?:(?:as|i'm|i am)(?: just| only)? an ai(?: language model| assistant| model| chatbot)?(?:,| and| so)* )"
    rf"i(?: am not able to| do not| don't| can't| cannot| am unable to|'m unable to| won't) (?:{_AI_CANNOT})",
    rf"i (?:can't|cannot|am unable to|am not able to|won't) (?:{_AI_CANNOT})",
)
SORRY = (
    _any(
        r"(?:(?:i'm|i am|we're|we are) )?(?:very |really |so |truly |terribly )*(?:sorry|afraid)",
        r"(?:(?:my|our|sincere) )*apologies|(?:i|we)(?: sincerely| do)? apologi[sz]e|unfortunately|regrettably",
    )
    + r"(?: (?:to hear (?:about )?(?:that|this|it|your (?:experience|loss|trouble))|"
    r"(?:about|for) (?:that|this|it|the (?:confusion|inconvenience|mistake|misunderstanding|delay|error|trouble)|"
    r"any (?:confusion|inconvenience|misunderstanding))))?"
)

_PART = (
    r"(?:answers?|summary|summaries|overview|steps?|list|explanation|breakdown|examples?|details|information|"
    r"instructions|"
    r"guide|ways?|tips|points?|takeaways|options|possibilities|suggestions|ideas|results|highlights|response|version|"
    r"outline|"
    r"description|comparison|table|differences|similarities|benefits|advantages|disadvantages|pros|cons|reasons|"
    r"factors|"
    r"features|findings|facts|things|recap|rundown|look|draft|code|solution|methods|symptoms|causes|effects|uses|"
    r"traits)"
)
_KIND_OF = (
    r"(?:(?:my|a|an|the|some|your|few|two|three|four|five|all|brief|short|quick|concise|simple|detailed|step-by-step|general|possible|"
    r"key|main|"
    r"common|potential|objective|basic|relevant|helpful|useful|following|complete|full|high-level|important|additional|"
    r"several|revised|updated|requested|direct|more|of|and|clear|structured|bullet|bulleted) )*"
)
_TAIL = _any(
    rf" (?:of|for|to|about|on|from|in|according to|based on) (?:{_SOURCE}|(?:the )?(?:main|key) points|"
    r"(?:the|your|this) (?:question|request|topic|story|news|conversation|business|local business|query))",
    r" (?:in|within|of|under) (?:about |under |around )?\d{1,3} words(?: or (?:less|fewer))?",
    r" you (?:requested|asked for|need|can (?:follow|use|take|try))",
    r" (?:below|as follows|again|as requested|for you|to (?:follow|consider|help you(?: get started)?|get (?:you "
    r")?started))",
    r" (?:to the question |on )?§",
    " ¤",
)
_LEAD = _any(
    rf"(?:here(?:'s| is| are)|below (?:is|are)) {_KIND_OF}(?:{_PART}(?:{_TAIL})*|"
    rf"what (?:i (?:found|know)|you need to know|the {_SOURCE_NOUN} says?)|"
    rf"§(?:{_TAIL})*)",
    r"here (?:you go|it is|they are|we go)",
    r"in (?:summary|short|conclusion|brief|other words|a nutshell)|to (?:summari[sz]e|sum up|conclude|recap|answer "
    r"(?:your|the) "
    r"question)|overall|(?:let's|let us|let me) (?:break (?:it|this|that) down|take a (?:closer )?look|dive in|get "
    r"started|see|explain|walk you through (?:it|this|the steps)|"
    r"check(?: (?:that|this|it))?(?: for you)?|go (?:through|over) (?:it|this|them)(?: together| step by step)?|start|"
    r"take (?:it|this|that) step by step|summari[sz]e)",
    r"for (?:example|instance)",
)
LABEL = _any(
    rf"(?:(?:the following|these|this) (?:is|are) )?{_KIND_OF}{_PART}(?:{_TAIL})*"
    r"(?: (?:is|are|include|includes)(?: as follows| the following| below)?| follows?)?",
    r"§ (?:is|are|include|includes|means)(?: to)?(?: either)?(?: as follows| the following)?(?: (?:steps|purposes|"
    r"ways))?",
    r"(?:please )?(?:follow|see|try|consider) (?:these|the) (?:steps|instructions|points|tips)(?: below)?(?: "
    r"carefully)?",
    r"(?:note|example|examples|conclusion|references|sources|tl;dr|answer|response|question|context|summary)",
    r"(?:passage|step|section|part|method|option|phase|example|question|document|source|context) (?:\d{1,2}|[a-d]|"
    r"one|two|three)",
)
LEAD_IN = _any(rf"(?:{_LEAD})(?:,? ¤)?", "¤")

_ITEM = (
    r"(?:question|request|order number|account number|order|account|email(?: address)?|name|phone number|model|version|"
    r"product|device|plan|city|country|state|region|location|date|dates|destination|budget|booking(?: reference| "
    r"number)?|"
    r"reservation|error message|error|operating system|browser|topic|document|section|part|option|one|time ?zone|"
    r"zip code|"
    r"language|file|invoice|invoice number|ticket number|issue|problem|details|preferences?|requirements?|use case|"
    r"goal|"
    r"policy number|student id|year|size|colou?r|format|name|age)"
)
_YOU_MEAN = (
    r"(?: (?:are you|were you|you(?:'re| are| were)|do you|would you|did you|you) ?(?:using|referring to|asking "
    r"about|looking for|"
    r"interested in|talking about|mean|meant|have|need|want|prefer|like|like to know(?: more)? about|want to "
    r"know(?: more)? about|"
    r"running|working (?:on|with)|travell?ing (?:to|from))?(?: (?:to know )?more about)?)?"
)
QUESTION = _any(
    rf"(?:would you (?:like|prefer|want)|do you (?:want|need|require|have)|did you (?:want|need)|are you looking "
    rf"for) (?:{_WANT}|"
    rf"to {_ACT})(?: (?:on|about) (?:this|that|it|anything specific))?(?: for me)?",
    r"(?:is|was) there (?:anything|something) (?:else|specific|in particular|more)(?: (?:that )?(?:i|we) can (?:help|"
    r"do|assist)"
    r"(?: you)?(?: with| for you)?(?: today)?| you(?:'d| would) like(?: me)? to (?:know|ask|discuss|add|explain|"
    r"clarify))?",
    r"(?:anything|something) else(?: (?:i|we) can (?:help|do|assist)(?: you)?(?: with| for you)?(?: today)?| "
    r"you(?:'d| would) like "
    r"to know)?|(?:any )?(?:other |more |further )?questions|(?:need|want) (?:more )?(?:help|details|info|information)",
    rf"(?:(?:how|what) )?(?:can|may|else can|could) (?:i|we) (?:{_HELPING}|do for you)(?: with| today)*",
    rf"(?:can|could|would|will) you (?:please |kindly )?(?:clarify|provide|share|tell me|give me|specify|confirm|"
    rf"rephrase|"
    rf"elaborate(?: on)?|let me know|describe|explain|send(?: me)?|upload|be more specific)(?: (?:me )?(?:with "
    rf")?(?:(?:(?:a bit|a "
    rf"little|some|any) )?(?:more|further|additional|some|any)? ?(?:details?|context|information|info|specifics)(?: "
    rf"(?:about|on) "
    rf"(?:your|the|this) {_ITEM})?|(?:about )?(?:your|the|which|what|a|this) (?:specific |full |exact "
    rf")?{_ITEM}{_YOU_MEAN}|what you "
    rf"(?:mean|meant|need|want|are looking for)(?: by (?:this|that|it))?|where you(?:'re| are) (?:located|based)|"
    rf"this|that|it))?",
    rf"(?:which|what)(?: kind of| type of| specific| exact)? {_ITEM}{_YOU_MEAN}",
    rf"what(?:'s| is| was) (?:your|the) {_ITEM}(?: you(?:'re| are) (?:using|asking about|looking for))?",
    r"what (?:would you like(?: to (?:know|do next|do|discuss|learn))?(?: me to do)?(?: (?:more )?about)?|do you "
    r"(?:mean|need|think)|"
    r"are you (?:looking for|interested in|trying to do)|else (?:would you like|do you want|do you need)(?: to "
    r"know)?|(?:is|'s) on "
    r"your mind)(?: by (?:that|this|it))?(?: help with)?|where are you (?:located|based|travell?ing from)",
    r"(?:can|could) you (?:please )?tell me (?:a (?:bit|little) )?more(?: about (?:it|this|that))?",
    r"(?:does|did) (?:that|this|it) (?:help|answer your question|make sense|sound (?:good|right|ok)|work(?: for "
    r"you)?|clear things "
    r"up)|is (?:that|this|it) (?:clear|helpful|okay|ok|what you (?:meant|need|needed|were looking for))|was (?:that|"
    r"this) helpful|"
    r"did i (?:understand|get) (?:you|that|this) (?:correctly|right)|how does that sound|ready to (?:begin|start|"
    r"continue)|"
    r"make sense|how are you(?: doing)?(?: today)?",
    rf"(?:shall|should) (?:i|we) (?:{_ACT}|start|begin|go ahead)",
    # The same in other languages: only whole formulas.
    "您还想知道什么|您还有其他问题吗|还有什么可以帮您的吗|还有其他问题吗|هل تريد المزيد|هل لديك أسئلة أخرى",
    "¿(?:te|le|en qué) (?:puedo ayudar(?:te|le)? en algo más|puedo ayudar(?:te|le)?)|¿algo más|haben sie (?:noch "
    ")?(?:weitere )?fragen|"
    "kann ich (?:ihnen|dir) (?:noch )?(?:weiter)?helfen|avez-vous d'autres questions|puis-je vous aider|posso "
    "ajudar em algo mais",
)

END = r"[\s!.,:;?？؟。！)…\"'\U0001f600-\U0001f64f\U0001f44b\U0001f389\u263a\ufe0f-]*"


# A mark or a conjunction separates formulas in a row.
LINK = re.compile(
    r"[,;:.!?…)]+\s*(?:[-–—]\s+)?(?:(?:and|but|so|or|then|therefore),? )?|\s+(?:and|but|so|or)\s+|\s*[–—]\s*|\s+-\s+",
    re.IGNORECASE,
)
