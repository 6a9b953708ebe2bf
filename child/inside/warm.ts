import type { ChildContext, Methods } from '../protocol.ts';
import { openEngine } from './engine.ts';

/** Loads what the first look at a table needs, and opens the engine once: that takes longer than the look itself. */
export async function warm(_input: Methods['warm']['input'], context: ChildContext): Promise<void> {
  await import('./check-columns.ts');
  await using _engine = await openEngine(context);
}
