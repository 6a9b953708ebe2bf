import { liveDevFile } from '../../config/dev-file.ts';
import type { Config } from '../../config/load.ts';
import { localName } from '../../config/schema.ts';
import { thatMayBegin } from '../../pipelines/ends.ts';
import { known } from '../../pipelines/file/embedded-expressions.ts';
import { installCommand, missingPackages } from '../../service/engine/embedding/packages.ts';
import type { Launched } from './compile-file.ts';

/** What a step of a plan needs and this host lacks. */
export type Missing = { step: string; says: string; remedy: string };

const remedy = `${installCommand} (portolan dev need not be restarted), or compare words instead of meaning: portolan dev --embedding lexical`;

/** Packages that the local service of this folder embeds text with and that are not installed; undefined where it needs none. */
export const missingHere = (config: Config): { packages: string[]; remedy: string } | undefined => {
  const embedding = liveDevFile(config.dir)?.service.embedding ?? 'semantic';
  const packages = embedding === 'semantic' ? missingPackages() : [];
  return packages.length === 0 ? undefined : { packages, remedy };
};

/**
 * The first step of a plan that embeds text on the local service, where the packages for it are missing. Of a service that does not run
 * nobody knows by what it will embed.
 */
export function missingForEmbedding({ plan, open: { steps } }: Launched, config: Config): Missing[] {
  const first = [plan, ...Object.values(plan.pipelines ?? {}).map((sub) => sub.plan)]
    .flatMap((each) => thatMayBegin(each.steps))
    .find(({ use, with: input, connections }) => connections['maps'] === localName && steps[use]?.embeds?.(known(input)) === true);
  const missing = first && liveDevFile(config.dir) && missingHere(config);
  if (!missing) return [];
  const says = `steps.${first.id} embeds text by meaning, and the local service lacks ${missing.packages.join(' and ')}`;
  return [{ step: first.id, says, remedy: missing.remedy }];
}
