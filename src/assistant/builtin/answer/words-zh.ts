import { chineseFault } from './faults-zh.js';
import { describeFault } from './source-fault-zh.js';
import { plain } from './markdown.js';
import { CHINESE_SPENT } from '../../spent-words.js';
import { type AlertState, MOST_NAMES, type Words } from './words.js';

const TOPICS: Words['topics'] = {
  alerts: '当前告警：“prod 有哪些告警？”、“最近一小时 team=payments 的严重告警”',
  count: '数量：“按级别统计告警”、“各集群有多少严重告警”、“哪个团队告警最多”',
  detail:
    '单条告警：“HighErrorRate 在告警吗？”、“HighErrorRate 的详情”，之后可以问“进一步分析其中第二条”',
  silences: '静默：“有哪些静默”、“哪些告警被静默了”',
  query:
    '指标：“查询 up”、“查询 sum(rate(http_requests_total[5m]))”、“查询 up 最近一小时”、“画一下 web-1 最近 6 小时的 CPU”',
  targets: '采集目标和规则：“哪些采集目标挂了”、“有哪些告警规则”',
  sources: '数据源：“数据源是否正常”',
};

const ALL_TOPICS = `${Object.values(TOPICS)
  .map((topic) => `- ${topic}`)
  .join('\n')}

任何标签都可以作为条件：\`名称=值\`，也支持“非”、“或”、“除了…以外”和“最近一小时”这样的时间。`;

const NOUNS: Readonly<Record<AlertState, string>> = {
  firing: '正在触发的告警',
  active: '正在触发且未被抑制的告警',
  suppressed: '被静默或抑制的告警',
  pending: '等待触发的告警',
};

/** A few of many names. */
function together(names: readonly string[]): string {
  const shown = names.slice(0, MOST_NAMES).join('、');
  return names.length > MOST_NAMES ? `${shown} 等 ${String(names.length)} 条` : shown;
}

