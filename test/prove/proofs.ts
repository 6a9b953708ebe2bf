import { proof as agentCaps } from './agent-caps.ts';
import { proof as agentExports } from './agent-exports.ts';
import { proof as agentFlock } from './agent-flock.ts';
import { proof as agentLimits } from './agent-limits.ts';
import { proof as agentPages } from './agent-pages.ts';
import { proof as agents } from './agents.ts';
import { proof as alerts } from './alerts.ts';
import { proof as anywhere } from './anywhere.ts';
import { proof as badInput } from './bad-input.ts';
import { proof as budgets } from './budgets.ts';
import { proof as cel } from './cel.ts';
import { proof as columns } from './columns.ts';
import { proof as corpus } from './corpus.ts';
import { proof as diskFull } from './disk-full.ts';
import { proof as counters } from './counters.ts';
import { proof as damaged } from './damaged.ts';
import { proof as documents } from './documents.ts';
import { proof as documentsJob } from './documents-job.ts';
import { proof as documentsKills } from './documents-kills.ts';
import { proof as durable } from './durable.ts';
import { proof as elsewhere } from './elsewhere.ts';
import { proof as images } from './images.ts';
import { proof as flights } from './flights.ts';
import { proof as flights3m } from './flights-3m.ts';
import { proof as fuzz } from './fuzz.ts';
import { proof as install } from './install.ts';
import { proof as invalidBatches } from './invalid-batches.ts';
import { proof as kills } from './kills.ts';
import { proof as largeArrow } from './large-arrow.ts';
import { proof as interrupts } from './interrupts.ts';
import { proof as limits } from './limits.ts';
import { proof as locks } from './locks.ts';
import { proof as lostAnswers } from './lost-answers.ts';
import { proof as manyKeys } from './many-keys.ts';
import { proof as mirror } from './mirror.ts';
import { proof as mistakes } from './mistakes.ts';
import { proof as mutants } from './mutants.ts';
import { proof as loops } from './loops.ts';
import { proof as ownSweep } from './own-sweep.ts';
import { proof as ownTrouble } from './own-trouble.ts';
import { proof as ownCsv } from './own-csv.ts';
import { proof as ownWaits } from './own-waits.ts';
import { proof as pages } from './pages.ts';
import { proof as planBounds } from './plan-bounds.ts';
import { proof as programs } from './programs.ts';
import type { Proof } from './proof.ts';
import { proof as proxy } from './proxy.ts';
import { proof as readings } from './readings.ts';
import { proof as readme } from './readme.ts';
import { proof as retryMatrix } from './retry-matrix.ts';
import { proof as roles } from './roles.ts';
import { proof as schedules } from './schedules.ts';
import { proof as serviceReach } from './service-reach.ts';
import { proof as searchMeaning } from './search-meaning.ts';
import { proof as secretCanaries } from './secret-canaries.ts';
import { proof as sqlSources } from './sql-sources.ts';
import { proof as switches } from './switches.ts';
import { proof as storms } from './storms.ts';
import { proof as subs } from './subs.ts';
import { proof as tagging } from './tagging.ts';
import { proof as tiles } from './tiles.ts';
import { proof as twoHundred } from './two-hundred.ts';
import { proof as uploadKills } from './upload-kills.ts';
import { proof as watermarks } from './watermarks.ts';
import { proof as zombies } from './zombies.ts';

/** Every proof, in the order in which a set runs. */
export const proofs: readonly Proof[] = [
  lostAnswers,
  cel,
  columns,
  badInput,
  limits,
  flights,
  kills,
  install,
  readme,
  storms,
  uploadKills,
  flights3m,
  retryMatrix,
  durable,
  corpus,
  damaged,
  largeArrow,
  sqlSources,
  zombies,
  twoHundred,
  proxy,
  diskFull,
  mutants,
  fuzz,
  switches,
  mistakes,
  planBounds,
  anywhere,
  ownCsv,
  ownWaits,
  loops,
  ownSweep,
  ownTrouble,
  secretCanaries,
  readings,
  pages,
  counters,
  interrupts,
  programs,
  mirror,
  elsewhere,
  subs,
  locks,
  watermarks,
  alerts,
  schedules,
  tagging,
  tiles,
  images,
  agents,
  agentCaps,
  agentExports,
  agentFlock,
  agentLimits,
  agentPages,
  budgets,
  documents,
  documentsJob,
  documentsKills,
  roles,
  invalidBatches,
  manyKeys,
  serviceReach,
  searchMeaning,
];
