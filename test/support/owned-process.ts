import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';

/**
 * Runs the program and kills it when the test process is gone, however that ended: the guard waits
 * for the end of a pipe that only the test process holds. The program's own pid comes on fd 3.
 */
export const GUARD = `
exec 4<&0
"$@" </dev/null 3>&- 4<&- &
child=$!
echo "$child" >&3
exec 3>&-
( cat <&4 >/dev/null 2>&1; kill -9 "$child" ) >/dev/null 2>&1 &
guard=$!
wait "$child"
code=$?
kill "$guard" >/dev/null 2>&1
exit "$code"
`;

export interface OwnedOptions {
  readonly cwd?: string;
  /** The whole environment, not an addition to ours. */
  readonly env?: NodeJS.ProcessEnv;
}

/** A child process of a test: signalled by its pid, and never outliving the test process. */
export class OwnedProcess {
  private output = '';
  private code: number | undefined;
  private readonly ended: Promise<number>;

  private constructor(
    shell: ChildProcess,
    /** Of the program itself, not of the guard around it. */
    readonly pid: number,
  ) {
    for (const stream of [shell.stdout, shell.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        this.output += text;
      });
    }
    this.ended = new Promise((resolve) => {
      shell.once('close', (code) => {
        this.code = code ?? -1;
        resolve(this.code);
      });
    });
  }

  /** @throws Error when the shell could not be started. */
  static async start(
    program: string,
    args: readonly string[],
    options: OwnedOptions = {},
  ): Promise<OwnedProcess> {
    const shell = spawn('/bin/sh', ['-c', GUARD, 'sh', program, ...args], {
      stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
      ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
      env: {
        ...(options.env ?? process.env),
        PATH: `${process.env['PATH'] ?? ''}:/usr/sbin:/sbin`,
      },
    });
    shell.stdin.on('error', () => undefined);
    const [line] = (await once(shell.stdio[3] as Readable, 'data')) as [Buffer];
    return new OwnedProcess(shell, Number(line.toString().trim()));
  }

  /** Standard output and error so far. */
  get logs(): string {
    return this.output;
  }

  /** Undefined while it runs; 128 + n when signal n ended it. */
  get exitCode(): number | undefined {
    return this.code;
  }

  /** Does nothing once the process has ended: its pid may be another's by then. */
  signal(signal: NodeJS.Signals): void {
    if (this.code !== undefined) return;
    try {
      process.kill(this.pid, signal);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  }

  /** The exit code. */
  exited(): Promise<number> {
    return this.ended;
  }

  async kill9(): Promise<void> {
    this.signal('SIGKILL');
    await this.ended;
  }

  /** Asks with SIGTERM, then kills. */
  async stop(graceMs = 5_000): Promise<number> {
    this.signal('SIGCONT');
    this.signal('SIGTERM');
    const timer = setTimeout(() => {
      this.signal('SIGKILL');
    }, graceMs);
    const code = await this.ended;
    clearTimeout(timer);
    return code;
  }
}
