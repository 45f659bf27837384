/** Gotify (gotify.net/docs/pushmsg). */
import { z } from 'zod';
import { cut, defineChannel, httpUrl, originOf, post } from './channel.ts';

const priorities = { bad: 8, good: 4, neutral: 5 } as const;

export const gotify = defineChannel({
  label: 'Gotify',
  fields: {
    serverUrl: httpUrl(),
    appToken: z
      .string()
      .max(200)
      .regex(/^[\x21-\x7e]+$/, 'must be the token of an application, as Gotify shows it')
      .describe('Never shown'),
  },
  secrets: ['appToken'],
  example: { serverUrl: 'https://gotify.example.com', appToken: 'AxV.9Lk3' },
  origin: ({ serverUrl }) => originOf(serverUrl),
  render: ({ title, message, tone }, { serverUrl, appToken }) =>
    post(
      `${serverUrl.replace(/\/$/, '')}/message`,
      { title: cut(title, 200), message: cut(message, 1000), priority: priorities[tone] },
      { 'x-gotify-key': appToken },
    ),
});
