// A module backend for tests: the first line of the message says what to do, e.g.
//   deltas count=200 every=100     numbered deltas `<attempt>.<n> `, a pause before each; each with
//                                  `pad` dots, and after a step of `step` dots
//   data 10 900000 …               one artifact each, whose data are so many bytes
//   ask [expects=approval]         a question; the answer is repeated
//   instant | nonce | hang | deaf | fail | throw | reject | auth | big bytes=100000 | effect …
// Options: journal (a file that gets a line for each start and each effect).
import { randomUUID } from 'node:crypto';
import { appendFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

function note(options, line) {
  if (options.journal) appendFileSync(options.journal, `${JSON.stringify(line)}\n`);
}

function parse(text) {
  const [command, ...rest] = text.split('\n', 1)[0].trim().split(/\s+/);
  const values = Object.fromEntries(rest.map((word) => word.split('=', 2)));
  return { command, values };
}

async function* deltas(turn, signal, { count = 10, every = 50, pad = 0, step = 0 }) {
  const filler = '.'.repeat(Number(pad));
  for (let n = 1; n <= Number(count); n += 1) {
    await sleep(Number(every), undefined, { signal });
    if (Number(step) > 0) yield { kind: 'step', text: '.'.repeat(Number(step)) };
    yield { kind: 'content', text: `${turn.attempt}.${n}${filler} ` };
  }
}

async function* run(turn, signal, options) {
  const { command, values } = parse(turn.text);
  note(options, {
    event: 'start',
    taskId: turn.taskId,
    contextId: turn.contextId,
    turn: turn.turn,
    attempt: turn.attempt,
    messageId: turn.message.messageId,
    pid: process.pid,
    at: Date.now(),
  });
  if (turn.answering) {
    yield { kind: 'content', text: `you said ${turn.text}` };
    return;
  }
  switch (command) {
    case 'deltas':
      yield* deltas(turn, signal, values);
      return;
    case 'effect':
      note(options, {
        event: 'effect',
        taskId: turn.taskId,
        attempt: turn.attempt,
        pid: process.pid,
      });
      yield* deltas(turn, signal, values);
      return;
    case 'ask':
      yield { kind: 'content', text: 'before the question ' };
      yield { kind: 'input_required', question: 'Which one?', expects: values.expects ?? 'text' };
      return;
    case 'auth':
      yield { kind: 'auth_required', question: 'Sign in elsewhere' };
      return;
    case 'instant':
      yield { kind: 'content', text: 'done' };
      return;
    case 'nonce':
      yield { kind: 'content', text: `nonce-${randomUUID()}` };
      return;
    case 'steps':
      yield { kind: 'reason', text: 'thinking' };
      yield { kind: 'step', text: 'looking' };
      yield { kind: 'content', text: 'seen' };
      return;
    case 'files':
      // files <bytes> <bytes> …: one artifact each, of a single repeated byte
      for (const [index, size] of turn.text.split(' ').slice(1).entries()) {
        const raw = Buffer.alloc(Number(size), 97 + index).toString('base64');
        const parts = [{ raw, filename: `../part ${index}.bin`, mediaType: 'image/png' }];
        yield { kind: 'artifact', name: `file ${index}`, parts };
      }
      return;
    case 'data':
      for (const [index, size] of turn.text.split(' ').slice(1).entries()) {
        const data = { rows: [index, 'd'.repeat(Number(size))] };
        const artifact = { kind: 'artifact', name: `data ${index}`, contentType: 'table' };
        yield { ...artifact, parts: [{ data }] };
      }
      return;
    case 'big':
      yield { kind: 'content', text: 'x'.repeat(Number(values.bytes)) };
      return;
    case 'hang':
      yield { kind: 'content', text: 'waiting' };
      await sleep(3_600_000, undefined, { signal });
      return;
    case 'deaf':
      yield { kind: 'content', text: 'not listening' };
      await sleep(3_600_000, undefined, { ref: false });
      return;
    case 'kill':
      // A poison run: it takes its process along, whichever runs it.
      yield { kind: 'content', text: 'doomed' };
      await sleep(500);
      process.kill(process.pid, 'SIGKILL');
      return;
    case 'fail':
      yield { kind: 'fail', reason: 'the reason for the user' };
      return;
    case 'reject':
      yield { kind: 'reject', reason: 'not this' };
      return;
    case 'throw':
      throw new Error('an internal matter');
    default:
      yield { kind: 'content', text: `echo ${turn.text}` };
  }
}

export default function create(options = {}) {
  return { run: (turn, signal) => run(turn, signal, options) };
}
