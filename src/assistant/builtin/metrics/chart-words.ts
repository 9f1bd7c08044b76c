const ENGLISH =
  /\b(?:(?:please\s+)?(?:plot|chart|graph|draw|visuali[sz]e)(?:\s+(?:me|us))?(?:\s+(?:a|the))?(?:\s+(?:chart|graph|plot|picture|line chart|diagram))?(?:\s+of)?|(?:line\s+)?(?:charts?|graphs?|plots?|curves?|diagrams?)(?:\s+(?:of|for))?|over time)\b/giu;
const CHINESE =
  /(?:请|帮我|给我)*画(?:出|一下|一?[个张幅条])?(?:图表|图形|图|折线图|曲线图?|走势图?|趋势图?)?|(?:的)?(?:图表|折线图|曲线图?|走势图?|趋势图)|出(?:一?[个张])?图/gu;
/** Asks for a measured value. */
const VALUE =
  /\b(?:usage|utili[sz]ation|how much|how high|current)\b|使用率|利用率|占用|用量|是多少|多高|多大|变化|走势|趋势/iu;

/** Does it ask for a picture of how something went? */
export function asksForChart(text: string): boolean {
  return text.search(ENGLISH) !== -1 || text.search(CHINESE) !== -1;
}

export function asksForValue(text: string): boolean {
  return VALUE.test(text);
}

/** The text without what asks for the picture. */
export function withoutChartWords(text: string): string {
  return text.replace(ENGLISH, ' ').replace(CHINESE, ' ').replace(new RegExp(VALUE, 'giu'), ' ');
}
