// The words of time phrases, in both languages; the longest that fits is read.

/** `last 2 hours`. */
export const LAST = ['last', 'past', 'previous', 'preceding'];
/** 最近两小时. */
export const LAST_HAN = [
  '在最近的',
  '在最近',
  '在过去的',
  '在过去',
  '最近的',
  '最近',
  '过去的',
  '过去',
  '近',
  '前',
];
/** Before a time from which on. */
export const SINCE = [
  'since',
  'after',
  'starting from',
  'starting at',
  'starting',
  'later than',
  'as of',
  '自从',
  '自',
  '从',
];
/** Behind one. */
export const SINCE_AFTER = [
  '以后',
  '之后',
  '以来',
  '后',
  '起',
  '开始',
  '至今',
  '到现在为止',
  '到现在',
  '到目前',
];
/** Before a time until which. */
export const BEFORE = ['before', 'until', 'till', 'prior to', 'earlier than'];
/** Behind one. */
export const BEFORE_AFTER = ['以前', '之前', '前'];
/** Before how long something has lasted at least. */
export const LONGER = [
  'for more than',
  'for longer than',
  'for at least',
  'for over',
  'more than',
  'longer than',
  'at least',
  'older than',
  'over',
  'for',
  '持续时间超过',
  '持续了超过',
  '持续超过',
  '持续了',
  '持续',
  '已经超过',
  '超过了',
  '超过',
  '大于',
  '多于',
  '至少',
  '超',
];
/** Behind that. */
export const LONGER_AFTER = ['以上', '或更久', '还多', '没恢复', '未恢复'];
/** Before how long it has lasted at most. */
export const SHORTER = [
  'less than',
  'newer than',
  'younger than',
  'no more than',
  'for less than',
  '不到',
  '不超过',
  '小于',
  '少于',
];
/** What lies ahead, and says nothing about what has begun. */
export const FUTURE = [
  'tomorrow',
  'next week',
  'next month',
  'next hour',
  '明天',
  '后天',
  '下周',
  '下个月',
  '将来',
  '未来',
];
