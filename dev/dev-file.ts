import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { devFilePath } from '../config/dev-file.ts';
import type { DevFile } from '../config/dev-file.ts';
import type { AskedPort } from './ports.ts';
import { readJsonFile, writeJsonFile } from './temporal/files.ts';

/** Writes `dev.json` whole. */
export const writeDevFile = (dir: string, file: DevFile): void => writeJsonFile(devFilePath(dir), file);

/** Removes `dev.json`: nothing of `dev` runs in this folder. */
export const removeDevFile = (dir: string): void => rmSync(devFilePath(dir), { force: true });

/** Ports of the last start, asked for again at the next one so that links stay good. */
export type Ports = { temporal?: number; ui?: number; service?: number };

const portsFile = (dir: string): string => join(dir, 'ports.json');

export const readPorts = (dir: string): Ports => readJsonFile<Ports>(portsFile(dir)) ?? {};

/** Option of `portolan dev` by which each is named. */
const portOptions: Readonly<Record<keyof Ports, string>> = { temporal: 'temporal-port', ui: 'ui-port', service: 'service-port' };

/** The port that a person named, else that of the last start; undefined where any will do, which 0 says too. */
export const askedPort = (of: keyof Ports, named: Ports, former: Ports): AskedPort | undefined => {
  const port = named[of] ?? former[of];
  if (!port) return undefined;
  return named[of] === undefined ? { port } : { port, option: portOptions[of] };
};

export const writePorts = (dir: string, ports: Ports): void => writeJsonFile(portsFile(dir), ports);
