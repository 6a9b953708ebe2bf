import type { AlertDocument } from '../document.ts';

/**
 * What became of one attempt to send an alert. `note` is for people: a status, an exit code, never an answer's body.
 * - `sent`: the receiver has it.
 * - `again`: it had no effect; `afterMs`: not before, where the receiver says so, else 0.
 * - `unknown`: it may have had its effect, and nobody knows.
 * - `failed`: it will not do better the next time.
 */
export type Outcome = { is: 'sent' | 'unknown' | 'failed'; note: string } | { is: 'again'; note: string; afterMs: number };

/** A channel as it is configured now. */
export type Channel = {
  name: string;
  kind: 'webhook' | 'command' | 'mail';
  /** An alert that may have arrived is sent again: its receiver knows it by its id. */
  repeats: boolean;
  send(document: AlertDocument, signal: AbortSignal): Promise<Outcome>;
};
