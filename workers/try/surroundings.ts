import { exchange } from '../../client/exchange.ts';
import type { OwnServices } from '../../client/own-fetch.ts';
import { createPermits } from '../../client/permits.ts';
import type { Config } from '../../config/load.ts';
import { tuningOf } from '../../config/tuning.ts';
import type { OwnCode } from '../../pipelines/own/define.ts';
import type { Step } from '../../pipelines/step.ts';
import { createConnections } from '../open-connections.ts';
import { createOwnServices } from '../own-services.ts';
import { createFakeExchange, nowhere } from './fake-exchange.ts';
import { recorded, type SentRequest } from './recorded.ts';
import type { Surroundings } from './try-step.ts';

/** What is shown of an error names its places. */
const nowhereKept = (): void => undefined;

/** The services of a connection and of the configuration, as a worker has them; `sent` is what leaves. */
export function realSurroundings(config: Config, own: readonly Step[], connection: string, sent: SentRequest[]): Surroundings {
  const by = recorded(exchange, sent);
  const connect = createConnections(config);
  return {
    connection,
    hurry: false,
    own: { ...createOwnServices(config, own), by, stacks: nowhereKept },
    connect: (service, name) => {
      const open = connect(service, name);
      return { ...open, transport: { ...open.transport, by } };
    },
  };
}

/** No service at all: answers from the step's `fake`, secrets that are none, limits that are open. `missing` are requests that it has no answer to. */
export function fakeSurroundings({ fake = {} }: Pick<OwnCode, 'fake'>, sent: SentRequest[], missing: Set<string>): Surroundings {
  const by = recorded(createFakeExchange(fake, missing), sent);
  const own: OwnServices = {
    // Anew each time: a wait is named, and what it closes is open.
    get permits() {
      return createPermits();
    },
    limitOf: (url) => url.origin,
    secret: async (name) => `fake-${name}`,
    by,
    stacks: nowhereKept,
  };
  return {
    connection: 'fake',
    hurry: true,
    own,
    connect: (_, name) => ({
      connection: { name, hosted: false, url: nowhere, ...tuningOf({}, false) },
      transport: { baseUrl: nowhere, token: 'fake', permits: createPermits(), by },
    }),
  };
}
