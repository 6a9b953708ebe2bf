import type { AgentInput } from '../../pipelines/steps/agent/input.ts';
import type { StepContext } from '../frame/context.ts';
import type { Ended } from '../own/ledger-rows.ts';
import type { Caps } from './caps.ts';
import type { Seen } from './sightings.ts';

/** What the items of a chunk have in common while they are looked at once. */
export type Pass = {
  input: AgentInput;
  context: StepContext;
  /** Agents that were there before the step began. */
  before: readonly string[];
  live: () => Promise<ReadonlyMap<string, Seen>>;
  caps: Caps | undefined;
  /** Nothing more is launched in this pass: a limit is closed, or the budget is spent. */
  mayLaunch: () => boolean;
  /** The item waits for others and for nothing of its own. */
  wait: () => void;
};

/** How an item has ended. */
export type Fate = Omit<Ended, 'attempts'>;
