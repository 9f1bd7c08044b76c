import type {
  Before,
  CallDesk,
  CallPlan,
  OpenCall,
  RemoteLink,
} from '../../src/assistant/remote/call-desk.js';
import type {
  Deed,
  OperatorAnswer,
  OperatorRequest,
  WriteDesk,
  WriteNote,
} from '../../src/assistant/writes/write-desk.js';
import type { BegunWrite } from '../../src/assistant/writes/write-plan.js';

/** A desk in memory: lets every write through and notes what it was told. */
export class FakeDesk implements WriteDesk {
  readonly calls = new FakeCalls();
  readonly done: { readonly text: string; readonly deed: Deed; readonly plan?: BegunWrite }[] = [];
  readonly asked: OperatorRequest[] = [];
  readonly notes: WriteNote[] = [];
  /** What the operator says. */
  operator: OperatorAnswer = { decision: 'approved', by: 'olga' };
  /** What an earlier attempt did. */
  before: string | undefined;

  async once(text: string, act: () => Promise<Deed>, plan?: BegunWrite): Promise<Deed> {
    if (this.before !== undefined) return { outcome: 'before', text: this.before };
    const deed = await act();
    this.done.push({ text, deed, ...(plan === undefined ? {} : { plan }) });
    return deed;
  }

  note(note: WriteNote): void {
    this.notes.push(note);
  }

  recall(): Promise<string | undefined> {
    return Promise.resolve(this.before);
  }

  askOperator(request: OperatorRequest): Promise<OperatorAnswer> {
    this.asked.push(request);
    return Promise.resolve(this.operator);
  }
}

/** Calls of remotes in memory. */
export class FakeCalls implements CallDesk {
  readonly opened: CallPlan[] = [];
  readonly named: string[] = [];
  readonly ended: { readonly outcome: string; readonly text: string }[] = [];
  readonly links = new Map<string, RemoteLink>();
  /** What an earlier attempt has left for the next call. */
  before: Before | undefined;

  open(plan: CallPlan): Promise<OpenCall> {
    this.opened.push(plan);
    return Promise.resolve({
      id: `call-1-${this.opened.length}`,
      before: this.before,
      named: (taskId) => {
        this.named.push(taskId);
        return Promise.resolve();
      },
      end: (outcome, text) => {
        this.ended.push({ outcome, text });
        return Promise.resolve();
      },
    });
  }

  linkOf(remote: string): Promise<RemoteLink | undefined> {
    return Promise.resolve(this.links.get(remote));
  }

  keepLink(remote: string, link: RemoteLink): Promise<void> {
    this.links.set(remote, link);
    return Promise.resolve();
  }
}
