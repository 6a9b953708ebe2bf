/** What a user's own files import from 'portolan'. */
export { z } from 'zod';
export { Wait } from './client/wait.ts';
export { defineConfig, type PortolanConfig } from './config/define.ts';
export {
  definePipeline,
  definePoll,
  defineStep,
  defineSweep,
  type FakeAnswer,
  type ItemFate,
  type Looked,
  type OwnLookContext,
  type OwnPoll,
  type OwnStep,
  type OwnStepContext,
  type OwnSweep,
  type SweepItemContext,
} from './pipelines/own/define.ts';
export type { OwnFetchInit } from './client/own-fetch.ts';

import type { openProject as open } from './cli/start/open-project.ts';

export type { OpenProject, StartOptions } from './cli/start/open-project.ts';

/** Opens the project of a folder for a program that starts runs and waits for them. Loaded when called: own steps import this file too. */
export const openProject: typeof open = async (options) => (await import('./cli/start/open-project.ts')).openProject(options);
