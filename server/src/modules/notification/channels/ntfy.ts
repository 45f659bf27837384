/** ntfy (docs.ntfy.sh/publish, "Publish as JSON"). */
import { z } from 'zod';
import { cut, defineChannel, httpUrl, originOf, post } from './channel.ts';

const looks = {
  bad: { priority: 4, tags: ['warning'] },
  good: { priority: 3, tags: ['white_check_mark'] },
  neutral: { priority: 3, tags: ['information_source'] },
} as const;

export const ntfy = defineChannel({
  label: 'ntfy',
  fields: {
    serverUrl: httpUrl().default('https://ntfy.sh'),
    topic: z
      .string()
      .regex(/^[-_A-Za-z0-9]{1,64}$/, 'must be 1 to 64 letters, digits, dashes and underscores'),
    accessToken: z
      .string()
      .max(200)
      .regex(/^[\x21-\x7e]*$/, 'must be a token as ntfy gives it, such as tk_…: it goes into a header')
      .nullish()
      .describe('If the topic needs one; never shown'),
  },
  secrets: ['accessToken'],
  example: { serverUrl: 'https://ntfy.sh', topic: 'berth-of-ours' },
  origin: ({ serverUrl }) => originOf(serverUrl),
  render: ({ title, message, tone }, { serverUrl, topic, accessToken }) =>
    post(
      serverUrl,
      // A message above 4,096 bytes would become an attachment.
      { topic, title: cut(title, 200), message: cut(message, 1000), ...looks[tone] },
      accessToken ? { authorization: `Bearer ${accessToken}` } : {},
    ),
});
