import type { ConceptTable, ValueAlias } from './concept.js';

export const ENGLISH: ConceptTable = {
  alert:
    'alert|alerts|alarm|alarms|problem|problems|issue|issues|incident|incidents|event|events|notification|notifications|trouble|troubles|outage|outages|failure|failures|error condition|error conditions',
  silence: 'silence|silences|mute|mutes|silence rule|silence rules|silencing rule|silencing rules',
  target:
    'target|targets|scrape|scrapes|scraped|scraping|exporter|exporters|scrape target|scrape targets|scrape job|scrape jobs|monitored endpoints',
  rule: 'defined|configured|rule|rules|alert rule|alert rules|alerting rule|alerting rules|rule group|rule groups',
  recording: 'recording rule|recording rules|recording',
  source:
    'source|sources|data source|data sources|datasource|datasources|backend|backends|alertmanager|alertmanagers|prometheus|connected systems',
  metric: 'metric|metrics|promql|expression|series|time series',
  firing:
    'firing|fire|fires|fired|alerting|alarming|triggered|trigger|triggers|triggering|active|going off|gone off|went off|go off|on fire|ringing|wrong|broken|failing|burning|ongoing|open|happening|going on|going wrong|acting up|raised|unresolved|complaining|paging|up in flames|raising|bad shape|unhealthy|in alarm|misbehaving|changed|wake me up|outstanding|anything i should know about|anything i should know|should i know|should i worry|to worry about|worry about|worth knowing|affected|impacted|paged|blowing up|blown up|on fire right now|woke me up|woke me|getting paged|been paged|kicked off|popping|popped|popping off|up to no good|melting|needs attention|need attention|needs my attention|needs our attention|needs looking at|still on|going crazy|lit|lit up|exploding|exploded|screaming|yelling|beeping|in trouble|under alert|in alert|acting weird|acting funny|up with|anything up|something up|going nuts|going haywire',
  pending: 'pending|about to fire|waiting to fire',
  resolved:
    'resolved|recovered|recover|cleared|closed|went away|gone away|gone|no longer firing|ended|stopped|over already|are over|is over|were over|are over now|are over by now|has ended|have ended|finished|came to an end|stopped firing|no longer active|not firing anymore|not firing any more|are done',
  history:
    'history|historical|past alerts|previous alerts|how often|how many times|how frequently|old alerts|flapping|coming back|come back|comes back|keep coming back|keeps coming back|recurring|reoccurring|repeating|repeatedly|every time|again and again',
  silenced:
    'silenced|muted|suppressed|inhibited|hushed|snoozed|silencing|muting|suppressing|under silence|on mute|on snooze',
  expired: 'expired',
  broken:
    'evaluation errors|evaluation error|failing to evaluate|failed to evaluate|rule errors|unhealthy rules',
  down: 'down|unreachable|offline|dead|unavailable|not up|not responding|unresponsive|cannot be scraped|failing scrape|failing scrapes|dead in the water|crashed|not reachable|not reporting|gone dark|not being scraped',
  up: 'up|reachable|online|alive',
  ok: 'nothing|none|ok|okay|healthy|fine|good|all good|all clear|clear|well|green|normal|quiet|calm|in order|alright|all right|at peace|safe|stable|quiet right now|in good shape|under control',
  list: 'show me|give me|tell me|get me|show us|list|show|display|give|get|see|view|print|fetch|find|enumerate|report|tell|look at|look up|look|bring up|pull up|check|search|filter|dump|retrieve|read|update|update on|confirm|triage|review|inspect|surface|grab|pull|hit me with|run me through|walk me through|hand me|throw me|let me have|bring|highlight|point out|outline|browse|view all|screen|spit out|dig up|catch me up|catch me up on|brief me|brief me on|update me|update me on|fill me in|fill me in on|show us all|monitor|watch|track|output|return|share|provide|supply|deliver|reveal|present|expose|mention all|pls show|lemme see|let us see|scan',
  count:
    'how many|many|count|counts|number of|total|totals|amount of|how much|tally|statistics|stats|summary|summarize|summarise|overview|breakdown|break down|distribution|rundown|recap|digest|roundup|compare|comparison|percentage|percent|share of|ratio|proportion|fraction|break|split|splits|slice|slice and dice|divide|separate|segment|bucket|categorize|categorise|classify|organize|organise|partition|aggregate|tabulate|histogram|heatmap|chart|pie chart|headcount|tallies|arrange|cut|broken out|broken down|breakdowns|ranking|ranked|rank|leaderboard',
  detail:
    'detail|details|detailed|tell me about|tell me more about|tell me more|tell us about|tell me everything about|more about|more on|more details|more detail|more info|more information|more details on|more details about|more info on|more info about|mean|means|meaning|how do i fix|how to fix|how do i resolve|how to resolve|how do we fix|explain|describe|description|analyze|analyse|analysis|investigate|look into|dig into|dig deeper into|dig deeper|deep dive|drill down|elaborate|what is wrong with|what happened to|what happened with|what happened|information|info on|info about|info for|all about|expand|further|diagnose|zoom in|what is the matter with|what is going on with|what is up with|why|reason|cause|root cause|how come|annotations|annotation|runbook|threshold|thresholds|trigger condition|full details|everything about',
  'since-when':
    'expiring|expires|expire when|since when|how long|for how long|when did|when was|when has|start time|started when|when|how old|duration|end|ends|ending|until when|till when|kick off|kicked off when|first seen|begin firing|ended when|until what time|till what time|run out|runs out|wear off|wears off|lift|lifted|how recently|what time|at what time|from when|expiry|expiration|end time|end times|expire at|when does|when do|when will|age|age of',
  query: 'query|evaluate|eval|run|execute|compute|calculate|graph|plot',
  value: 'value|values|reading|current value|values of|value of',
  check:
    'any|anything|anything up|something up|is there|are there|is there any|are there any|some|something|do we have|have we got|does|do|did|has|have|had|got|there|there any|whether',
  is: 'is|are|was|were|am|equals|equal|equal to|set to|named|called|be|being|been|=|:|r',
  which: 'which|what|wtf|who|what kind of|which of',
  how: 'how|how about now|how do i|how to',
  help: 'help|what can you do|can you do|can you do for me|can you do for us|could you do for me|what can i ask|what can i ask you|what do you do|how do i use you|how do i use this|usage|commands|capabilities|who are you|what are you|how does this work|what can you answer|what questions|abilities|manual|instructions|what are you able to do|what do you know|help me|how can you help|how can you help me|what can you help with|what can you help me with|what else can you do',
  greet:
    'hi|hello|hey|good morning|good afternoon|good evening|good day|yo|greetings|howdy|hiya|hi there|hello there|hey there',
  thanks:
    'thanks|thank you|thx|cheers|bye|goodbye|see you|great|nice|perfect|awesome|thanks a lot|thank you very much',
  write:
    'create|add|delete|remove|expire|ack|acknowledge|resolve|restart|fix|reboot|disable|enable|unsilence|unmute|edit|modify|kill|scale|deploy|rollback|roll back|close|turn off|turn on|snooze|assign|escalate|suppress|inhibit|stop|shut down|make a silence|lift the silence|lift the mute|drop the silence|drop the silences|drop the mute|take off the silence|clear the silence|clear the mute|do not page|do not page me|do not page us|stop paging|stop paging me|stop paging us|do not alert|do not alert me|do not alert us|stop alerting|stop alerting me|do not bother me|do not bother us|stop bothering me|do not notify me|do not notify us|stop notifying me|do not wake me|do not wake me up',
  by: 'by|per|for each|each|every|across|grouped by|group by|split by|broken down by|for every|in each|on each|by each|depending on|grouped|count by|counted by|breakdown by|break down by|by which|one line per|a line per|one row per|a row per|for each of the|broken out by|breakdown per|break down per|breakdown across|into|down per|down by|out by|up by|out per|up per',
  most: 'most|highest|noisiest|worst affected|most affected|largest number of|biggest number of|loudest|the most alerts|biggest|hardest hit|worst hit|busiest|hurts the most|hurting the most|suffering the most|worst off|in the worst shape|worst shape|the worst shape',
  least: 'least|fewest|lowest',
  newest:
    'newest first|latest first|most recent first|newest|latest|most recent|recent|recently|new|youngest|just started|freshest|just fired|most recently|just now|latest one|last to fire|came last',
  oldest:
    'long running|long-running|oldest first|longest first|oldest|longest|earliest|longest running|longest firing|long time|for a long time|for long|for ages|longest lasting|longest lived|firing longest|for the longest|the longest|longest open|been open longest|longest time|the longest time|longest-running|stuck the longest|started it all|began it all|triggered it all|kicked it off|kicked it all off|set it off|set it all off|broke first|came first|went first|in chronological order|chronological order|chronologically|in the order they fired|in the order they started|in order of start time',
  sort: 'sort|sorted|order|ordered|sort by|sorted by|order by|ordered by|ordering',
  top: 'top|the top|first few',
  last: 'last|the last|final',
  not: 'unless|unless in|unless it is|unless they are|bar|barring|omitting|omit|save for|but for|but without|and without|but not in|but not from|sans|leave out|filter out|filtering out|with the exclusion of|rather than|instead of|not|non|except|except for|excluding|exclude|excludes|but not|other than|apart from|besides|ignoring|ignore|aside from|minus|not in|outside|outside of|and not|!=|leaving out|not from|not on|not for|anything but|everything but|all but|different from|skip|skipping|neither|not counting|leaving aside|with the exception of',
  without:
    'do not have|does not have|do not have a|does not have a|do not have any|does not have any|not have|not have a|not having|not having a|do not carry|does not carry|do not carry a|have not got|has not got|lack|lacks|lack a|lacks a|lacking a|missing a|are missing|is missing|are missing a|is missing a|without|with no|without a|without any|lacking|missing|have no|has no|having no|no|w/o',
  or: 'or|nor|either|and / or|or in|or on|or for|or from',
  and: 'vs|versus|and|but|plus|as well as|along with|&|,|both|and in|and on|and for|and also|and from|and with|and then|then also|on top of that|and additionally|additionally|in addition|and while we are at it',
  only: 'only|just|solely|exclusively|restrict to|restricted to|limit to|limited to|narrow down to|narrow to',
  in: 'filter by|filtered by|filter on|filtered on|filter for|match|matches|cover|covers|covering|apply to|applies to|affect|affects|where|whose|in|on|for|from|at|with|within|under|inside|belonging to|owned by|affecting|hitting|tagged|labeled|labelled|to|against|via|having|matching|that have|that has|at the|coming from|assigned to|originating from|raised by|reported by|impacting|concerning|affected by|caused by|owned|belongs to|belong to|responsible for|created by|made by|set by|owns|own|of type|running on|run by|hosted on|deployed in|deployed to|w/|over',
  about:
    'about|regarding|related to|mentioning|mention|mentions|containing|contains|contain|like|including|includes|involving|around|saying|with the word|with the text|starting with|starts with|beginning with|begins with|prefixed with|matching the text|whose name contains|name contains',
  of: 'of',
  'at-least':
    'at least|minimum|or worse|or higher|or above|and above|and worse|and higher|and up|or up|or greater|or more severe',
  'at-most': 'or lower|or below|and below|and lower|or less|or less severe',
  above: 'above|more than|higher than|worse than|more severe than|greater than|more critical than',
  below: 'below|less than|fewer than|lower than|less severe than|less critical than',
  label: 'label|labels|tag|tags|field|label value|the label',
  all: 'all|everything|whole|entire|complete|overall|all of',
  worst:
    'worst first|most severe first|most critical first|worst|most severe|most critical|most serious|most urgent|most important|highest severity|highest priority|look at first|fix first|tackle first|handle first|start with|deal with first|worry about first',
  them: 'them|those|these|of them|of those|of these|ones|the ones|they|their|among them|among those|those alerts|these alerts|of those alerts|from that list|in that list|of the above|from the list|in the list',
  it: 'it|this|that|this one|that one|this alert|that alert|its|the same one|the same alert',
  one: 'one|item|entry|row|alert number|number',
  more: 'more|next|next page|rest|the rest|remaining|show more|others|the others|continue|more of them|go on|next ones|more please',
  follow:
    'what about|how about|and what about|and how about|same for|same question for|now only|and the|and only',
  now: 'now|right now|currently|at the moment|at present|presently|current|still|at this moment|as of now|this moment|already|these days|live|right at the moment|today so far|as we speak|this second|this instant|any longer|anymore|yet',
  beyond:
    'getting worse|getting better|worsening|worsened|improving|improved|deteriorating|deteriorated|recovering|escalating|draining|degrading|growing|shrinking|acknowledged|unacknowledged|acked|unacked|assigned|unassigned|unowned|duplicate|duplicates|duplicated|deduplicated|stale|actionable|noisy|flaky|correlation|correlations|correlated|correlate|predict|predicts|prediction|forecast|anticipate|trend|trends|trending|increasing|decreasing|rising|dropping|false positive|false positives|auto-resolve|self-healing|business impact|cost|costs|sla|slo|mttr|mtta|on call schedule|on-call schedule|on-call engineer|who is on call|who is oncall|who is on-call|call rota|ticket|tickets|jira|deployment hichangelog|more alerts than usual|than usual|than yesterday|than last week|compared to yesterday|compared to last week|compared with yesterday|compared with last week|usually|normally|usual|nobody|no one|noone|this weekend|last weekend|at night|per hour|per day|on average per|most of the time|false alarm|false alarms|never|improvement|improvements|send|email|mail|notify|forward|subscribe|unsubscribe|remind|schedule|export|download|archive|dismiss|hide|merge|purge|reset|reassign|reopen|pause|resume|block|approve|trigger a|raise a|open a ticket|file a ticket|page someone|page the|page me|call the|post|publish|drain|evict|cordon|recreate|redeploy|rerun|retry|wipe|drop|change|set up|extend|prolong|shorten',
  status:
    'status|state|situation|current state|current status|state of affairs|how are things|how is it going|how does it look|how is everything|sitrep|situation report|status report|health|health check|how are we|how are we doing|how is it looking|how does it look like',
  mood: 'nasty|scary|bad|ugly|weird|strange|interesting|notable|noteworthy|unusual|suspicious|crazy|hot|orange',
  filler:
    'someone|anyone|somebody|anybody|people|soon|right|the|a|an|i|me|my|our|we|us|you|your|please|pls|plz|can|could|would|will|should|shall|may|might|want|need|like to|would like|know|let|lets|that are|that is|which are|which is|so|then|also|too|again|really|actually|kindly|quick|quickly|exactly|kind|kinds|sort of|type|types|if|as|than|because|im|having|doing|looking|running|going|happen|happens|happened|system|systems|infrastructure|name|names|ask|asking|wonder|wondering|teh|hte|here|bot|assistant|nightjar|sir|friend|guys|folks|dear|ever|out|off|it looks|seem|seems|seeing|kindly|now please|question|answer|sure|yes|no thanks|oh|well then|hmm|um|uh|okay then|ok so|so far|for me|for us|to me|to us|let me know|let me see|i want to know|i would like to know|i need|do you know|can you tell me|could you tell me|do you see|can you see|can you show me|could you show me|list of|a list of|the list of|in total|altogether|in all|begin|began|begun|start|started|starting time|starts|been|going to|got to|gotta|wanna|gimme|is it true that|in the world|the following|following|each other|created|made|very|much|at all|up to|quick question|times|different|distinct|unique|first of all|at first|thing|things|stuff|place|places|pager|sup|dude|mate|bro|yo dude|buddy|pal|man|carry|carries|carrying|hold|holds|holding|face|faces|facing|suffer|suffers|suffering|bear|contribute|hurt|hurts|deal|dealing|come|comes|coming|keep an eye on|under watch|asap|fyi|btw|tia|rn|atm|thx in advance|in advance|in general|in detail|in short|in brief|in order of|on average|in plain english|for sure|for real|of course|on my plate|on my watch|on duty|on shift|on call|on-call|oncall|real-time|realtime|real time|up-to-date|up to date|in english|in a table|as a table|in a list|as a list|at hand|at a glance|for example|for instance|by the way|just checking|just curious|just wondering|just asking|curious|hello again|attention|real|actual|individual|single|particular|specific|certain|various|whatsoever|else|quick one|one more thing|line|lines|row|rows|sec|need to know|have a look at|have a look|take a look at|take a look|hell|heck|damn|bloody|freaking|earth|well done|feel|feels|tonight please|mind|mine|help out|favor|favour|sitrep please|care|try|dear bot|respectively|separately|approximately|roughly|about now|out there|in there|over here|my shift|shift|happened so far|produce|produces|generate|generates|emit|emits|there now|exist|exists|existing|possible|possibly|maybe|perhaps|guess|think|thought|believe|say|said|says|saying so|tho|though|although|anyways|anyway|actually now|alerting state|hows|u|ur|story|cooking|morning|evening|afternoon|shape|keep|keeps|standup|stand-up|handover|hand over|hand-over|postmortem|post-mortem|meeting|dashboard|boss|manager|retro|prep|prep me',
};

