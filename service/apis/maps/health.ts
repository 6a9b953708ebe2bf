import type { ReadingOf } from '../../../contracts/assumptions/index.ts';
import type { maps } from '../../../contracts/maps/index.ts';
import type { Handlers } from '../../http/handlers.ts';
import type { MapsState } from './state.ts';

const answers: Record<ReadingOf<'health-answer'>, () => unknown> = {
  json: () => ({ status: 'ok' }),
  text: () => new Response('ok', { headers: { 'content-type': 'text/plain' } }),
  empty: () => new Response(null),
};

/** The body is an assumption; clients read the status only. */
export const createHealth = ({ readings }: Pick<MapsState, 'readings'>): Handlers<typeof maps>['health'] => ({
  get: () => answers[readings.of('health-answer')](),
});
