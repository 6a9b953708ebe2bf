/** What a user's own files import from 'portolan'. */
export { z } from 'zod';
export { defineConfig, type PortolanConfig } from './config/define.ts';
export {
  definePipeline,
  defineStep,
  defineSweep,
  type ItemFate,
  type OwnStep,
  type OwnStepContext,
  type OwnSweep,
  type SweepItemContext,
} from './pipelines/own/define.ts';
