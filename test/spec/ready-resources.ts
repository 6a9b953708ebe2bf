import { setTimeout as pause } from 'node:timers/promises';
import type { Calls, OutputOf } from '../../client/invoke.ts';

type Listed = OutputOf<'maps.resources.list'>;

/** The resources of a dataset once none is built any more, nor will be: those that are left stand on one that failed. */
export async function readyResources({ invoke }: Pick<Calls, 'invoke'>, project_id: string): Promise<Listed> {
  for (;;) {
    const listed = await invoke('maps.resources.list', { project_id });
    const status = new Map(listed.map((each) => [each.id, each.status]));
    const isNext = ({ dependencies }: Listed[number]): boolean => (dependencies as string[]).every((id) => status.get(id) === 'COMPLETED');
    if (!listed.some((each) => each.status === 'BUILDING' || (each.status === 'WAITING' && isNext(each)))) return listed;
    await pause(20);
  }
}
