import type { Step } from '../step.ts';
import { definition as agentRun } from './agent/run.ts';
import { definition as apiCall } from './api/call.ts';
import { definition as budgetsApply } from './budgets/apply.ts';
import { definition as budgetsCompare } from './budgets/compare.ts';
import { definition as budgetsLedger } from './budgets/ledger.ts';
import { definition as dataDelete } from './data/delete.ts';
import { definition as datasetAppend } from './dataset/append.ts';
import { definition as datasetEnsure } from './dataset/ensure.ts';
import { definition as datasetLoad } from './dataset/load.ts';
import { definition as datasetMirror } from './dataset/mirror.ts';
import { definition as datasetUpload } from './dataset/upload.ts';
import { definition as documentsParse } from './documents/parse.ts';
import { definition as gateApprove } from './gate/approve.ts';
import { definition as imagesAdd } from './images/add.ts';
import { definition as indexBuild } from './index/build.ts';
import { definition as indexUpdate } from './index/update.ts';
import { definition as pointsList } from './points/list.ts';
import { definition as pointsNeighbors } from './points/neighbors.ts';
import { definition as pointsRestore } from './points/restore.ts';
import { definition as pointsSearch } from './points/search.ts';
import { definition as pointsSelect } from './points/select.ts';
import { definition as pointsTag } from './points/tag.ts';

/** Every built-in step by its name. A step that is not here does not exist; the compiler names one without code in `activities/frame/table.ts`. */
export const definitions = {
  'dataset.ensure': datasetEnsure,
  'dataset.append': datasetAppend,
  'dataset.upload': datasetUpload,
  'dataset.load': datasetLoad,
  'dataset.mirror': datasetMirror,
  'images.add': imagesAdd,
  'documents.parse': documentsParse,
  'index.build': indexBuild,
  'index.update': indexUpdate,
  'data.delete': dataDelete,
  'points.select': pointsSelect,
  'points.list': pointsList,
  'points.search': pointsSearch,
  'points.neighbors': pointsNeighbors,
  'points.tag': pointsTag,
  'points.restore': pointsRestore,
  'gate.approve': gateApprove,
  'agent.run': agentRun,
  'budgets.compare': budgetsCompare,
  'budgets.apply': budgetsApply,
  'budgets.ledger': budgetsLedger,
  'api.call': apiCall,
} as const;

/** The same for code that knows no step by name. */
export const steps: Readonly<Record<string, Step>> = definitions;

/** The built-in steps and those of a project. */
export const withOwn = (own: readonly Step[]): Readonly<Record<string, Step>> => ({
  ...steps,
  ...Object.fromEntries(own.map((step) => [step.name, step])),
});
