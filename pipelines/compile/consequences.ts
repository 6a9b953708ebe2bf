import { ownerOf, type Finding } from '../file/findings.ts';

/** True where a finding is about a value that another says cannot be read, or is missing because of it. */
export const isOf = (finding: Finding, unread: Finding): boolean =>
  (finding.line === unread.line && finding.column === unread.column) ||
  // Fields that a merge key would have brought.
  (unread.code === 'merge-key' && finding.code === 'missing-field' && ownerOf(finding.path) === ownerOf(unread.path)) ||
  (unread.code === 'merge-key' && finding.path === unread.path);
