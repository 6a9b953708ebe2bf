/** By what a launch is known again: its mark, where it has a prompt, else its workflow and the files of its slots, which are its own. */
export type Launch = { mark: string; hasPrompt: boolean; workflow: string | null; files: readonly string[] };

/** What an agent shows of its launch. `said`: its conversation has a message of a user. */
export type LaunchFacts = { mark: string | null; said: boolean; workflow: string | null; files: readonly string[] };

/**
 * Does an agent come of a launch? `possible`: it has neither a mark nor files that would tell. A workflow that is launched with neither prompt
 * nor file is told from no other launch of it; and a workflow may show files in place of the prompt beside them (instance text).
 */
export function isLaunch(facts: LaunchFacts, { mark, hasPrompt, workflow, files }: Launch): 'certain' | 'possible' | 'no' {
  if (facts.mark !== null) return facts.mark === mark ? 'certain' : 'no';
  if (facts.workflow !== workflow) return 'no';
  if (files.length === 0) return hasPrompt && facts.said ? 'no' : 'possible';
  if (facts.files.length === 0) return 'possible';
  return files.every((file) => facts.files.includes(file)) ? 'certain' : 'no';
}
