import { failureOf } from './agent-ending.js';
import { quoted } from './quote.js';
import type { RemoteAnswer } from './remote-tool.js';
import { remoteWordsFor } from './remote-words.js';

const WORDS = remoteWordsFor('en', '');

/** What is told of an answer where nobody but its caller hears it: whose words these are, quoted. */
export function directWords(remote: string, answer: RemoteAnswer): string {
  const { success, text, asks, ended } = answer;
  const saying = (said: string): readonly string[] => {
    const quote = quoted(said);
    return quote === '' ? [] : [`${WORDS.says(remote)}\n\n${quote}`];
  };
  if (ended !== undefined) {
    return [...saying(ended.partial), failureOf(remote, ended, WORDS)].join('\n\n');
  }
  if (asks !== undefined) {
    const partial = text.replace(asks.question, '');
    const question = `${WORDS.asks(remote)}\n\n${quoted(asks.question)}`;
    return [...saying(partial), question, WORDS.notHere].join('\n\n');
  }
  if (!success) return text;
  return saying(text)[0] ?? `${WORDS.says(remote)} ${WORDS.nothingSaid}`;
}
