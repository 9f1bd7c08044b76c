import { type ChildProcess, spawn, type StdioOptions } from 'node:child_process';
import type { Writable } from 'node:stream';

/**
 * Runs a program under the eyes of a shell that holds a pipe from us. A line on the pipe is a
 * signal to pass on; its end means that we are gone, however that happened, and kills the program.
 * Once the program has ended, $1 (a folder) and $2 (a file) are removed, if named. The program
 * itself gets nothing of the pipe: it would keep it open. The shell says nothing: a word on our
 * broken output would end it by SIGPIPE before it has cleaned up.
 */
const GUARD = `
exec 3<&0 </dev/null
folder=$1 file=$2
shift 2
"$@" 3<&- &
child=$!
(
  while read -r signal <&3; do kill -s "$signal" "$child" 2>/dev/null; done
  kill -9 "$child" 2>/dev/null
) &
reader=$!
exec 3<&- >/dev/null 2>&1
wait "$child"
code=$?
kill -9 "$reader" 2>/dev/null
if [ -n "$folder" ]; then rm -rf "$folder"; fi
if [ -n "$file" ]; then rm -f "$file"; fi
exit "$code"
`;

/** What becomes of standard input, output and error. */
const STDIO = {
  inherit: ['pipe', 'inherit', 'inherit'],
  stderr: ['pipe', 2, 2],
  keep: ['pipe', 'pipe', 'pipe'],
} satisfies Record<string, StdioOptions>;

/** How much of a quiet program's output is kept for a failure's message. */
const KEPT_OUTPUT = 4000;

export interface GuardedOptions {
  readonly env: NodeJS.ProcessEnv;
  /** `inherit`: its output is ours. `stderr`: all of it goes there. `keep`: its end is kept. */
  readonly output: 'inherit' | 'stderr' | 'keep';
  /** Removed once the program has ended, also when we are no more. */
  readonly cleanUp?: { readonly folder: string; readonly file: string };
}

/** A child process that never outlives this one, not even when this one is killed by SIGKILL. */
export class GuardedProcess {
  private code: number | undefined;
  private kept = '';
  /** The program's exit code, 128 + n when signal n ended it; never rejects. */
  readonly ended: Promise<number>;

  private constructor(
    shell: ChildProcess,
    private readonly pipe: Writable,
  ) {
    // Writing to a guard that has just ended is no fault of ours.
    pipe.on('error', () => undefined);
    for (const stream of [shell.stdout, shell.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        this.kept = (this.kept + text).slice(-KEPT_OUTPUT);
      });
    }
    this.ended = new Promise((resolve) => {
      const end = (code: number): void => {
        this.code ??= code;
        resolve(this.code);
      };
      shell.once('error', () => {
        end(127);
      });
      shell.once('close', (code) => {
        end(code ?? 137);
      });
    });
  }

  static start(program: string, args: readonly string[], options: GuardedOptions): GuardedProcess {
    const { folder = '', file = '' } = options.cleanUp ?? {};
    const shell = spawn('/bin/sh', ['-c', GUARD, 'sh', folder, file, program, ...args], {
      env: options.env,
      // A group of its own: Ctrl-C is for the launcher, which stops things in their order.
      detached: true,
      stdio: STDIO[options.output],
    });
    if (shell.stdin === null) throw new Error('bug: the guard has no pipe');
    return new GuardedProcess(shell, shell.stdin);
  }

  /** Undefined while it runs. */
  get exitCode(): number | undefined {
    return this.code;
  }

  /** The end of what it printed, with `output: 'keep'`. */
  get output(): string {
    return this.kept.trim();
  }

  /** Asks it to end. */
  terminate(): void {
    if (this.code === undefined) this.pipe.write('TERM\n');
  }

  /** Ends it. */
  kill(): void {
    this.pipe.end();
  }

  /** Asks, and kills what is left after `graceMs`. Resolves when it has ended. */
  async stop(graceMs: number): Promise<void> {
    this.terminate();
    const timer = setTimeout(() => {
      this.kill();
    }, graceMs);
    await this.ended;
    clearTimeout(timer);
    this.kill();
  }
}
