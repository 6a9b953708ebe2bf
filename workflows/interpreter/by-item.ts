import { sha256Of } from '../../pipelines/sandbox-hash.ts';
import { canonical } from '../../text/canonical-json.ts';
import type { Json } from '../../text/json.ts';
import { openTurn, type Block } from './block.ts';
import type { State } from './state.ts';

/**
 * The path of a step by the items of its turns, such as `review[north].ask`: that by their numbers means another turn as soon as the list of
 * the loop has another order. Undefined of a step that stands in no turn.
 */
export function pathByItem(state: State, block: Block, id: string): string | undefined {
  let path = id;
  let turns = 0;
  for (let at = block; at.of; at = at.of.block) {
    const turn = openTurn(state, at);
    path = `${at.of.step.id}[${turn ? nameOf(turn.item) : at.of.on}].${path}`;
    turns += turn ? 1 : 0;
  }
  return turns === 0 ? undefined : path;
}

/**
 * A text or a number is its own name, or a hash stands for it. Of what has fields the name is a hash in braces: any of them may be another one
 * the next time.
 */
function nameOf(item: Json): string {
  if (item === null || typeof item === 'object') return `{${sha256Of(canonical(item)).slice(0, 12)}}`;
  const text = String(item);
  return /^[^[\]{}\s]{1,80}$/.test(text) ? text : sha256Of(text).slice(0, 12);
}