export const CHINESE_WORDS: Words = {
  language: 'zh',
  help: `我回答关于告警和指标的问题，可以问这些：\n\n${ALL_TOPICS}`,
  greeting: `你好！我回答关于告警和指标的问题，例如：\n\n${ALL_TOPICS}`,
  thanks: '不客气，随时可以再问，例如“现在有哪些告警？”。',
  unknown: `我没有理解这个问题，也不会猜测。我可以回答这些：\n\n${ALL_TOPICS}`,
  topics: TOPICS,
  unsure: (words) => `我没有理解这个问题：${words} 可能改变问题的意思，我不会猜测。可以这样问：`,
  partUnknown: (text) => `我没有理解这个问题 ${text}，所以这部分没有回答。`,
  readOnly:
    '我只读取数据：不能创建、修改或删除任何东西，包括静默和告警。我可以展示当前告警、静默、采集目标、规则和指标。',
  silencesOnly: (creates, ends) =>
    `这件事我做不了。我在这里只能${[...(creates ? ['创建'] : []), ...(ends ? ['结束'] : [])].join('和')}静默，例如“${creates ? '静默 HighErrorRate 一小时' : '取消 HighErrorRate 的静默'}”。`,
  capability: {
    triage: '故障初步排查：“分诊”、“出什么事了”、“最先触发的是哪个告警”',
    charts: '图表：“画一下 node_load1 最近 24 小时”，之后可以问“内存呢”、“换成 web-2”',
    runbooks: '处理手册：“HighErrorRate 的处理手册”，之后可以说“下一步”',
    agents: (names) => `其他智能体：“ask ${names[0] ?? ''} …”（现有：${names.join('、')}）`,
    creates: '创建静默：“静默 HighErrorRate 一小时”、“静默第二条 30 分钟”',
    ends: '结束静默：“取消 HighErrorRate 的静默”',
    changes: '在您团队的配置允许的范围内，我只能更改静默。',
    readsOnly: '我只读取数据，不做任何修改。',
  },
  past: (total, filter, from, to) =>
    `从 ${from} 到 ${to}${filter === '' ? '' : `，符合 ${filter} 的`}**共触发 ${String(total)} 条告警**。`,
  noHistory: '数据源只提供当前正在触发的告警，不保留已恢复的告警，所以我无法列出它们。',
  fired: (isEnded, total, times, filter, from, to) =>
    `从 ${from} 到 ${to}${filter === '' ? '' : `，符合 ${filter} 的`}**共有 ${String(total)} 条告警${isEnded ? '恢复' : '触发过'}**${isEnded || total === 0 ? '' : `，合计 ${String(times)} 次`}（依据 Prometheus 的历史）。`,
  firedAlready: (total) => `另有 ${String(total)} 条在该时段开始时已经在触发。`,
  firedThen: (total) =>
    `这段时间内触发过 ${String(total)} 条告警，包括已恢复的（依据 Prometheus 的历史）：`,
  noneFired: 'Prometheus 的历史中，这段时间没有其他触发过的告警。',
  weekOnly: '⚠ 我只查看了这段时间的最后 7 天。',
  timesFired: '次数',
  firedAtEnd: '期末仍在触发',
  contradictory: '这些条件无法组合成一个问题而不靠猜测。请分开提问。',
  tooLong: (characters) => `问题太长，我只读取了前 ${String(characters)} 个字符。`,
  tooLongToRun: (characters) =>
    `**未执行**：我只读取一条消息的前 ${String(characters)} 个字符，被截断的表达式或指令含义会改变。请缩短后再发。`,
  noList: '这个会话中还没有可以引用的列表。请先问“现在有哪些告警？”。',
  whichOne: '不清楚指的是哪一条。请说“第二条”或告警的名称。',
  demo: '**演示数据**：由内置的演示数据源虚构，不是真实告警。',
  otherLanguage: (lang) => `我只会英文和中文，不会 ${lang}。`,
  badTimezone: (zone) => `未知的时区 ${zone}，时间以 UTC 显示。`,
  badInput: (text) => `无法执行：${text}`,
  toolsSpent: CHINESE_SPENT.tools,

  leadAll: (state, total, suppressed) =>
    total === 0
      ? `**当前没有${NOUNS[state]}。**`
      : `**当前有 ${String(total)} 条${NOUNS[state]}**${ofThem(state, suppressed)}。`,
  leadSome: (state, total, all, suppressed) =>
    `**${String(all)} 条${NOUNS[state]}中有 ${String(total)} 条符合条件**${ofThem(state, suppressed)}。`,
  leadNone: (state, conditions, others) =>
    `**没有符合条件的${NOUNS[state]}**：${conditions}。${
      others === 0
        ? `也没有其他${NOUNS[state]}。`
        : `另有 ${String(others)} 条其他${NOUNS[state]}。`
    }`,
  alertsThat: (state) => NOUNS[state],
  noneSeen: (what, conditions, failures) =>
    `**无法确定**：${failures}。已应答的部分中，${conditions === '' ? '' : `符合 ${conditions} 的`}${what}为 0 条。`,
  asFarAsSeen: (text, failures) =>
    `${text.replace(/。$/u, '')}（仅就已应答的部分而言：${failures}）`,
  partly: (failures) => `以上仅为已应答的部分：${failures}。`,
  cannotTell: (failures) => `**无法确定**：${failures}。`,
  labelUnseen: (label) => `无法按 ${label} 统计：已应答的部分不含该标签。`,
  unrouted: (count, names, routers) =>
    `⚠ **Prometheus 正在触发而 ${routers} 缺少的告警有 ${String(count)} 条**：${names}。可能没有通知任何人。`,
  yes: '是。',
  no: '没有。',
  stillFiring: '尚未恢复，仍在触发。',
  notFiring: '目前没有在触发。',
  allWell: '一切正常。',
  notWell: '并不正常。',
  near: (values) => `现有的值：${values}。`,
  gone: (name) => `${name} 已不再触发：数据源中已没有它。`,
  noPosition: (position, listed) =>
    `上一个列表有 ${String(listed)} 条，没有第 ${String(position)} 条。`,
  first: (order, names, since) =>
    `${order === 'newest' ? '最新的' : '持续最久的'}是 ${together(names)}，${names.length > 1 ? '同时' : ''}开始于 ${since}。`,
  most: (kind, labels, keys, count) =>
    `按 ${labels} 统计，${kind === 'most' ? '最多' : '最少'}的是 ${keys.join(', ')}，${keys.length > 1 ? '各' : ''}有 ${String(count)} 条告警。`,
  noSuchLabel: (label, labels) =>
    `当前告警没有名为 ${label} 的标签，无法按它统计。现有的标签：${labels}。`,
  groupCount: (label, groups, lead) =>
    `符合条件的告警中有 **${String(groups)} 个不同的 ${label}**。${lead}`,
  groups: (labels, count) => `按 ${labels} 统计，共 ${String(count)} 种：`,
  without: '（无）',
  more: (count) => `……还有 ${String(count)} 条。`,
  noMore: '没有更多了。',
  moreHint: '可以说“更多”查看后面的。',
  rulesView:
    '数据来自 Prometheus 的规则而不是 Alertmanager：这里不知道静默，时间从条件开始成立时算起。',
  alike: (count) => `有 ${String(count)} 条告警在多个数据源中标签相同，在每个数据源中各计一次。`,
  columns: {
    alert: '告警',
    severity: '级别',
    labels: '标签',
    since: '开始时间',
    summary: '摘要',
    state: '状态',
    source: '数据源',
    count: '告警数',
    group: '路由分组',
    matchers: '匹配条件',
    ends: '结束时间',
    silenced: '静默',
    by: '创建人',
    comment: '备注',
    health: '状态',
    error: '最近错误',
    lastScrape: '最近采集',
    rule: '规则',
    expr: '表达式',
    series: '序列',
    value: '值',
    at: '时间',
    first: '起始值',
    firstTime: '首次',
    lastTime: '最近',
    min: '最小值',
    max: '最大值',
    last: '最新值',
  },
  silenceStates: { active: '生效中', pending: '等待生效', expired: '已过期' },
  states: {
    active: '触发中',
    suppressed: '被抑制',
    pending: '等待中',
    firing: '触发中',
    inactive: '未触发',
    expired: '已过期',
    up: '在线',
    down: '离线',
    unknown: '未知',
    any: '全部',
  },
  silencedBy: (silence, comment, by, until) =>
    `被静默 ${silence}，创建人 ${by}（${comment}），到 ${until} 为止`,
  silencedUntil: (until, by, comment) =>
    `到 ${until} 为止，创建人 ${by}${comment === '' ? '' : `：${comment}`}`,
  inhibited: (count) => `被其他 ${String(count)} 条告警抑制`,
  receivers: '接收者',
  links: '链接',
  moreLabels: (count) => `（+${String(count)}）`,

  inOrder: (hours) => `最近 ${String(hours)} 小时内触发的告警，最先开始的在前：`,
  quietBefore: (hours) => `最近 ${String(hours)} 小时内没有告警触发。`,
  stillFires: '仍在触发',
  ended: (at) => `已于 ${at} 结束`,
  about: (at) => `约 ${at}`,
  already: (at) => `${at} 时已在触发`,
  againSince: (at, times, over) =>
    `共触发 ${String(times)} 次${over === undefined ? '' : `，${over} 结束过`}，自 ${at} 起再次触发`,
  firedTimes: (times) => `触发 ${times} 次`,
  atLeast: (times) => `至少 ${String(times)}`,
  looks: (seconds) =>
    `标“约”的时间只精确到 ${String(seconds)} 秒，其间更短的触发或间隔可能没有计入。`,
  firstToFire: (hours, names, told) =>
    `**最近 ${String(hours)} 小时内最先触发的是 ${together(names)}**${names.length > 1 ? '（同时触发）' : ''}：${told}（包括已恢复的）。`,
  endedAt: (name, at, again, isNow) =>
    `**${name} 于 ${at} 恢复**${again === undefined ? '' : isNow ? `，自 ${again} 起再次触发` : `，${again} 起又触发过`}。`,
  notEnded: (name, since) => `**${name} 在这段时间内没有恢复过**：开始于 ${since}。`,
  lastEnded: (names, at, again) =>
    `**最后恢复的是 ${together(names)}**${names.length > 1 ? '（同时恢复）' : ''}：${at}${again ? '，之后又再次触发，见下表' : ''}。`,
  firesAgain: (names) => `其中 ${together(names)} 之后再次触发，尚未恢复。`,
  firstTime: (name, told) => `**${name} 在这段时间内第一次触发**：${told}。`,
  mostOften: (names, times) =>
    `**触发次数最多的是 ${together(names)}**，${names.length > 1 ? '各' : ''} ${times} 次。`,
  firedAt: (total, filter, at) =>
    `${at} 时${filter === '' ? '' : `符合 ${filter} 的`}**有 ${String(total)} 条告警在触发**（依据 Prometheus 的历史）。`,
  whyFires: {
    rule: (name, expr) => `规则 ${name} 在下式成立时触发：${expr}`,
    measured: (name, value, at, condition) =>
      `${name}：${at} 的值为 **${value}**，阈值为 ${condition}`,
    holds: (total) => `目前有 ${String(total)} 条序列满足。`,
    unmeasured: '该表达式目前没有数据。',
    waits: (seconds) => `持续满足 ${String(seconds)} 秒后触发。`,
    none: (names) => `**无法得知原因**：没有数据源提供 ${names} 的规则。`,
  },
  endedUnknown: '期间已经结束的告警在这里无法得知。',
  affected: (label) => `受影响的 ${label}`,
  downTargets: (down, all, names) =>
    `采集目标：${String(all)} 个中有 ${String(down)} 个不在线（${names}）`,
  next: '接下来可以问：',
  nextSteps: ({ alert, host }) => [
    ...(alert === undefined ? [] : [`“${plain(alert, 100)} 的详情”`]),
    ...(host === undefined ? [] : [`“画一下 ${plain(host, 100)} 最近 6 小时的 CPU”`]),
    '“哪些采集目标挂了”',
    '“哪些告警被静默了”',
  ],

  silences: (state, total, all, conditions) => {
    const kinds: Readonly<Record<string, string>> = {
      active: '生效中的',
      pending: '等待生效的',
      expired: '已过期的',
    };
    const kind = kinds[state] ?? '';
    if (total > 0) {
      return conditions === ''
        ? `**有 ${String(total)} 条${kind}静默**：`
        : `**${String(all)} 条${kind}静默中有 ${String(total)} 条符合条件**（${conditions}）：`;
    }
    if (conditions === '') return `**没有${kind}静默。**`;
    return `**没有符合条件的${kind}静默**：${conditions}。共有 ${String(all)} 条。`;
  },
  runbook: {
    says: (alert, title) => `**${alert} 的处理手册**${title === '' ? '' : `（${title}）`}：`,
    step: (step, of, alert) =>
      `**${alert} 的处理手册，第 ${String(step)} 步，共 ${String(of)} 步**：`,
    noStep: (step, of) =>
      of === 0
        ? `手册中没有列出步骤，因此没有第 ${String(step)} 步。手册内容：`
        : `手册共有 ${String(of)} 步，没有第 ${String(step)} 步：`,
    none: (names) => `**没有手册**：${names} 没有给出手册链接。`,
    noAlert: (conditions) => `**没有符合条件的告警**：${conditions}，因此没有手册可读。`,
    unread: (alert, url, reason) => `**无法读取手册**：${alert}，${url}：${reason}。`,
    closed: '这里没有开放读取该主机的页面',
    several: '**这些告警的手册各不相同**，请指明其中一条：',
    goesOn: (url) => `页面未完，详见：${url}`,
    empty: '页面没有文字',
  },
  targets: ({ total, up, down, unknown, conditions }) =>
    `**${String(total)} 个采集目标中有 ${String(down)} 个离线**，${String(up)} 个在线${unknown === 0 ? '' : `，${String(unknown)} 个状态未知`}${conditions === '' ? '' : `（${conditions}）`}。`,
  noTarget: (conditions, all) =>
    conditions === ''
      ? '**没有采集目标。**'
      : `**没有符合条件的采集目标**：${conditions}。共有 ${String(all)} 个。`,
  rules: (total, all, conditions) => {
    if (conditions === '') return `**共有 ${String(total)} 条规则**：`;
    return total === 0
      ? `**没有符合条件的规则**：${conditions}。共有 ${String(all)} 条。`
      : `**${String(all)} 条规则中有 ${String(total)} 条符合条件**（${conditions}）：`;
  },
  sources: (ok, all) => `**${String(all)} 个数据源中有 ${String(ok)} 个正常应答**：`,
  noSources: '这个租户没有配置数据源。',
  series: (total) => `**共 ${String(total)} 条序列**：`,
  noSeries: '**没有数据**：此时没有序列匹配这个表达式。',
  noSeriesIn: '**没有数据**：这段时间内没有序列匹配这个表达式。',
  extremeOf: (isHighest, name, value) =>
    `${isHighest ? '最高' : '最低'}的是 ${name}：**${value}**。`,
  scalar: (value) => `**${value}**`,
  went: (name, { last, min, max, lastAt, maxAt, maxAfter }) =>
    `**${name}：${last}**（${lastAt}）；最低 ${min}，最高 ${max}（${maxAfter === undefined ? maxAt : `${maxAfter} 至 ${maxAt} 之间`}）。`,
  eachStep: (seconds) =>
    `以上数值每 ${step(seconds)}取一个，其间更高或更低的值不在其中；缩短时间范围即可看到。`,
  everySample: (seconds) =>
    `曲线每 ${step(seconds)}取一个值；最低、最高以及曲线周围的阴影包含其间的所有采样。`,
  eachBetween: (seconds, each) =>
    `曲线每 ${step(seconds)}取一个值；最低、最高以及曲线周围的阴影每 ${step(each)}取一个。`,
  noValues: (total) =>
    `**没有可以画出的数据**：有 ${String(total)} 条序列匹配，但这段时间内没有数值。`,
  picture: (file) => `图表见附件（\`${file}\`），图中时间为 UTC。`,
  noPicture: (reason) => `没有图片：${reason}。`,
  firedMeanwhile: (total) => `这段时间内有 ${String(total)} 条相关告警触发过（图中以阴影标出）：`,
  stretch: (from, to) => (to === undefined ? `自 ${from} 起` : `${from} 至 ${to}`),
  firingUnknown: '无法得知这段时间内有哪些告警触发过。',
  metricOf: (metric, hosts) => `${hosts} 的 ${metric}`,
  noMetric: (metric, looked) =>
    `**无法得知${metric}**：没有数据源提供我所知道的相应指标（查找了 ${looked}）。可以直接用表达式提问，例如“画出 node_load1 最近 6 小时的曲线”。`,
  toCome: '⚠ 这段时间还有一部分尚未到来，图表截止到现在。',
  rangeSaid: {
    table: '下表是每条曲线的数值；逐点的数值见附件（数据部分或 `chart.csv`）。',
    future: (texts) =>
      `**这段时间尚未到来**：${texts}。未来没有数据，请换一个已经开始的时间，例如“最近 6 小时”。`,
    reversed: (texts) =>
      `**这段时间的结束早于开始**：${texts}。请先说较早的时间，例如“11:00 到 12:00”。`,
    crosses: (from, to) => `⚠ 结束的钟点早于开始的钟点，我按跨过午夜理解：从 ${from} 到 ${to}。`,
    cut: (days) => `⚠ 超过了一次最多可画的 ${String(days)} 天：这里是其中最后 ${String(days)} 天。`,
    unread: (texts) => `⚠ 未能读懂时间 ${texts}：这里是最近一小时。`,
    step: (text, seconds) => `⚠ 步长由时间范围决定：这里是 ${step(seconds)}，未采用 ${text}。`,
  },
  noHost: (metric, host, near) =>
    `**没有数据**：没有名为 ${host} 的对象提供${metric}。${near === '' ? '' : `现有：${near}。`}`,
  notAsked: (left) =>
    `**没有查询**：未能理解关于指标的问题中的 ${left}，忽略它会得到另一个答案。比较请紧跟在指标名之后，要排除的请用“除了”：“node_load1 > 1 on web-1”、“node_load1 除了 web-1”；也可以直接写完整的表达式：\`node_load1{host!="web-1"} > 1\`。`,
  warning: (text) => `数据源的警告：${text}`,

  noSource: (what) => `这个租户没有提供${what}的数据源。`,
  noAnswer: (what) => `**无法得知**：提供${what}的数据源都没有应答。`,
  what: { alerts: '告警', silences: '静默', targets: '采集目标', rules: '规则', metrics: '指标' },
  missing: (failure) => `⚠ ${failure}，以上不包含它的数据。`,
  memberDown: (failure) => `⚠ ${failure}。另一个成员已代为应答。`,
  failure: (source, fault) => describeFault({ source, fault }),
  refused: (failures) => `**没有结果**：${failures}。`,
  toolRefusal: ({ fault, message }) => (fault === undefined ? message : chineseFault(fault)),
  footer: (sources, query, time) => `来源：${sources} · 查询：${query} · 时间：${time}`,

  understood: (parts) => `理解为：${parts.join('；')}。`,
  task: {
    list: '告警列表',
    count: '告警数量',
    detail: '告警详情',
    silences: '静默',
    targets: '采集目标',
    rules: '规则',
    query: '执行表达式',
    sources: '数据源状态',
    help: '我能做什么',
    write: '修改操作，我不执行',
    unknown: '我不认识的问题',
    history: '触发过的告警（包括已恢复的）',
    ended: '已恢复的告警',
    more: '上一个列表的后续部分',
  },
  countedBy: (labels) => `按 ${labels} 统计`,
  filter: (conditions) => `条件：${conditions}`,
  expression: (expr) => `表达式：${expr}`,
  range: (from, to) => `从 ${from} 到 ${to}`,
  instant: (at) => `时刻 ${at}`,
  started: (after, before) =>
    `开始时间${[after === undefined ? '' : `不早于 ${after}`, before === undefined ? '' : `不晚于 ${before}`].filter((p) => p !== '').join('且')}`,
  orders: { newest: '最新的在前', oldest: '最早的在前', severity: '最严重的在前', name: '按名称' },
  threshold: (op, count) =>
    `${op === 'above' ? '多于' : op === 'below' ? '少于' : op === 'at-least' ? '至少' : '至多'} ${String(count)} 条`,
  limit: (count) => `最多 ${String(count)} 条`,
  or: ' 或 ',
  not: '非 ',
  contains: (label, text) =>
    label === undefined ? `名称、标签或文本包含 ${text}` : `${label} 包含 ${text}`,
  absent: (label) => `没有标签 ${label}`,
  present: (label) => `有标签 ${label}`,
  anyLabel: '任一标签',
  readAs: (typed, readAs) => `${typed} 读作 ${readAs}`,
  part: (typed, found) => `${typed} 不是完整的值，读作 ${found} 的一部分`,
  otherLabel: (typed, found) => `${typed}：当前没有这类标签，读作 ${found}`,
  word: (typed, found) => `${typed} 读作普通词语，而不是 ${found}`,
  nothingExcluded: (typed) => `${typed} 没有排除任何告警：当前告警中没有它`,
  noSuchAlternative: (typed) => `当前告警中没有 ${typed}`,
  ignored: (words) => `⚠ 未能理解，也没有作为条件：${words}。`,
  inherited: '沿用上一个问题的条件',

  reading: (what, sources) => `正在从 ${sources} 读取${what}`,
  calling: (tool, query) => `${tool}：${query}`,
  noTool: (tool) => `工具 ${tool} 未对本租户开放`,
  called: (tool, failed) => (failed ? `${tool} 未得到结果` : `${tool} 已返回结果`),
  ago: (milliseconds) => `${span(milliseconds)}前`,
};

function ofThem(state: AlertState, suppressed: number): string {
  return state === 'firing' && suppressed > 0 ? `，其中 ${String(suppressed)} 条被静默或抑制` : '';
}

function step(seconds: number): string {
  if (seconds < 120) return `${String(seconds)} 秒`;
  return seconds < 3 * 3600
    ? `${String(Math.round(seconds / 60))} 分钟`
    : `${String(Math.round(seconds / 360) / 10)} 小时`;
}

function span(milliseconds: number): string {
  const seconds = Math.floor(Math.max(0, milliseconds) / 1000);
  const minutes = Math.floor(seconds / 60);
  if (minutes < 1) return `${String(seconds)} 秒`;
  if (minutes < 60) return `${String(minutes)} 分钟`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return `${String(hours)} 小时 ${String(minutes % 60)} 分钟`;
  return `${String(Math.floor(hours / 24))} 天 ${String(hours % 24)} 小时`;
}
