import { setTimeout as delay } from 'node:timers/promises';
import { isWait } from '../../client/wait.ts';
import type { Config } from '../../config/load.ts';
import { namedSecret, secretProblem } from '../../config/named-secret.ts';
import { Interrupted } from '../../landing/ask.ts';
import { landingOf } from '../../landing/of-config.ts';
import type { Landed } from '../../landing/file-set.ts';
import type { Land } from '../../landing/landed-tables.ts';
import { needsOf } from '../../landing/needs.ts';
import { fileName, shownPath } from '../../pipelines/source-name.ts';
import { bytes, duration } from '../../text/units.ts';
import { CommandError } from '../frame/errors.ts';
import { exit } from '../frame/exit.ts';
import type { Terminal } from '../frame/terminal.ts';
import { lendTables, type LentTables } from './lent-tables.ts';

/** Between two lines about one file. */
const everyMs = 2_000;

/** A command waits no longer for a server that asks it to. */
const longestWaitMs = 60_000;

/** Who fetches: `orElse` is what a person does where the source cannot be reached from here. */
type Fetching = { terminal: Pick<Terminal, 'err'>; signal: AbortSignal; orElse?: string };

/**
 * Fetches what a command reads and is elsewhere, each file once, into the run store, and says so as it goes. Fails with `CommandError`
 * where a secret is not there, or its server cannot be reached, and otherwise as `download` does.
 */
export function landHere(config: Config, { terminal, signal, orElse = '' }: Fetching): Land {
  const landing = landingOf(config, async (name) => namedSecret(config, name));
  const landed = new Map<string, Promise<Landed>>();
  const land = async (file: Parameters<Land>[0]): Promise<Landed> => {
    const place = shownPath(file);
    refuseSecrets(file, config, orElse);
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
        if (error instanceof Interrupted || (isWait(error) && error.waitMs > longestWaitMs))
          throw new CommandError(error.message, { remedy: `is its server up, and reached from here?${orElse}`, cause: error });
        if (!isWait(error)) throw error;
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

/** A secret that is not there would look like a connection that fails. */
function refuseSecrets(file: Parameters<Land>[0], config: Config, orElse: string): void {
  for (const need of needsOf(file, config.sources)) {
    const problem = 'secret' in need ? secretProblem(config, need.secret, 'a source') : undefined;
    if (problem) throw new CommandError(`${shownPath(file)}: ${problem.message}`, { remedy: problem.remedy + orElse, code: exit.usage });
  }
}

type Starting = Omit<Fetching, 'orElse'> & { options: { readonly 'no-check'?: boolean | undefined } };

/** Tables of a command that starts runs: it looks at what is elsewhere as `plan` does, and with `--no-check` at files of this host alone. */
export const lendToStart = (config: Config, { terminal, signal, options }: Starting): LentTables =>
  lendTables({
    land: options['no-check']
      ? undefined
      : landHere(config, { terminal, signal, orElse: '; --no-check starts the run all the same, where only its worker has it' }),
    signal,
  });
