import { mkdirSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { Hono } from 'hono';
import type { Readings } from '../contracts/assumptions/index.ts';
import { serviceNames, serviceOf, type Service as ApiName } from '../contracts/index.ts';
import { fileOperation } from '../contracts/maps/documents.ts';
import { partOperation } from '../contracts/maps/uploads.ts';
import { createClock } from './core/clock.ts';
import { createBuilds } from './engine/datasets/builds.ts';
import { createBlobs } from './engine/blobs.ts';
import { createDatasets } from './engine/datasets/store.ts';
import { createUpdates } from './engine/datasets/updates.ts';
import { createControl } from './core/control.ts';
import { createFileHandler, createResultHandler, FILE_ROUTE, RESULT_ROUTE } from './engine/documents/routes.ts';
import { defaultDocumentSettings, type DocumentSettings } from './engine/documents/settings.ts';
import { createDocumentStore } from './engine/documents/store.ts';
import { createEmbedder } from './engine/embedding/provider.ts';
import type { EmbedderOptions } from './engine/embedding/provider.ts';
import { createVision } from './engine/embedding/vision.ts';
import { createImages } from '../child/host/create-images.ts';
import { createFaults } from './core/faults.ts';
import { createExchange } from './http/exchange.ts';
import { readJournals } from './engine/journals.ts';
import { createIdentity } from './core/identity/identity.ts';
import { createIntake } from './http/intake.ts';
import { createRequests } from './http/requests.ts';
import { listen } from './http/listen.ts';
import type { Listening } from './http/listen.ts';
import { bindingsOf, mountOperations, type AllHandlers, type Env } from './http/mount.ts';
import { createLimits } from './core/rate-limits.ts';
import { createInstance } from './apis/instance/index.ts';
import { createMaps } from './apis/maps/index.ts';
import { served } from './apis/served.ts';
import { holdFolder } from './core/hold-folder.ts';
import { addDocuments } from './openapi/index.ts';
import { addPages } from './pages/index.ts';
import { addSignIn } from './pages/sign-in-page.ts';
import { openRecords } from './core/records/database.ts';
import { adminKey, adminKeyFile, callerOf } from './core/records/keys.ts';
import { createPeople } from './core/records/people.ts';
import { firstUser } from './core/records/organizations.ts';
import { createReadings } from './core/readings.ts';
import { createRequestLog } from './core/request-log.ts';
import { errorAnswer, plainErrors } from './http/answer.ts';
import { BLOB_ROUTE, createBlobHandler } from './engine/blob-route.ts';
import { PART_ROUTE, createPartHandler } from './engine/uploads/part-route.ts';
import { defaultUploadSettings } from './engine/uploads/settings.ts';
import type { UploadSettings } from './engine/uploads/settings.ts';
import { createMeter } from './engine/meter.ts';
import { createOutside } from './engine/outside.ts';
import type { OutsideOptions } from './engine/outside.ts';
import { createRemovals } from './engine/removals.ts';
import { createResources } from './engine/resources/resources.ts';
import { createSigner } from './engine/signature.ts';
import { createAgents } from './engine/agents/agents.ts';
import { createExportHandler, EXPORT_ROUTE } from './engine/agents/exports/export-route.ts';
import { builtIn } from './engine/agents/built-in/decide.ts';
import { usualPace, type Pace } from './engine/agents/pace.ts';
import { openAiModel } from './engine/agents/openai/model.ts';
import type { OpenAiSettings } from './engine/agents/openai/settings.ts';
import type { AgentSettings } from './engine/agents/parts.ts';
import { createAgentHost } from './apis/instance/agent-host.ts';
import { createTables } from '../child/host/create-tables.ts';
import { createBudgets } from './engine/budgets/budgets.ts';
import { createCodes } from './engine/codes/codes.ts';
import { createFiles } from './engine/files/files.ts';
import { createWorkProjects } from './engine/projects/projects.ts';
import { createWorkflows } from './engine/workflows/workflows.ts';
import { createSpool } from './http/spool.ts';
import { createUploadStore } from './engine/uploads/store.ts';

export type ServiceOptions = {
  dataDir: string;
  /** How long another service that is ending may still hold the folder; default: not at all. */
  waitForFolderMs?: number;
  /** Absent or 0: a free one. */
  port?: number;
  /** Takes a free port where another program has that one. */
  orFree?: boolean;
  /** Absent: loopback of both stacks. */
  host?: string;
  /** The control plane under `/__control`; off by default. */
  control?: boolean;
  /** Pages for the user of this machine, on loopback without a key, which read, tag points, and stop and ask agents; by default where the control plane is on. */
  pages?: boolean;
  /** Writes the page of the project's schedules. */
  schedules?: () => Promise<string>;
  /** `semantic` by default; an object names an endpoint or the number of threads. */
  embedding?: 'semantic' | 'lexical' | EmbedderOptions;
  /** Holds answers against the contracts; for tests. */
  checkAnswers?: boolean;
  /** DuckDB files that stay open, and the memory of each. */
  datasets?: { maxOpen?: number; memoryLimit?: string };
  /** Hosts beside the public ones from which files may be fetched that requests name. */
  outside?: OutsideOptions;
  /** Lifetimes and limits of multipart uploads. */
  uploads?: Partial<UploadSettings>;
  /** How long turns of agents take, in seconds of the clock that can be moved, and what answers in place of the built-in worker. */
  agents?: { pace?: Pace; endpoint?: OpenAiSettings };
  /** Lifetimes of documents that are parsed, and of their results. */
  documents?: Partial<DocumentSettings>;
  /** Readings of the text other than the guessed ones (contracts/assumptions). */
  assume?: Partial<Readings>;
};

export type Service = {
  /** Answers one request in process; rejects where an ordered fault cuts the connection. */
  fetch(request: Request): Promise<Response>;
  listen(): Promise<{ url: string; port: number }>;
  /** Base URL once it listens. */
  readonly url: string;
  /** Of each API: a key that may do everything, and the file that holds it. */
  readonly adminKeys: { [S in ApiName]: string };
  readonly keyFiles: { [S in ApiName]: string };
  /** Stops listening, ends what is under way, closes the files. */
  close(): Promise<void>;
};

/** What the process of a service says in its place when another program has its port. */
export type PortTaken = { portTaken: number };

/** What the process of a service says when it listens. */
export type ServiceReady = Pick<Service, 'url' | 'adminKeys' | 'keyFiles'> & { pid: number };

/** The local service on a data directory, which it holds alone. Unfinished index builds go on at once. */
export const createService = (options: ServiceOptions): Service => {
  const { dataDir, control = false, pages = control, embedding = 'semantic', checkAnswers = false } = options;
  const embedder = createEmbedder(
    typeof embedding === 'string'
      ? { provider: embedding, threads: embedding === 'semantic' ? Math.min(2, availableParallelism()) : 1 }
      : embedding,
  );
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const held = holdFolder(dataDir, options.waitForFolderMs);
  const records = openRecords(join(dataDir, 'records.sqlite'));
  const log = createRequestLog(join(dataDir, 'requests.sqlite'));
  const owner = firstUser(records);
  const { userId } = owner;
  const keys = serviceNames.map((service) => ({
    service,
    key: adminKey(records, dataDir, owner, service),
    file: adminKeyFile(dataDir, service),
  }));
  const adminKeys = Object.fromEntries(keys.map(({ service, key }) => [service, key])) as Service['adminKeys'];
  const datasets = createDatasets(join(dataDir, 'datasets'), options.datasets);
  const clock = createClock();
  const images = createImages();
  const vision = createVision(images);
  const meter = createMeter(records, clock, embedder, vision);
  const blobs = createBlobs(dataDir);
  const builds = createBuilds(records, datasets, meter, blobs);
  const limits = createLimits();
  const faults = createFaults();
  const intake = createIntake();
  const readings = createReadings(options.assume);
  const updates = createUpdates({ records, datasets, builds, readings });
  const uploads = createUploadStore(dataDir, clock, faults.reach, { ...defaultUploadSettings, ...options.uploads });
  const signer = createSigner(dataDir);
  const outside = createOutside(options.outside);
  const files = createFiles({ records, clock, dataDir, reach: faults.reach });
  const documents = createDocumentStore({
    dataDir,
    records,
    clock,
    meter,
    outside,
    reach: faults.reach,
    settings: { ...defaultDocumentSettings, ...options.documents },
    versions: files,
  });
  const resources = createResources({ records, datasets, meter, blobs, readings });
  const removals = createRemovals({ records, datasets, builds, resources, uploads, blobs, reach: faults.reach });
  const projects = createWorkProjects(records);
  const budgets = createBudgets(records, clock);
  const workflows = createWorkflows(records);
  const codes = createCodes(dataDir);
  const tables = createTables({ children: 1, tempDir: dataDir });
  const agentSettings: AgentSettings = {
    pace: options.agents?.pace ?? usualPace,
    failures: { left: 0, category: 'overloaded', again: true },
  };
  const agents = createAgents({
    records,
    clock,
    tables,
    host: createAgentHost({ files, records, projects, workflows, budgets, codes, readings, documents }),
    model: options.agents?.endpoint ? openAiModel(options.agents.endpoint) : builtIn,
    settings: agentSettings,
    scratch: join(dataDir, 'agents'),
    reach: faults.reach,
  });
  const identity = createIdentity(records, clock, dataDir);
  const state = {
    records,
    datasets,
    builds,
    resources,
    updates,
    embedder,
    meter,
    blobs,
    outside,
    clock,
    identity,
    uploads,
    documents,
    signer,
    removals,
    readings,
  };
  const handlers: AllHandlers = {
    maps: createMaps(state),
    instance: createInstance({ records, clock, identity, files, projects, budgets, workflows, codes, agents, signer, readings, documents }),
  };

  const exchange = createExchange({
    limits,
    faults,
    intake,
    spool: createSpool(dataDir),
    clock,
    log,
    checkAnswers,
    throttleStatus: (service) => (service === 'instance' && readings.of('throttle-status') === 'unavailable' ? 503 : 429),
    openReads: () => readings.of('public-reads') === 'everybody',
    callerOf: (service, key) => (service === 'maps' ? identity.sessions.callerOf(key) : undefined) ?? callerOf(records, service, key),
    authorize: (operation, caller, endpoint) => served[serviceOf(operation)].authorize(records, caller, endpoint),
    checkReach: (operation, caller, endpoint, input) => served[serviceOf(operation)].checkReach(records, caller, endpoint, input),
  });
  const app = new Hono<Env>({ strict: false });
  if (control)
    app.route(
      '/__control',
      createControl({
        faults,
        limits,
        intake,
        clock,
        readings,
        uploads: uploads.settings,
        log,
        journal: readJournals(records, datasets),
        agents: { settings: agentSettings, answer: agents.answer },
        people: createPeople(records, owner),
        instance: { records, budgets, workflows, owner },
        describe: () => ({ embedding: embedder.name, dataDir }),
      }),
    );
  if (pages)
    addPages(app, {
      ...state,
      userId,
      images,
      topk: handlers.maps.query.topk,
      tag: handlers.maps.tags.update,
      instance: { records, files, operations: handlers.instance, key: adminKeys.instance, fetch: (request) => app.fetch(request) },
      schedules: options.schedules,
    });
  addSignIn(app, identity, (key) => callerOf(records, 'maps', key));
  addDocuments(app);
  mountOperations(app, handlers, exchange);
  const signedWrites = {
    [PART_ROUTE]: { operation: partOperation, put: createPartHandler(uploads, signer, readings) },
    [FILE_ROUTE]: { operation: fileOperation, put: createFileHandler(documents, signer) },
  };
  for (const [route, { operation, put }] of Object.entries(signedWrites))
    app.put(route, (context) => {
      const request = context.req.raw;
      return exchange.stream({
        operation,
        limit: 'maps/part',
        request,
        bindings: bindingsOf(context),
        handler: (body, { at }) => put(request, body, at),
      });
    });
  const signedReads = {
    [BLOB_ROUTE]: createBlobHandler(blobs, signer),
    [EXPORT_ROUTE]: createExportHandler(records, signer),
    [RESULT_ROUTE]: createResultHandler(documents, signer),
  };
  for (const [route, read] of Object.entries(signedReads))
    app.get(route, async (context) => {
      try {
        return await read(context.req.raw, clock.now());
      } catch (error) {
        return errorAnswer(error, plainErrors, '');
      }
    });
  app.onError((error) => {
    throw error;
  });

  const requests = createRequests(held, (request, bindings) => app.fetch(request, bindings));

  let listening: Listening | undefined;
  let closed: Promise<void> | undefined;
  builds.resume();
  updates.resume();
  resources.resume();
  removals.resume();
  files.resume();
  agents.resume();
  documents.tasks.resume();

  const close = async (): Promise<void> => {
    faults.reset();
    outside.close();
    await listening?.close();
    await requests.ended();
    await agents.close();
    await tables.close();
    await files.close();
    await updates.close();
    await builds.close();
    await resources.close();
    await removals.close();
    codes.close();
    await embedder.close();
    await images.close();
    await documents.close();
    await uploads.close();
    await datasets.close();
    log.close();
    records.close();
    held.letGo();
  };

  return {
    fetch: (request) => requests.answer(request),
    async listen() {
      listening ??= await listen((request, bindings) => requests.answer(request, bindings), options);
      return { url: this.url, port: listening.port };
    },
    get url() {
      if (!listening) throw new Error('the service does not listen yet');
      const host = options.host ?? '127.0.0.1';
      return `http://${host.includes(':') ? `[${host}]` : host}:${listening.port}`;
    },
    adminKeys,
    keyFiles: Object.fromEntries(keys.map(({ service, file }) => [service, file])) as Service['keyFiles'],
    close: () => (closed ??= close()),
  };
};
