import type { HttpSourceConfig } from '../../config/config.types.js';
import { isUnsent, SourceError } from './source-error.js';
import { type SourceCalls, SourceHttp, type SourceWrite } from './source-http.js';
import type { SourceInfo } from './source-info.js';

/** For so long a member that failed is asked last. */
const REST_MS = 30_000;
/** Once a member has answered, the others get so long. */
const GRACE_MS = 1500;
/** A member that is to take a write has to say within this that it is there. */
const ALIVE_MS = 2000;

interface Member {
  readonly http: SourceHttp;
  failed: { readonly error: SourceError; readonly at: number } | undefined;
}

/**
 * The members of an HA pair, or the one server of a source. What any member can tell is asked of one
 * after another (`get`, `ask`); what each knows a part of, of all (`all`). A member that fails is
 * remembered, for the answer to name it.
 */
export class SourceMembers implements SourceCalls {
  private readonly members: readonly Member[];

  constructor(
    info: SourceInfo,
    config: HttpSourceConfig,
    private readonly now: () => number = Date.now,
  ) {
    const urls = [config.url, ...(config.peers ?? [])];
    this.members = urls.map((url, index) => {
      const name = urls.length === 1 ? info.name : `${info.name} #${String(index + 1)}`;
      const http = new SourceHttp({ name, type: info.type }, { ...config, url });
      return { http, failed: undefined };
    });
  }

  get count(): number {
    return this.members.length;
  }

  /** What was wrong with the members that failed when they were asked last. */
  get ailing(): readonly SourceError[] {
    return this.members.flatMap(({ failed }) => failed?.error ?? []);
  }

  /** @throws SourceError of the first member when none answers; the signal's reason. */
  get<T>(
    path: string,
    query: Readonly<Record<string, string>>,
    read: (body: unknown) => T,
    signal: AbortSignal,
  ): Promise<T> {
    return this.one((http) => http.get(path, query, read, signal), isDown);
  }

  ask<T>(path: string, body: unknown, read: (body: unknown) => T, signal: AbortSignal): Promise<T> {
    return this.one((http) => http.ask(path, body, read, signal), isDown);
  }

  /**
   * Never by a second member what the first may have done. Of several the first that answers `alive` is
   * taken: another instance may have seen a member fail, and a write that hangs is lost.
   * @throws SourceError
   */
  async write<T>(
    write: SourceWrite,
    read: (body: unknown) => T,
    alive?: (http: SourceHttp, signal: AbortSignal) => Promise<unknown>,
  ): Promise<T> {
    if (alive !== undefined && this.members.length > 1) await this.findAlive(alive);
    return this.one((http) => http.write(write, read), isUnsent);
  }

  /** Notes which members answer. @throws SourceError, when none does. */
  private async findAlive(
    alive: (http: SourceHttp, signal: AbortSignal) => Promise<unknown>,
  ): Promise<void> {
    const errors = await Promise.all(
      this.members.map(async (member) => {
        const late = AbortSignal.timeout(ALIVE_MS);
        try {
          await alive(member.http, late);
          member.failed = undefined;
          return undefined;
        } catch (error) {
          const told = late.aborted ? member.http.late(ALIVE_MS) : error;
          if (!(told instanceof SourceError)) throw told;
          member.failed = { error: told, at: this.now() };
          return told;
        }
      }),
    );
    const [first] = errors;
    if (first === undefined || errors.includes(undefined)) return;
    throw new SourceError(first.source, first.fault, { cause: first, unsent: true });
  }

  /**
   * Asks every member at once. One that is slow or dead does not keep the answer of the others.
   * @throws SourceError of the first member when none answers; the signal's reason.
   */
  async all<T>(
    ask: (http: SourceHttp, signal: AbortSignal) => Promise<T>,
    signal: AbortSignal,
  ): Promise<readonly T[]> {
    const late = new AbortController();
    const either = AbortSignal.any([signal, late.signal]);
    let timer: NodeJS.Timeout | undefined;
    const settled = await Promise.allSettled(
      this.members.map(async (member) => {
        try {
          const answer = await ask(member.http, either);
          member.failed = undefined;
          timer ??= setTimeout(() => {
            late.abort();
          }, GRACE_MS);
          return answer;
        } catch (error) {
          signal.throwIfAborted();
          const told = late.signal.aborted ? member.http.late(GRACE_MS) : error;
          if (told instanceof SourceError) member.failed = { error: told, at: this.now() };
          throw told;
        }
      }),
    );
    clearTimeout(timer);
    signal.throwIfAborted();
    const bug = settled.find(
      (one) => one.status === 'rejected' && !(one.reason instanceof SourceError),
    );
    if (bug?.status === 'rejected') throw bug.reason;
    const answers = settled.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    const [first] = settled;
    if (answers.length === 0 && first?.status === 'rejected') throw first.reason;
    return answers;
  }

  async close(): Promise<void> {
    await Promise.all(this.members.map(({ http }) => http.close()));
  }

  private async one<T>(
    call: (http: SourceHttp) => Promise<T>,
    mayGoOn: (error: SourceError) => boolean,
  ): Promise<T> {
    const resting = ({ failed }: Member): boolean =>
      failed !== undefined && this.now() - failed.at < REST_MS;
    const order = [...this.members].sort((a, b) => Number(resting(a)) - Number(resting(b)));
    let first: SourceError | undefined;
    for (const member of order) {
      try {
        const answer = await call(member.http);
        member.failed = undefined;
        return answer;
      } catch (error) {
        if (!(error instanceof SourceError) || !mayGoOn(error)) throw error;
        member.failed = { error, at: this.now() };
        first ??= error;
      }
    }
    throw first ?? new Error('bug: a source without a member');
  }
}

/** Is it the member that is out of order, and not the question? */
function isDown({ fault }: SourceError): boolean {
  return fault.kind !== 'refused' && fault.kind !== 'too_big';
}
