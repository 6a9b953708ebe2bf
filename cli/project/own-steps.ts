import { stepFiles, type Config } from '../../config/load.ts';
import { loadOwnSteps } from '../../pipelines/own/load-steps.ts';
import { OwnStepError } from '../../pipelines/own/own-step-error.ts';
import type { Step } from '../../pipelines/step.ts';
import { UsageError } from '../frame/errors.ts';

/** Own steps of the project. A file that cannot be used fails with `UsageError`: exit code 2. */
export const projectSteps = async (config: Config): Promise<Step[]> => {
  try {
    return await loadOwnSteps(await stepFiles(config));
  } catch (error) {
    // Its message says the remedy already.
    if (error instanceof OwnStepError) throw new UsageError(error.message);
    throw error;
  }
};