export const ENGLISH_SEVERITIES: readonly ValueAlias[] = [
  {
    kind: 'severity',
    words: 'critical|criticals|crit|crits|severe|serious|urgent|red|in the red|code red',
    values: ['critical', 'crit', 'severe', 'urgent', 'emergency', 'fatal', '严重'],
  },
  {
    kind: 'severity',
    words: 'warning|warnings|warn|warns|amber|yellow',
    values: ['warning', 'warn', '警告'],
  },
  {
    kind: 'severity',
    words: 'info|infos|informational|info level',
    values: ['info', 'information', 'informational', 'notice', '提示', '信息'],
  },
  { kind: 'severity-if-live', words: 'fatal', values: ['fatal'] },
  { kind: 'severity-if-live', words: 'emergency|emergencies', values: ['emergency'] },
  { kind: 'severity-if-live', words: 'major', values: ['major'] },
  { kind: 'severity-if-live', words: 'minor', values: ['minor'] },
  { kind: 'severity-if-live', words: 'error|errors', values: ['error'] },
  { kind: 'severity-if-live', words: 'notice', values: ['notice'] },
  { kind: 'severity-if-live', words: 'page|pages', values: ['page'] },
  { kind: 'severity-if-live', words: 'high severity|high priority|high', values: ['high'] },
  { kind: 'severity-if-live', words: 'medium severity|medium priority|medium', values: ['medium'] },
  { kind: 'severity-if-live', words: 'low severity|low priority|low', values: ['low'] },
];

export const ENGLISH_ALIASES: readonly ValueAlias[] = [
  { kind: 'any', words: 'production|prod|prd', values: ['production', 'prod', 'prd'] },
  { kind: 'any', words: 'staging|stage|stg', values: ['staging', 'stage', 'stg'] },
  { kind: 'any', words: 'development|dev', values: ['development', 'dev'] },
  { kind: 'any', words: 'testing|test', values: ['testing', 'test', 'qa'] },
];
