/** The comment on a pull request: one table, edited in place. Pure. */
import { hash } from 'node:crypto';
import { previewedRef } from './previewed.ts';
import type { PreviewDeploymentRecord } from './store.ts';

type Identified = { applicationId: string } | { composeId: string };
type Named = Identified & { name: string };

/** By this line, which nobody sees, the comment is found again. */
export const commentMark = (service: Identified): string =>
  `<!-- berth preview of ${previewedRef(service).serviceId} -->`;

type Shown = Pick<PreviewDeploymentRecord, 'domain' | 'commit'> & {
  status: PreviewDeploymentRecord['status'] | 'removed';
};

export function commentOf(service: Named, preview: Shown): string {
  const address =
    preview.status === 'removed' || preview.domain === '' ? '' : `[${preview.domain}](${preview.domain})`;
  return tableOf(service, [
    preview.status,
    address,
    preview.commit === null ? '' : `\`${preview.commit.slice(0, 12)}\``,
  ]);
}

export function limitComment(service: Named & { previewLimit: number }): string {
  return tableOf(service, [
    `not built: ${service.previewLimit} previews are already running, which is the limit (previewLimit)`,
    '',
    '',
  ]);
}

/** The same for the same text; stored, so that a comment is only edited when it changes. */
export function digestOf(text: string): string {
  return hash('sha256', text, 'base64url');
}

function tableOf(service: Named, cells: readonly string[]): string {
  const row = (parts: readonly string[]): string => `| ${parts.join(' | ')} |`;
  return [
    commentMark(service),
    row(['Preview of', 'Status', 'Address', 'Commit']),
    row(['---', '---', '---', '---']),
    row([escaped(service.name), ...cells]),
  ].join('\n');
}

/** A name is text, whatever signs it has. */
function escaped(text: string): string {
  return text.replace(/[\\`*_{}[\]()#+!|<>~@&:]/g, (sign) => `\\${sign}`).replace(/[\r\n]+/g, ' ');
}
