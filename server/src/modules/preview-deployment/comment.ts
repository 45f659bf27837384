/** The comment on a pull request: one table, edited in place. Pure. */
import { hash } from 'node:crypto';
import type { ApplicationRecord } from '../../db/tables.ts';
import type { PreviewDeploymentRecord } from './store.ts';

/** By this line, which nobody sees, the comment is found again. */
export const commentMark = ({ applicationId }: Pick<ApplicationRecord, 'applicationId'>): string =>
  `<!-- berth preview of ${applicationId} -->`;

type Shown = Pick<PreviewDeploymentRecord, 'domain' | 'commit'> & {
  status: PreviewDeploymentRecord['status'] | 'removed';
};

export function commentOf(
  application: Pick<ApplicationRecord, 'applicationId' | 'name'>,
  preview: Shown,
): string {
  const address = preview.status === 'removed' ? '' : `[${preview.domain}](${preview.domain})`;
  return tableOf(application, [
    preview.status,
    address,
    preview.commit === null ? '' : `\`${preview.commit.slice(0, 12)}\``,
  ]);
}

export function limitComment(
  application: Pick<ApplicationRecord, 'applicationId' | 'name' | 'previewLimit'>,
): string {
  return tableOf(application, [
    `not built: ${application.previewLimit} previews are already running, which is the limit (previewLimit)`,
    '',
    '',
  ]);
}

/** The same for the same text; stored, so that a comment is only edited when it changes. */
export function digestOf(text: string): string {
  return hash('sha256', text, 'base64url');
}

function tableOf(
  application: Pick<ApplicationRecord, 'applicationId' | 'name'>,
  cells: readonly string[],
): string {
  const row = (parts: readonly string[]): string => `| ${parts.join(' | ')} |`;
  return [
    commentMark(application),
    row(['Preview of', 'Status', 'Address', 'Commit']),
    row(['---', '---', '---', '---']),
    row([escaped(application.name), ...cells]),
  ].join('\n');
}

/** A name is text, whatever signs it has. */
function escaped(text: string): string {
  return text.replace(/[\\`*_{}[\]()#+!|<>~@&:]/g, (sign) => `\\${sign}`).replace(/[\r\n]+/g, ' ');
}
