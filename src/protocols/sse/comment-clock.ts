import { Inject, Injectable } from '@nestjs/common';
import { GATEWAY_CONFIG, type GatewayConfig } from '../../config/config.types.js';

/** The streams of an instance are spread over so many ticks, so that not all are written at once. */
const SLOTS = 15;

/** A stream that wants a sign of life now and then. */
export interface Silent {
  comment(): void;
}

/** Where a stream waits for its turn. */
export type Slot = Set<Silent>;

/**
 * Tells each open stream every `sseCommentMs` to write a comment, as proxies cut connections that are
 * silent for 60 s. One timer for all: one each would take 300 bytes of an idle stream. The first turn
 * may come a fifteenth sooner. Stands still while there is no stream.
 */
@Injectable()
export class CommentClock {
  private readonly slots: readonly Slot[] = Array.from({ length: SLOTS }, () => new Set());
  private readonly tickMs: number;
  private size = 0;
  private at = 0;
  private timer: NodeJS.Timeout | undefined;

  constructor(@Inject(GATEWAY_CONFIG) { execution }: Pick<GatewayConfig, 'execution'>) {
    this.tickMs = execution.sseCommentMs / SLOTS;
  }

  /** @returns what `leave` wants to have back. */
  join(stream: Silent): Slot {
    const slot = this.slots[this.at] ?? new Set();
    slot.add(stream);
    this.size += 1;
    this.timer ??= setInterval(() => {
      this.tick();
    }, this.tickMs);
    return slot;
  }

  leave(stream: Silent, slot: Slot): void {
    if (!slot.delete(stream)) return;
    this.size -= 1;
    if (this.size > 0) return;
    clearInterval(this.timer);
    this.timer = undefined;
  }

  private tick(): void {
    this.at = (this.at + 1) % SLOTS;
    this.slots[this.at]?.forEach((stream) => {
      stream.comment();
    });
  }
}
