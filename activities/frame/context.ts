import type { Clients } from '../../client/create-client.ts';
import type { Calls } from '../../client/invoke.ts';
import type { Service } from '../../contracts/index.ts';
import type { OwnServices } from '../../client/own-fetch.ts';
import type { DocumentFiles } from '../../client/document-files.ts';
import type { PutPart } from '../../client/put-part.ts';
import type { Tuning } from '../../config/tuning.ts';
import type { RunToSee, SeenRun } from '../../pipelines/see-run.ts';
import type { Counts, Progress } from '../../pipelines/phases.ts';
import type { ActivityInput, RunRef, SourceFingerprint } from '../../pipelines/plan.ts';
import type { Intents } from '../../store/intents.ts';
import type { Marks } from '../../store/marks.ts';
import type { FateGroup, RunStore } from '../../store/run-store.ts';
import type { Images } from '../../child/images.ts';
import type { Tables } from '../../child/tables.ts';
import type { Threads } from '../own/thread/host/threads.ts';
import type { Json } from '../../text/json.ts';

/** A service of a connection as a step sees it: never a secret. */
export type StepConnection = {
  name: string;
  hosted: boolean;
  /** Base URL without a slash at its end. */
  url: string;
  /** Organization slug or id named in the configuration; default: the user's default organization. */
  organization?: string;
} & Tuning;

/**
 * What the code of a step is given: also every way to call an operation, by name, by contract or as a method of its service. One attempt
 * per call: a failure is the activity's failure, and Temporal retries it.
 */
export type StepContext = Calls &
  Clients & {
    run: RunRef;
    /** The step's id in the file. */
    step: string;
    /** The same; of a step in a turn of a loop its path by the items, `review[north].ask`, where `step` has their numbers: `review[17].ask`. */
    byItem: string;
    /** Of a step of a row, whose path has the place of the row in both. */
    ofRow?: true;
    /** Of such a step of a rerun: what the loops go over whose items have fields, or a reference to that, by the brackets of the path; else null. */
    lists?: readonly (Json | null)[];
    /** Fails with `NeedsApproval` unless a gate, or whoever started the run, approved what this step may do that cannot be taken back. */
    requireApproval(act: string): void;
    tolerate: { [status: string]: { share?: number; count?: number } };
    /** 1 for the first attempt of this activity; one that ended to wait, or to look again, is none. */
    attempt: number;
    /** 0 for the first try of the step; `onError` of its file may ask for further ones, which begin anew a job that came to nothing. */
    retry: number;
    /** Names this attempt among all attempts of the activity: of what only one attempt may write. */
    attemptId: string;
    /** The activity's place in the folders of the run store: its step, phase and chunk. */
    place: readonly string[];
    /** What this activity has begun to send; `effects/send-once.ts` reads and writes it. Opened when first asked for. */
    intents(): Intents;
    /** False only in proofs that show what happens when open intents are not looked up. */
    lookUp: boolean;
    /** False only in proofs that show what happens when a budget is written that is not as it was compared. */
    compare: boolean;
    /** Fingerprints of the run's sources as inspected before the first write. */
    sources: { [path: string]: SourceFingerprint };
    /** Sends a part of an upload to its signed URL: one attempt too. */
    putPart: PutPart;
    /** Sends files to be parsed to their signed URLs, and reads results from theirs: one attempt each. */
    documentFiles: () => DocumentFiles;
    /** The bytes behind the URL of an agent's export, at most so many. */
    exportedFile: (url: string, most: number) => Promise<Uint8Array>;
    /** Equal calls in it are attempts of one call. */
    callScope: string;
    /** What own steps use beside the APIs. */
    own: OwnServices;
    /** The service as the step's connection has it. Fails where the step lists none of its operations. */
    connection: (service: Service) => StepConnection;
    /** Address of a page of the maps service. */
    mapsUrl: (path: string) => string;
    store: RunStore;
    /** What the server says of another run; absent where none stands behind, as where a step is tried without a run. */
    seeRun?: (run: RunToSee) => Promise<SeenRun>;
    /** How far sources were read, of all runs of the store. */
    marks: Marks;
    /**
     * Of a chunk of a sweep: says what became of items as soon as it is known. The frame writes the ledger when the attempt ends,
     * however it ends. `ifOver`: it counts only where the run ends with this attempt.
     */
    fates(groups: readonly FateGroup[], when?: { ifOver: boolean }): void;
    /** Of the end of a sweep: counts of what it has done itself, beside those of its chunks. */
    counted(counts: Counts): void;
    /** Sends something for items of a chunk. Where it ends without anybody knowing what became of them, the ledger says so. */
    sending<T>(items: readonly string[] | (() => readonly string[]), send: () => Promise<T>): Promise<T>;
    /** Hostile bytes are opened behind this. */
    tables: Tables;
    /** So are images. */
    images: Images;
    /** Of a chunk whose items are worked through by steps: the context of one of these, by its path such as `review[17].ask`. */
    within(step: ActivityInput['step'], path: string): StepContext;
    /** The code of own steps runs in these. */
    threads: Threads;
    progress(progress: Progress): void;
    /**
     * Fails where this attempt may have been given to another worker. Calls and parts pass it by themselves; what has another
     * effect outside of this process passes it right before.
     */
    fence(): Promise<void>;
    /**
     * The same for a record of what was done, which a cancelled run keeps too. What is written by the store passes it by itself, and where
     * a later attempt may have written already.
     */
    held(): Promise<void>;
    /** How often this attempt has passed the fence. */
    effectsSent(): number;
    signal: AbortSignal;
  };
