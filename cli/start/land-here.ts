import { setTimeout as delay } from 'node:timers/promises';
import { isWait } from '../../client/wait.ts';
import type { Config } from '../../config/load.ts';
import { namedSecret } from '../../config/named-secret.ts';
import { landingOf } from '../../landing/of-config.ts';
import type { Landed } from '../../landing/file-set.ts';
import type { Land } from '../../landing/landed-tables.ts';
import { fileName, pathOf } from '../../pipelines/source-name.ts';
import { bytes, duration } from '../../text/units.ts';
import type { Terminal } from '../frame/terminal.ts';

/** Between two lines about one file. */
const everyMs = 2_000;

/** A command waits no longer for a server that asks it to. */
const longestWaitMs = 60_000;

/** Fetches what a command reads and is elsewhere, each file once, into the run store, and says so as it goes. */
export function landHere(config: Config, terminal: Pick<Terminal, 'err'>, signal: AbortSignal): Land {
  const landing = landingOf(config, async (name) => namedSecret(config, name));
  const landed = new Map<string, Promise<Landed>>();
  const land = async (file: Parameters<Land>[0]): Promise<Landed> => {
    const place = pathOf(file);
    let said = performance.now();
    const progress = (done: number, total?: number): void => {
      if (performance.now() - said < everyMs) return;
      said = performance.now();
      terminal.err(`fetching ${place}: ${bytes(done)}${total === undefined ? '' : ` of ${bytes(total)}`}\n`);
    };
    for (;;)
      try {
        const found = await landing(file, { signal, progress });
        terminal.err(`${found.again ? 'unchanged since it was fetched:' : 'fetched'} ${place} (${bytes(found.bytes)})\n`);
        return found;
      } catch (error) {
        if (!isWait(error) || error.waitMs > longestWaitMs) throw error;
        terminal.err(`${error.message}: ${duration(error.waitMs)}\n`);
        await delay(error.waitMs, undefined, { signal });
      }
  };
  return async (file) => {
    const name = fileName(file);
    if (!landed.has(name)) landed.set(name, land(file));
    return (await landed.get(name)!).path;
  };
}
