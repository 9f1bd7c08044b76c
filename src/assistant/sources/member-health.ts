import type { SourceHttp } from './source-http.js';
import type { SourceMembers } from './source-members.js';

/** A sign of life of every member; what is wrong with one of several stands behind it. */
export async function healthOfMembers(
  members: SourceMembers,
  ask: (http: SourceHttp, signal: AbortSignal) => Promise<string>,
  signal: AbortSignal,
): Promise<string> {
  const answers = await members.all(ask, signal);
  const text = [...new Set(answers)].join(', ');
  if (members.count === 1) return text;
  const dead = members.ailing.map((error) => `; ${error.message}`).join('');
  return `${text} (${String(answers.length)} of ${String(members.count)} members${dead})`;
}
