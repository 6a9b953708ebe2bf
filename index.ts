/** What a user's own files import from 'portolan'. */
export { z } from 'zod';
export { defineConfig, type PortolanConfig } from './config/define.ts';
export { definePipeline, defineStep, type OwnStep, type OwnStepContext } from './pipelines/define.ts';
