// The words of an order that cannot narrow it, exclude anything from it, put it off or tie it to a
// condition. A list of its own: the lexicon's fillers are those that a question loses nothing by.

function words(...lists: readonly string[]): ReadonlySet<string> {
  return new Set(lists.flatMap((list) => list.split('|')));
}

/** What orders a silence; one of them, with the noun below or without. */
export const SILENCING = words(
  'silence|mute|snooze|suppress|create|add|make|make a silence|put|place|set|set up|need|want',
  'do not page|do not page me|do not page us|stop paging|stop paging me|stop paging us',
  'do not alert|do not alert me|do not alert us|stop alerting|stop alerting me|stop alerting us',
  'do not bother me|do not bother us|stop bothering me|stop bothering us|do not notify me',
  'do not notify us|stop notifying me|stop notifying us|do not wake me|do not wake me up',
  '静默|屏蔽|静音|抑制|静默掉|屏蔽掉|静默一下|屏蔽一下|帮我静默|帮我屏蔽|创建|新建|添加|加一个|加个|加一条|建一个|设置|设',
  '别再打扰|别再打扰我|不要打扰|不要打扰我|不要再打扰|不要再打扰我|别打扰|别打扰我|免打扰|别再通知|别再通知我',
  '不要再通知|不要再通知我|别通知我|不要通知我|别再报警|别再告警|不要再报警|不要再告警|别再吵|别吵我|别再吵我|别再叫我|别叫我',
);

/** What orders the end of one. */
export const ENDING = words(
  'expire|unsilence|unmute|remove|delete|cancel|stop|end|lift|drop|take off|clear|lift the silence',
  'lift the mute|drop the silence|drop the silences|drop the mute|take off the silence',
  'clear the silence|clear the mute',
  '取消|解除|删除|删掉|撤销|撤掉|撤下|撤除|撤回|结束|停止|关闭|关掉|掉',
);

export const SILENCE_NOUN = words(
  'silence|silences|mute|mutes|silence rule|silence rules|静默|屏蔽|静音|静默规则|屏蔽规则|静音规则|规则',
);

/** An alert, whichever. */
export const ALERT_NOUN = words(
  'alert|alerts|alarm|alarms|notification|notifications|page|pages|告警|报警|警报|通知',
);

export const ALL = words('all|all of|all the|everything|every|any|全部|所有|一切|全|都|任何');

/** Says which one of a list, or that one was named before. */
export const POINTING = words(
  'it|this|that|this one|that one|this alert|that alert|one|ones|the one|alert number|number|item|row',
  'last|the last|them|those|these|它|这个|那个|该|这条|那条|该告警|这个告警|这条告警|那条告警|此告警|那个告警|条|个|项|号|最后|这些|它们',
);

/** Holds a name to the rest; nothing by itself. */
export const JOINT = words(
  'in|on|for|of|from|at|with|where|whose|and|or|plus|both|as well as|along with|about|regarding|related to',
  'affecting|hitting|concerning|raised by|coming from|named|called|labeled|labelled|tagged|having|matching',
  'that are|that is|which are|which is|that have|that has|is|are|has|have|set to|equals|=|:|label|labels|the label|with label|to',
  '的|之|在|于|来自|属于|对于|对|针对|上|里|关于|有关|相关|相关的|和|与|并且|且|以及|跟|及|或|或者|还是|还有|是|为|等于|叫|名为|叫做|标签|把|将|给',
);

/** The same before an exclusion only: `DiskFull, but not on db-1`, 但不包括. */
export const TURN = words('but|但|但是|不过|而');

/** Behind what is left out: 除了 … 之外. */
export const OUTSIDE = words('以外|之外|除外|外');

/** Says nothing that an order could lose. */
export const POLITE = words(
  'please|pls|plz|kindly|can|could|would|will|you|i|we|us|me|the|a|an|let|lets|let us|go ahead|go ahead and',
  'want to|would like|like to|would like to|need to|i need|i want|want|need|now|right now|immediately|at once|asap|quick|quickly',
  'thanks|thank you|thx|cheers|thanks a lot|thank you very much|thx in advance|in advance|hi|hello|hey|yo|hi there|hello there|hey there',
  'good morning|good afternoon|good evening|ok|okay|okay then|ok so|so|alright|all right|well|sure|yes|oh|um|uh|hmm|for me|for us',
  'nightjar|bot|assistant|guys|folks|mate|dude|bro|man|buddy|friend|sir|dear|sorry|actually|tia|btw|by the way|now please|mind',
  '请|麻烦|麻烦你|帮|帮我|帮忙|请帮我|一下|一下子|下|了|吧|啊|呀|哦|哈|呗|掉|我|我们|咱们|您|你|先|马上|赶紧|快点|立即|立刻|现在|当前|目前|都',
  '能|可以|能不能|可不可以|能否|可否|要|想|想要|我要|我想|需要|谢谢|多谢|感谢|谢谢你|非常感谢|辛苦了|辛苦|谢了|你好|您好|嗨|早上好|下午好|晚上好|好的|好|劳驾|为我|给我|起来|再',
);

/** Makes a request of an order, which then may end as a question does. */
export const REQUEST = words(
  'can|could|would|will|mind|能|可以|能不能|可不可以|能否|可否|帮|帮我|请|麻烦',
);
export const ASKING = words('?|吗|嘛|么|呢');

/** Speaks of a time that is not now. */
export const OTHER_TIME =
  /^(?:\d{1,2}[:：]\d{2}.*|tomorrow|tonight|later|soon|weekend|weekends|weekday|weekdays|daily|nightly|hourly|start|starts|starting|begin|begins|beginning|every (?:day|night|week|hour|time)|(?:mon|tues|wednes|thurs|fri|satur|sun)days?|开始|起|后|之后|以后|稍后|待会|等会|一会|明天|后天|明早|今晚|明晚|周末|下周|每天|每晚|每周|每小时|届时|到时|到时候|.*(?:小时|分钟|秒钟?|天|周|点|会儿?)(?:后|之后|以后|起|开始))$/;
