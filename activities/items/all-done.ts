import { Inconclusive } from '../../errors/classes.ts';

/** Fails a sweep at its end where its chunks, all acknowledged, do not add up to its items. */
export function checkAllDone(done: number, items: number): void {
  if (done !== items) throw new Inconclusive(`${items} items were listed, but ${done} have ended`);
}
