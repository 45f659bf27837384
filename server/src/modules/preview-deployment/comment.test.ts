import { expect, it } from 'vitest';
import { commentMark, commentOf, limitComment } from './comment.ts';

const application = { applicationId: 'a1', name: 'The | shop', previewLimit: 3 };
const head =
  '<!-- berth preview of a1 -->\n| Preview of | Status | Address | Commit |\n| --- | --- | --- | --- |\n';

it('the comment is one table', () => {
  const preview = {
    domain: 'https://preview-shop-12.example.com',
    commit: 'abcdef1234567890',
    status: 'running',
  } as const;
  expect(commentOf(application, preview)).toBe(
    `${head}| The \\| shop | running | ` +
      `[https://preview-shop-12.example.com](https://preview-shop-12.example.com) | \`abcdef123456\` |`,
  );
  expect(commentOf(application, { ...preview, status: 'removed' })).toBe(
    `${head}| The \\| shop | removed |  | \`abcdef123456\` |`,
  );
  expect(limitComment(application)).toBe(
    `${head}| The \\| shop | not built: 3 previews are already running, which is the limit ` +
      '(previewLimit) |  |  |',
  );
  expect(limitComment(application)).toContain(commentMark(application));
});
