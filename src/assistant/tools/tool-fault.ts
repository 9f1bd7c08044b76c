import type { SourceError } from '../sources/source-error.js';
import { type PageFault, pageText } from '../sources/runbooks.js';

/** Why a tool refuses its arguments, in terms that can be worded in any language. */
export type ToolFault =
  | { readonly code: 'end_before_start'; readonly argument: string }
  | { readonly code: 'too_long'; readonly days: number }
  | { readonly code: 'no_runbook_host' }
  | { readonly code: 'not_linked' }
  | { readonly code: 'page'; readonly fault: PageFault }
  | { readonly code: 'no_history' }
  | { readonly code: 'no_selector' }
  | { readonly code: 'pattern'; readonly pattern: string; readonly isComplex: boolean }
  | { readonly code: 'silence_unseen'; readonly failures: readonly SourceError[] }
  | { readonly code: 'no_silence'; readonly id: string }
  | { readonly code: 'silence_ended' }
  | { readonly code: 'takes_no_silence' }
  | { readonly code: 'source_takes_no_silence'; readonly source: string; readonly able: string }
  | {
      readonly code: 'which_source';
      readonly able: string;
      readonly failures: readonly SourceError[];
    }
  | { readonly code: 'no_mutes' | 'no_mute_right'; readonly source: string }
  | { readonly code: 'hidden_characters' }
  | { readonly code: 'redacted' }
  | { readonly code: 'holds_secret' }
  | { readonly code: 'matchers_too_long'; readonly most: number }
  | { readonly code: 'one_end' }
  | { readonly code: 'end_is_past' }
  | { readonly code: 'silence_too_long'; readonly days: number }
  | { readonly code: 'source'; readonly error: SourceError };

/** For whoever sent the arguments. */
export function faultText(fault: ToolFault): string {
  switch (fault.code) {
    case 'end_before_start':
      return `${fault.argument}: the end must be after the start`;
    case 'too_long':
      return `at most ${String(fault.days)} days at once`;
    case 'no_runbook_host':
      return 'this team has opened no host of runbooks';
    case 'not_linked':
      return 'url: no alert that fires now links to that page, and its port is not the one that runbooks.hosts opens';
    case 'page':
      return `url: ${pageText(fault.fault)}`;
    case 'no_history':
      return 'no source of this team keeps ended alerts in a history; alert_timeline reads from Prometheus what fired in a period';
    case 'no_selector':
      return 'match: a metric’s name or a selector, no expression';
    case 'pattern':
      return fault.isComplex
        ? `${JSON.stringify(fault.pattern)} is too complex`
        : `${JSON.stringify(fault.pattern)} is not a pattern I can match: use literals, ".", "[…]", "(…)", "|", "*", "+", "?" and "{n,m}"`;
    case 'silence_unseen':
      return `whether that silence is there cannot be told: ${away(fault.failures)}`;
    case 'no_silence':
      return `there is no silence ${fault.id}`;
    case 'silence_ended':
      return 'this silence has ended already';
    case 'takes_no_silence':
      return 'no source of this team takes silences';
    case 'source_takes_no_silence':
      return `source: ${fault.source} takes no silences; these do: ${fault.able}`;
    case 'which_source':
      return `source: name one of ${[fault.able, ...fault.failures.map(({ message }) => message)].join('; ')}`;
    case 'no_mutes':
      return `${fault.source}: users of n9e may change no mutes from here`;
    case 'no_mute_right':
      return `${fault.source}: n9e lets you change no mutes there: it takes read and write in the busi group, and a role with /alert-mutes/add and /alert-mutes/put`;
    case 'hidden_characters':
      return 'matchers: a value holds characters that cannot be seen';
    case 'redacted':
      return '"[redacted]" stands for a secret that is not shown, so nothing can be matched with it';
    case 'holds_secret':
      return 'what would be done holds what looks like a secret; that is not shown, so nobody could approve it';
    case 'matchers_too_long':
      return `matchers: more than ${String(fault.most)} characters in all`;
    case 'one_end':
      return 'give either duration_minutes or ends_at';
    case 'end_is_past':
      return 'ends_at: must be in the future';
    case 'silence_too_long':
      return `a silence may last ${String(fault.days)} days at most`;
    case 'source':
      return fault.error.message;
  }
}

function away(failures: readonly SourceError[]): string {
  return failures.map(({ message }) => message).join('; ');
}
