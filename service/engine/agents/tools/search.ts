import { textArg, texts, ToolRefused, type Tool } from './tool.ts';

export const search_files: Tool = {
  does: 'Find files of the user by a part of their name.',
  parameters: texts('query'),
  run: (args, { host, owner }) => ({ files: host.searchFiles(owner, textArg(args, 'query')) }),
};

export const search_codes: Tool = {
  does: 'Search building codes and standards; a capability of the launch.',
  parameters: texts('query'),
  run(args, { host, agent }) {
    const { codeSearch } = JSON.parse(agent.capabilities) as { codeSearch?: boolean };
    if (!codeSearch) throw new ToolRefused('the agent was launched without the capability codeSearch');
    return host.searchCodes(textArg(args, 'query'));
  },
};
