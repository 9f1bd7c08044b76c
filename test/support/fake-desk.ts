import type {
  Deed,
  OperatorAnswer,
  OperatorRequest,
  WriteDesk,
} from '../../src/assistant/writes/write-desk.js';

/** A desk in memory: lets every write through and notes what it was told. */
export class FakeDesk implements WriteDesk {
  readonly done: { readonly text: string; readonly deed: Deed }[] = [];
  readonly asked: OperatorRequest[] = [];
  /** What the operator says. */
  operator: OperatorAnswer = { decision: 'approved', by: 'olga' };
  /** What an earlier attempt did. */
  before: string | undefined;

  async once(text: string, act: () => Promise<Deed>): Promise<Deed> {
    if (this.before !== undefined) return { outcome: 'before', text: this.before };
    const deed = await act();
    this.done.push({ text, deed });
    return deed;
  }

  recall(): Promise<string | undefined> {
    return Promise.resolve(this.before);
  }

  askOperator(request: OperatorRequest): Promise<OperatorAnswer> {
    this.asked.push(request);
    return Promise.resolve(this.operator);
  }
}
