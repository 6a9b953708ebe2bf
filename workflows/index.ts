/** Every workflow of the product, by the type it is started with. */
export { lockV1 } from './lock-v1.ts';
export { notifyV1 } from './notify-v1.ts';
export { runPipelineV1 } from './run-pipeline-v1.ts';
export { watchV1 } from './watch-v1.ts';
