import type { Step } from '../step.ts';
import { apiCall } from './api-call.ts';
import { dataDelete } from './data-delete.ts';
import { datasetAppend } from './dataset-append.ts';
import { datasetEnsure } from './dataset-ensure.ts';
import { datasetLoad } from './dataset-load.ts';
import { datasetUpload } from './dataset-upload.ts';
import { gateApprove } from './gate-approve.ts';
import { indexBuild } from './index-build.ts';
import { indexUpdate } from './index-update.ts';
import { pointsNeighbors } from './points-neighbors.ts';
import { pointsSearch } from './points-search.ts';
import { pointsSelect } from './points-select.ts';
import { pointsTag } from './points-tag.ts';

/** Every built-in step. A step that is not here does not exist; its activity is named by its definition. */
const table = [
  datasetEnsure,
  datasetAppend,
  datasetUpload,
  datasetLoad,
  indexBuild,
  indexUpdate,
  dataDelete,
  pointsSelect,
  pointsSearch,
  pointsNeighbors,
  pointsTag,
  gateApprove,
  apiCall,
];

export const steps: Readonly<Record<string, Step>> = Object.fromEntries(table.map((step) => [step.name, step as unknown as Step]));
