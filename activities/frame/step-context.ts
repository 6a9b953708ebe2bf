import { dirname } from 'node:path';
import { createClients } from '../../client/create-client.ts';
import { createCalls } from '../../client/invoke.ts';
import { createDocumentFiles } from '../../client/document-files.ts';
import { getSignedFile } from '../../client/signed-file.ts';
import { createPutPart } from '../../client/put-part.ts';
import { revealing } from '../../client/secret-sink.ts';
import type { Transport } from '../../client/send.ts';
import type { OwnServices } from '../../client/own-fetch.ts';
import type { Images } from '../../child/images.ts';
import type { Tables } from '../../child/tables.ts';
import { operations, type Service } from '../../contracts/index.ts';
import { NeedsApproval } from '../../errors/classes.ts';
import { landedTables } from '../../landing/landed-tables.ts';
import type { Landing } from '../../landing/landing.ts';
import { idInPlan } from '../../pipelines/id-in-plan.ts';
import type { ActivityInput } from '../../pipelines/plan.ts';
import type { Counts, Progress } from '../../pipelines/phases.ts';
import { innerIntents, type Intents } from '../../store/intents.ts';
import { createMarks } from '../../store/marks.ts';
import { hadNoEffect } from '../effects/send-once.ts';
import type { Threads } from '../own/thread/host/threads.ts';
import { landFor } from '../sources/land.ts';
import type { ChunkLedger } from './chunk-ledger.ts';
import type { StepContext } from './context.ts';
import { opener, type Connect } from './open-service.ts';
import { fenced, type PresentStore } from './present-store.ts';
import type { Protection } from './protection.ts';

export type ContextDeps = {
  connect: Connect;
  own: OwnServices;
  tables: Tables;
  images: Images;
  /** Fetches what is elsewhere. */
  landing: Landing;
  /** Where the code of own steps runs. */
  threads: Threads;
  protect: Protection;
  seeRun?: StepContext['seeRun'];
};

/** An attempt of an activity, for all that is done in it. */
export type AttemptFrame = {
  deps: ContextDeps;
  args: Pick<ActivityInput, 'run' | 'sources'>;
  store: PresentStore;
  attempt: number;
  attemptId: string;
  ledger: ChunkLedger | undefined;
  counted: (counts: Counts) => void;
  /** `step`: the one that sent it. */
  onSent: (step: string, operation: string) => void;
  report: (progress: Progress) => void;
  signal: AbortSignal;
  fence: () => Promise<void>;
  held: () => Promise<void>;
  effectsSent: () => number;
};

/** What is done in it: the step of the activity, or a step of a row within its chunk. */
export type ContextOf = {
  step: ActivityInput['step'];
  place: readonly string[];
  callScope: string;
  intents: () => Intents;
  /** Of a step of a row. */
  ofRow?: true;
};

const exportOperation = 'instance.agents.export';

/** What the code of a step is given. */
export function createStepContext(frame: AttemptFrame, { step, place, callScope, intents, ofRow }: ContextOf): StepContext {
  const { deps, args, store, attempt, attemptId, ledger, counted, report, signal, fence, held, effectsSent } = frame;
  // Of a step of a row all rows together: they are as many as the table has.
  const onSent = (operation: string): void => frame.onSent(ofRow ? idInPlan(step.id) : step.id, operation);
  const open = opener(deps.connect, step);
  const hidden = deps.protect.secrets ? {} : { secrets: revealing };
  const transportOf = (service: Service): Transport => ({ ...open(service).transport, ...hidden, callScope, fence, onSent });
  return {
    run: args.run,
    step: step.id,
    byItem: step.byItem ?? step.id,
    ...(ofRow && { ofRow }),
    ...(step.lists && { lists: step.lists }),
    requireApproval: (act) => {
      if (!step.approved)
        throw new NeedsApproval(`${act} cannot be taken back, and nobody has approved it: nothing of it was done`, {
          run: args.run.id,
          step: idInPlan(step.id),
        });
    },
    tolerate: step.tolerate ?? {},
    attempt,
    retry: step.retry ?? 0,
    attemptId,
    place,
    intents,
    lookUp: deps.protect.lookUp,
    compare: deps.protect.compare,
    fence,
    held,
    effectsSent,
    sources: args.sources,
    callScope,
    own: deps.own,
    ...(deps.seeRun && { seeRun: deps.seeRun }),
    ...createCalls(transportOf),
    ...createClients(transportOf),
    putPart: (part, options) => {
      const { permits, baseUrl } = open('maps').transport;
      return createPutPart(permits, { fence, serviceUrl: baseUrl, onSent })(part, options);
    },
    documentFiles: () => {
      const { permits, baseUrl } = open('maps').transport;
      return createDocumentFiles(permits, { fence, serviceUrl: baseUrl, onSent, signal });
    },
    exportedFile: (url, most) => {
      const { permits, baseUrl } = open('instance').transport;
      const { limit } = operations[exportOperation];
      return getSignedFile(
        { url, most, limit, serviceUrl: baseUrl, permits, signal },
        { by: exportOperation, what: 'the URL of an export', goes: 'exports' },
      );
    },
    connection: (service) => open(service).connection,
    mapsUrl: (path) => open('maps').connection.url + path,
    store: fenced(store, held),
    marks: createMarks(dirname(store.path()), { compare: deps.protect.marks }),
    fates: (groups, when) => ledger?.add(groups, when),
    counted,
    sending: async (items, send) => {
      const before = effectsSent();
      try {
        return await send();
      } catch (error) {
        if (effectsSent() > before && !hadNoEffect(error))
          ledger?.unknown(typeof items === 'function' ? items() : items, `no answer was seen: ${(error as Error).message}`);
        throw error;
      }
    },
    tables: landedTables(deps.tables, landFor({ landing: deps.landing, store, report, signal }, args.sources)().land),
    images: deps.images,
    threads: deps.threads,
    within: (inner, path) =>
      createStepContext(
        { ...frame, ...counting(fence), ledger: undefined, report: () => undefined, args: { ...args, run: alone(args.run) } },
        {
          step: { ...inner, id: path },
          place: [...place, path],
          callScope: `${callScope}/${path}`,
          intents: () => innerIntents(intents(), `${path} `),
          ofRow: true,
        },
      ),
    progress: report,
    signal,
  };
}

/** What one row has sent is its own, whatever those beside it send. */
function counting(fence: () => Promise<void>): Pick<AttemptFrame, 'fence' | 'effectsSent'> {
  let sent = 0;
  return {
    effectsSent: () => sent,
    async fence() {
      await fence();
      sent++;
    },
  };
}

/** What earlier runs did of a row its loop knows. */
const alone = ({ former: _former, ...run }: AttemptFrame['args']['run']): AttemptFrame['args']['run'] => run;
