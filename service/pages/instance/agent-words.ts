import { escapeHtml as e } from '../../../text/html.ts';

export const wordsOf = (status: string): string => status.replaceAll('_', ' ');

/** The status of an agent, which the script of the page keeps up to date. */
export const statusMark = ({ id, status, updatedAt }: { id: string; status: string; updatedAt?: string | null | undefined }): string =>
  `<b class="status" data-agent="${e(id)}" data-status="${e(status)}" data-updated="${e(updatedAt ?? '')}">${e(wordsOf(status))}</b>`;
