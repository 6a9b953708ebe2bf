/** Stands for a workflow: what the bundler reaches from here is what a workflow may import. */
export { evaluateTree, ExpressionError } from '../../pipelines/expressions/evaluate.ts';
