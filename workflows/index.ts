/** Every workflow of the product, by the type it is started with. */
export { runPipelineV1 } from './run-pipeline-v1.ts';
