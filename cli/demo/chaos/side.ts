import type { DemoControl } from '../control.ts';

/** One of the two ways, at work on a service of its own. */
export type Side = {
  name: 'by hand' | 'pipeline';
  /** Where its agents are. */
  url: string;
  key: string;
  control: DemoControl;
  /** Lines of its file. */
  lines: number;
  /** Begins; settles when it has ended. */
  run(signal: AbortSignal): Promise<void>;
  /** SIGKILL to the process that does the work. */
  kill(): Promise<unknown>;
  /** Notes that have ended, as far as it says so. */
  finished(): number;
  /** Agents of the notes that have a result. */
  kept(): Promise<ReadonlySet<string>>;
};
