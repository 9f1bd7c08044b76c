import fc from 'fast-check';

/** How often each step is taken, in relation to the others. */
const WEIGHTS = {
  create: 9,
  append: 9,
  status: 7,
  settle: 10,
  restart: 4,
  checkpoint: 3,
  lose: 3,
  save: 3,
  continue: 5,
  takeOver: 5,
  startQueued: 4,
  cancel: 3,
  effect: 4,
  file: 3,
  delete: 4,
  surplus: 2,
  close: 3,
  read: 1,
  readLog: 3,
  setHook: 4,
  removeHook: 2,
  readHooks: 1,
  claim: 6,
  report: 6,
  beat: 2,
  list: 2,
  later: 3,
  suspend: 1,
  repeat: 6,
} as const;

/** One step of one instance; what the numbers mean depends on what there is (see Driver). */
export interface Step {
  readonly op: keyof typeof WEIGHTS;
  /** The instance. */
  readonly by: number;
  readonly at: number;
  readonly n: number;
  /** It looks at the task first; else it acts on what it saw last. */
  readonly fresh: boolean;
  /** An unusual argument: another user, a wrong head, a staged snapshot. */
  readonly odd: boolean;
  /** Its answer is lost, and it is sent again at once. */
  readonly lost: boolean;
}

const often = (weight: number): fc.Arbitrary<boolean> =>
  fc.oneof({ weight, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: fc.constant(true) });

export interface Plan {
  readonly users: number;
  readonly steps: readonly Step[];
}

export function plans(most: number): fc.Arbitrary<Plan> {
  const op = fc.oneof(
    ...Object.entries(WEIGHTS).map(([name, weight]) => ({
      weight,
      arbitrary: fc.constant(name as Step['op']),
    })),
  );
  const step = fc.record({
    op,
    by: fc.nat(2),
    at: fc.nat(5),
    n: fc.nat(11),
    fresh: often(1).map((stale) => !stale),
    odd: often(4),
    lost: often(5),
  });
  return fc.record({
    users: fc.constantFrom(1, 2),
    steps: fc.array(step, { minLength: 1, maxLength: most, size: 'max' }),
  });
}
