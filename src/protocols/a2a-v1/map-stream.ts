import type { TaskStream } from '../../tasks/task.types.js';

type Event = TaskStream extends AsyncIterable<infer E> ? E : never;

/**
 * The stream with each event put through `change`. By hand, and not a generator, which would cost
 * every subscriber of a task three promises more for each event.
 */
export function mapStream(
  stream: TaskStream,
  change: (event: Event) => Event | Promise<Event>,
): TaskStream {
  return {
    [Symbol.asyncIterator]: () => {
      const events = stream[Symbol.asyncIterator]();
      const changed = (
        step: IteratorResult<Event, unknown>,
      ): IteratorResult<Event, unknown> | Promise<IteratorResult<Event, unknown>> => {
        if (step.done === true) return step;
        const event = change(step.value);
        if (event === step.value) return step;
        return Promise.resolve(event).then(
          (value) => ({ done: false, value }),
          async (error: unknown) => {
            // A loop over this one does not end an iteration that has failed by itself.
            await events.return?.();
            throw error;
          },
        );
      };
      return {
        next: () => events.next().then(changed),
        return: async () => {
          await events.return?.();
          return { done: true, value: undefined };
        },
      };
    },
  };
}
