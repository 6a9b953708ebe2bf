import { hasFields, itemName } from '../../pipelines/item-name.ts';
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
    path = `${at.of.step.id}[${turn ? itemName(turn.item) : at.of.on}].${path}`;
    turns += turn ? 1 : 0;
  }
  return turns === 0 ? undefined : path;
}

/**
 * What the loops of its turns go over whose items have fields, by the brackets of that path, null in place of others: a rerun may know a turn
 * by its place only where what was done there is of no item of the list. As the loop has it: 4 KiB at most, or a reference.
 */
export function listsAround(state: State, block: Block): (Json | null)[] | undefined {
  const lists: (Json | null)[] = [];
  for (let at = block; at.of; at = at.of.block) {
    const turn = openTurn(state, at);
    lists.unshift(turn && hasFields(turn.item) ? state.steps[at.of.block.path + at.of.step.id]!.input! : null);
  }
  return lists.some((list) => list !== null) ? lists : undefined;
}
