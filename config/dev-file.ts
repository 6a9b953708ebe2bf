import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Service } from '../contracts/index.ts';
import { isAlive, isIdentity } from './identity.ts';

/** `.portolan/dev.json`: what `portolan dev` started in this folder, and where it is reached. Holds no secret. */
export type DevFile = {
  version: 1;
  pid: number;
  startTime: string;
  temporal: {
    address: string;
    namespace: string;
    uiUrl?: string;
    /** Rung that the server came from; `cluster`: a configured one, which `dev` only uses. */
    source: string;
    /** The rung was asked for by name: this server goes before a configured cluster while `dev` lives. */
    forced: boolean;
    pid?: number;
  };
  service: {
    url: string;
    /** File of the admin key of each API, readable to its owner only. */
    keyFiles: { [S in Service]: string };
    /** Whether faults, limits and the journal can be asked for. */
    control: boolean;
    /** Embedding that was asked for by name. */
    embedding?: string;
    pid: number;
    startTime: string;
  };
  worker?: { pid: number; startTime: string };
  startedAt: string;
};

export const devFilePath = (dir: string): string => join(dir, 'dev.json');

/** Whether what `dev.json` holds can be used: a disk that was full, or a hand, leaves other things. */
const isDevFile = (value: unknown): value is DevFile => {
  const { version, temporal, service, worker } = (value ?? {}) as Partial<DevFile>;
  return (
    version === 1 &&
    isIdentity(value) &&
    typeof temporal?.address === 'string' &&
    isIdentity(service) &&
    typeof service.url === 'string' &&
    typeof service.keyFiles === 'object' &&
    (worker === undefined || isIdentity(worker))
  );
};

/** Reads `dev.json` of a `.portolan` folder; undefined where there is none, an older form, or a damaged one. It may be stale. */
export const readDevFile = (dir: string): DevFile | undefined => {
  try {
    const file: unknown = JSON.parse(readFileSync(devFilePath(dir), 'utf8'));
    return isDevFile(file) ? file : undefined;
  } catch {
    return undefined;
  }
};

/** `dev.json` of a `portolan dev` that lives; undefined where it has ended, in whatever way. */
export const liveDevFile = (dir: string): DevFile | undefined => {
  const file = readDevFile(dir);
  return file !== undefined && isAlive(file) ? file : undefined;
};
