import type { SideFigures } from '../../json/chaos.ts';
import { effectsOf, paidFor } from './account.ts';
import type { Standing } from './columns.ts';
import type { Side } from './side.ts';
import type { makeTrouble } from './trouble.ts';

type Trouble = Awaited<ReturnType<typeof makeTrouble>>;
/** A side under way. */
export type Running = { side: Side; trouble: Trouble; begun: number; ended: number | undefined };

/** A side as it stands now, by what its service has recorded. */
export const standing = async ({ side, trouble, begun, ended }: Running): Promise<Standing> => {
  const rows = await side.control.journal();
  const [launches, followUps] = [effectsOf(rows, 'launch'), effectsOf(rows, 'followup')];
  return {
    side: side.name,
    lines: side.lines,
    finished: side.finished(),
    killed: trouble.killed(),
    answersLost: await trouble.answersLost(),
    launched: launches.count,
    launchedTwice: launches.twice,
    followUps: followUps.count,
    followUpsTwice: followUps.twice,
    ms: (ended ?? Date.now()) - begun,
    over: ended !== undefined,
  };
};

/** What the service of a side has recorded in the end. */
export const figuresOf = async (running: Running, items: number): Promise<SideFigures> => {
  const { side } = running;
  const { finished: _, over: __, ms, ...figures } = await standing(running);
  const requests = await side.control.requests();
  const kept = await side.kept();
  return {
    ...figures,
    seconds: Math.round(ms / 100) / 10,
    refused: requests.filter(({ status }) => status === 429).length,
    requests: requests.length,
    lost: items - kept.size,
    ...(await paidFor(side, kept)),
  };
};
