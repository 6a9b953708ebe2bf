import { activities } from './activities.ts';
import { agentLooks } from './agent-looks.ts';
import { agentsMoney } from './agents-money.ts';
import { agents } from './agents.ts';
import { budgets } from './budgets.ts';
import { child } from './child.ts';
import { cli } from './cli.ts';
import { client } from './client.ts';
import { config } from './config.ts';
import { contracts } from './contracts.ts';
import { cutTexts } from './cut-texts.ts';
import { dataset } from './dataset.ts';
import { dev } from './dev.ts';
import { documents } from './documents.ts';
import { facePages } from './face.ts';
import { files } from './files.ts';
import { frame } from './frame.ts';
import { identity } from './identity.ts';
import { instance } from './instance.ts';
import { images } from './images.ts';
import { labels } from './labels.ts';
import { landing } from './landing.ts';
import { locks } from './locks.ts';
import { loopRows } from './loop-rows.ts';
import { loops } from './loops.ts';
import { manyRuns } from './many-runs.ts';
import { marks } from './marks.ts';
import { members } from './members.ts';
import { own } from './own.ts';
import { parsing } from './parsing.ts';
import { permits } from './permits.ts';
import { pipelines } from './pipelines.ts';
import { probe } from './probe.ts';
import { readings } from './readings.ts';
import { recover } from './recover.ts';
import { resources } from './resources.ts';
import { runs } from './runs.ts';
import { schedules } from './schedules.ts';
import { scripts } from './scripts.ts';
import { secrets } from './secrets.ts';
import { service } from './service.ts';
import { sources } from './sources.ts';
import { statements } from './statements.ts';
import { store } from './store.ts';
import { subs } from './subs.ts';
import { tagging } from './tagging.ts';
import { text } from './text.ts';
import { undo } from './undo.ts';
import { usage } from './usage.ts';
import { wire } from './wire.ts';
import { workflows } from './workflows.ts';
import type { Mutant } from './mutant.ts';

/** Every mutant, by folder. */
export const mutants: readonly Mutant[] = [
  ...activities,
  ...agents,
  ...agentLooks,
  ...agentsMoney,
  ...budgets,
  ...child,
  ...cli,
  ...client,
  ...config,
  ...contracts,
  ...cutTexts,
  ...dataset,
  ...dev,
  ...documents,
  ...facePages,
  ...files,
  ...frame,
  ...identity,
  ...instance,
  ...images,
  ...labels,
  ...landing,
  ...locks,
  ...loopRows,
  ...loops,
  ...manyRuns,
  ...marks,
  ...members,
  ...own,
  ...parsing,
  ...permits,
  ...pipelines,
  ...probe,
  ...readings,
  ...recover,
  ...resources,
  ...runs,
  ...schedules,
  ...scripts,
  ...secrets,
  ...service,
  ...sources,
  ...statements,
  ...store,
  ...subs,
  ...tagging,
  ...text,
  ...undo,
  ...usage,
  ...wire,
  ...workflows,
];
