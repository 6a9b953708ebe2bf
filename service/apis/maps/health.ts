import type { maps } from '../../../contracts/maps/index.ts';
import type { Handlers } from '../../http/handlers.ts';

/** The body is an assumption; clients read the status only. */
export const createHealth = (): Handlers<typeof maps>['health'] => ({ get: () => ({ status: 'ok' }) });
